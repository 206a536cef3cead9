/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the field that outputs of a strip read at equal distances, so that they need not be packed
 * (host_gemm_direct.h). */
#ifndef POPLIN_HOST_HOST_CONV_DIRECT_H
#define POPLIN_HOST_HOST_CONV_DIRECT_H

#include "poplin/host/host_conv_field.h"

/* Row i reads, at position k of the last dimension, channels from element base + i apart + k channels of a line on.
 * Elements before `begin` and from `end` on are padding. */
struct direct_line {
    long long base, apart, begin, end;
};
/* The distance of the rows of a line at the first position that two of them have; 0 if there is none. */
static inline long long rows_apart(const struct conv_field *field, const struct host_conv_phase *phase,
                                   const struct conv_row *rows, size_t count)
{
    const unsigned last = field->count - 1, *kernels = phase->kernels[last];
    for (size_t k = 0; k < phase->counts[last]; ++k)
        for (size_t i = 1; i < count; ++i) {
            unsigned before = rows[i - 1].offsets[last][kernels[k]], at = rows[i].offsets[last][kernels[k]];
            if (before != HOST_CONV_NONE && at != HOST_CONV_NONE)
                return (long long)at - before;
        }
    return 0;
}
/* False if rows do not read a line like this. */
static inline bool find_line(const struct conv_field *field, const struct host_conv_phase *phase, size_t channels,
                             const struct conv_row *rows, size_t count, struct direct_line *line)
{
    const unsigned last = field->count - 1, *kernels = phase->kernels[last];
    const size_t inner = phase->counts[last];
    const long long wide = (long long)channels;
    size_t known = 0;
    for (size_t i = 1; i < count; ++i)
        if (!share_outer_dims(field, &rows[i - 1], &rows[i]))
            return false;
    const long long apart = rows_apart(field, phase, rows, count);
    if (apart <= 0)
        return false;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < inner; ++k) {
            unsigned offset = rows[i].offsets[last][kernels[k]];
            if (offset == HOST_CONV_NONE)
                continue;
            long long base = (long long)offset - (long long)i * apart - (long long)k * wide;
            if (!known++)
                *line = (struct direct_line){ base, apart, offset, offset };
            if (base != line->base)
                return false;
            line->begin = offset < line->begin ? offset : line->begin;
            line->end = offset + wide > line->end ? offset + wide : line->end;
        }
    for (size_t i = 0; i < count && known < count * inner; ++i)
        for (size_t k = 0; k < inner; ++k) {
            long long at = line->base + (long long)i * apart + (long long)k * wide;
            if (rows[i].offsets[last][kernels[k]] == HOST_CONV_NONE && at < line->end && at + wide > line->begin)
                return false;
        }
    return true;
}

#endif
