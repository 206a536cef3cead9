/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: conversion of runs of half to float and back by vectors, because gcc 12 does not vectorise it.
 * Rounds to nearest even. */
#ifndef POPLIBS_HALF_VECTORS_H
#define POPLIBS_HALF_VECTORS_H

#include <poplar/vertex.h>

/* Vectors are passed only within one file, so their calling convention in files for other machines does not matter. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* Out of line, for loops that many vertex types share: the vectorised code exists only once. */
#define POPLIBS_FAST __attribute__((noinline, noclone)) static

typedef float poplibs_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef short poplibs_packed __attribute__((vector_size(16), aligned(2), may_alias));

__attribute__((unused)) static inline poplibs_eight poplibs_widen_eight(const half *from)
{
#ifdef __F16C__
    return __builtin_ia32_vcvtph2ps256(*(const poplibs_packed *)(const void *)from);
#else
    poplibs_eight wide;
    for (int i = 0; i < 8; ++i)
        wide[i] = (float)from[i];
    return wide;
#endif
}
/* Converts four elements from each of two addresses. */
__attribute__((unused)) static inline poplibs_eight poplibs_widen_four_each(const half *a, const half *b)
{
#ifdef __F16C__
    typedef long long two __attribute__((vector_size(16)));
    typedef long long four_halves __attribute__((aligned(2), may_alias));
    return __builtin_ia32_vcvtph2ps256(
        (poplibs_packed)(two){ *(const four_halves *)(const void *)a, *(const four_halves *)(const void *)b });
#else
    poplibs_eight wide;
    for (int i = 0; i < 8; ++i)
        wide[i] = (float)(i < 4 ? a[i] : b[i - 4]);
    return wide;
#endif
}
__attribute__((unused)) POPLIBS_FAST void poplibs_widen(float *restrict to, const half *restrict from, size_t count)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        *(poplibs_eight *)(void *)(to + i) = poplibs_widen_eight(from + i);
    for (; i < count; ++i)
        to[i] = (float)from[i];
}

__attribute__((unused)) POPLIBS_FAST void poplibs_narrow(half *restrict to, const float *restrict from, size_t count)
{
    size_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= count; i += 8)
        *(poplibs_packed *)(void *)(to + i) =
            __builtin_ia32_vcvtps2ph256(*(const poplibs_eight *)(const void *)(from + i), 0);
#endif
    for (; i < count; ++i)
        to[i] = (half)from[i];
}

#endif
