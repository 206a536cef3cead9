/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: runs of half as float and back, eight at a time, which gcc 12 does not do by itself.  Rounding is to the nearest even. */
#ifndef POPLIBS_HALF_VECTORS_H
#define POPLIBS_HALF_VECTORS_H

#include <poplar/vertex.h>

/* For loops that many vertex types share: one copy of the vectors that they become. */
#define POPLIBS_FAST __attribute__((noinline, noclone)) static

#ifdef __F16C__
typedef float poplibs_eight __attribute__((vector_size(32), aligned(4)));
typedef short poplibs_packed __attribute__((vector_size(16), aligned(2)));
#endif

__attribute__((unused)) POPLIBS_FAST void poplibs_widen(float *restrict to, const half *restrict from, size_t count)
{
    size_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= count; i += 8)
        *(poplibs_eight *)(void *)(to + i) = __builtin_ia32_vcvtph2ps256(*(const poplibs_packed *)(const void *)(from + i));
#endif
    for (; i < count; ++i)
        to[i] = (float)from[i];
}

__attribute__((unused)) POPLIBS_FAST void poplibs_narrow(half *restrict to, const float *restrict from, size_t count)
{
    size_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= count; i += 8)
        *(poplibs_packed *)(void *)(to + i) = __builtin_ia32_vcvtps2ph256(*(const poplibs_eight *)(const void *)(from + i), 0);
#endif
    for (; i < count; ++i)
        to[i] = (half)from[i];
}

#endif
