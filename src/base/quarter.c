/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of 8-bit floats, and the scale that fits values best. */
#include <poplar/quarter.h>

#include <math.h>
#include <stdlib.h>

enum { CHUNK = 256 };

void pop_convert_to_quarter(uint8_t metadata, pop_type from_type, const void *from, uint8_t *to, size_t count,
                            bool nanoo)
{
    double values[CHUNK];
    for (size_t done = 0; done < count; done += CHUNK) {
        size_t now = count - done < CHUNK ? count - done : CHUNK;
        pop_convert(from_type, (const char *)from + done * pop_type_size(from_type), POP_DOUBLE, values, now);
        for (size_t i = 0; i < now; ++i)
            to[done + i] = pop_quarter_from_double(values[i], metadata, nanoo);
    }
}

void pop_convert_from_quarter(uint8_t metadata, const uint8_t *from, pop_type to_type, void *to, size_t count)
{
    float table[256], values[CHUNK];
    for (unsigned code = 0; code < 256; ++code)
        table[code] = pop_quarter_to_float((uint8_t)code, metadata);
    for (size_t done = 0; done < count; done += CHUNK) {
        size_t now = count - done < CHUNK ? count - done : CHUNK;
        for (size_t i = 0; i < now; ++i)
            values[i] = table[from[done + i]];
        pop_convert(POP_FLOAT, values, to_type, (char *)to + done * pop_type_size(to_type), now);
    }
}

/* The sum of squared errors of a scale; it stops once it is above a limit. */
static double squared_error(uint8_t metadata, pop_type type, const char *values, size_t count, double limit)
{
    double chunk[CHUNK], sum = 0;
    for (size_t done = 0; done < count && sum <= limit; done += CHUNK) {
        size_t now = count - done < CHUNK ? count - done : CHUNK;
        pop_convert(type, values + done * pop_type_size(type), POP_DOUBLE, chunk, now);
        for (size_t i = 0; i < now; ++i) {
            if (!isfinite(chunk[i]))
                continue;
            double error =
                (double)pop_quarter_to_float(pop_quarter_from_double(chunk[i], metadata, false), metadata) - chunk[i];
            sum += error * error;
        }
    }
    return sum;
}

uint8_t pop_quarter_best_metadata(pop_quarter_format format, pop_type type, const void *values, size_t count)
{
    uint8_t best = pop_quarter_metadata(format, 0);
    double least = squared_error(best, type, values, count, INFINITY);
    for (int size = 1; size <= POP_QUARTER_SCALE_MOST && least > 0; ++size)
        for (int sign = 1; sign >= -1; sign -= 2) {
            uint8_t metadata = pop_quarter_metadata(format, sign * size);
            double error = squared_error(metadata, type, values, count, least);
            if (error < least) {
                least = error;
                best = metadata;
            }
        }
    return best;
}
