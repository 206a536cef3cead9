/* SPDX-License-Identifier: Apache-2.0 */
/* Buffered output to a file: a profile is many small pieces, many of them repeated. */
#ifndef VALUE_OUTPUT_H
#define VALUE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct output {
    FILE *file;
    size_t used;
    char buffer[1 << 15];
};
void output_flush(struct output *output);
/* Writes one piece `times` times. */
void output_repeat(struct output *output, const void *piece, size_t bytes, size_t times);
/* Flushes; whether every byte was written. */
bool output_end(struct output *output);

static inline void output_put(struct output *output, const void *piece, size_t bytes)
{
    if (bytes > sizeof(output->buffer) - output->used) {
        output_repeat(output, piece, bytes, 1);
        return;
    }
    memcpy(output->buffer + output->used, piece, bytes);
    output->used += bytes;
}
static inline void output_char(struct output *output, char c)
{
    if (output->used == sizeof(output->buffer))
        output_flush(output);
    output->buffer[output->used++] = c;
}

#endif
