/* SPDX-License-Identifier: Apache-2.0 */
#include "value/output.h"

void output_flush(struct output *output)
{
    fwrite(output->buffer, 1, output->used, output->file);
    output->used = 0;
}

void output_repeat(struct output *output, const void *piece, size_t bytes, size_t times)
{
    for (size_t i = 0; i < times; ++i) {
        if (bytes > sizeof(output->buffer) - output->used)
            output_flush(output);
        if (bytes > sizeof(output->buffer)) {
            fwrite(piece, 1, bytes, output->file);
            continue;
        }
        memcpy(output->buffer + output->used, piece, bytes);
        output->used += bytes;
    }
}

bool output_end(struct output *output)
{
    output_flush(output);
    return fflush(output->file) == 0 && !ferror(output->file);
}
