/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way to a file: profiles are many small pieces, most of them the same number over and over. */
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
/* One piece so many times over. */
void output_repeat(struct output *output, const void *piece, size_t bytes, size_t times);
/* Whether all that was put has been taken. */
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
