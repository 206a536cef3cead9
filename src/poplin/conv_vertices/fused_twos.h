/* SPDX-License-Identifier: Apache-2.0 */
/* The chains of fused_chain.h for eight columns in vectors of 16 lanes: two rows at once.  Inputs are interleaved with
 * those of the row after them, so that one load that repeats 64 bits serves both rows; weights are stored twice. */
#ifndef POPLIN_CONV_VERTICES_FUSED_TWOS_H
#define POPLIN_CONV_VERTICES_FUSED_TWOS_H

#include "poplin/conv_vertices/fused_chain.h"

#ifdef __AVX512F__
enum { TWOS_COLUMNS = 8, TWOS_LANES = 2 * TWOS_COLUMNS };

typedef float twos_lanes __attribute__((vector_size(64), aligned(4), may_alias));
typedef float twos_half __attribute__((vector_size(32), aligned(4), may_alias));
typedef long long twos_words __attribute__((vector_size(64)));
typedef long long twos_word __attribute__((aligned(4), may_alias));

FUSED_INLINE twos_lanes twos_interleave(twos_half a, twos_half b)
{
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}
/* x[2 i] = x[count + i] and x[2 i + 1] = x[count + i + apart] for i < count; zero if there is no such element. */
static void twos_spread_inputs(float *x, size_t count, size_t apart)
{
    const float *from = x + count;
    size_t i = 0;
    for (; i + apart + TWOS_COLUMNS <= count; i += TWOS_COLUMNS)
        *(twos_lanes *)(x + 2 * i) =
            twos_interleave(*(const twos_half *)(from + i), *(const twos_half *)(from + i + apart));
    for (; i < count; ++i) {
        float first = from[i], second = i + apart < count ? from[i + apart] : 0;
        x[2 * i] = first;
        x[2 * i + 1] = second;
    }
}
/* x[2 i] = first[i] and x[2 i + 1] = second[i]; count is a multiple of 8. */
FUSED_INLINE void twos_widen(float *x, const half *first, const half *second, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        const poplibs_packed a = *(const poplibs_packed *)(const void *)(first + i),
                             b = *(const poplibs_packed *)(const void *)(second + i);
        *(twos_half *)(x + 2 * i) =
            __builtin_ia32_vcvtph2ps256(__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
        *(twos_half *)(x + 2 * i + TWOS_COLUMNS) =
            __builtin_ia32_vcvtph2ps256(__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
    }
}
/* w[2 i] = w[2 i + 1] = from[i]. */
static void twos_spread_weights(const float *from, size_t count, float *w)
{
    for (size_t i = 0; i < count; i += TWOS_COLUMNS) {
        twos_half row = *(const twos_half *)(from + i);
        *(twos_lanes *)(w + 2 * i) = twos_interleave(row, row);
    }
}

FUSED_INLINE twos_lanes twos_spread(const float *x)
{
    const twos_words both = *(const twos_word *)x - (twos_words){ 0 };
    return (twos_lanes)both;
}
FUSED_INLINE void twos_step(const size_t items, const float *const *x, size_t c, const float *w, twos_lanes *sums)
{
    const twos_lanes row = *(const twos_lanes *)w;
#pragma GCC unroll 10
    for (size_t e = 0; e < items; ++e)
        POPLIBS_MULTIPLY_ADD(sums[e], twos_spread(x[e] + 2 * c), row, TWOS_LANES);
}
/* All `depth` elements of items, which are `apart` times as many elements apart. */
FUSED_INLINE void twos_even_steps(const size_t items, const size_t depth, const size_t apart, const float *x,
                                  const float *w, twos_lanes *sums)
{
#pragma GCC unroll 16
    for (size_t c = 0; c < depth; ++c) {
        const twos_lanes row = *(const twos_lanes *)(w + c * TWOS_LANES);
#pragma GCC unroll 10
        for (size_t e = 0; e < items; ++e)
            POPLIBS_MULTIPLY_ADD(sums[e], twos_spread(x + 2 * (e * apart * depth + c)), row, TWOS_LANES);
    }
}
/* Item e is the rows to[2 e] and to[2 e + 1]; they may be the same, then the second one's sum is dropped.
 * even: chain->depth if items are `apart` times as many elements apart, or 0. */
FUSED_INLINE void twos_chain_of(const size_t items, const size_t even, const size_t apart,
                                const struct fused_chain *chain, const ptrdiff_t *from, const size_t *to)
{
    twos_lanes sums[FUSED_MANY];
#pragma GCC unroll 10
    for (size_t e = 0; e < items; ++e)
        sums[e] = (twos_lanes){ 0 };
    if (!chain->first)
#pragma GCC unroll 10
        for (size_t e = 0; e < items; ++e)
            sums[e] = twos_interleave(*(const twos_half *)(chain->y + to[2 * e]),
                                      *(const twos_half *)(chain->y + to[2 * e + 1]));
    for (size_t i = 0; i < chain->groups; ++i)
        for (size_t k = 0; k < chain->steps; ++k) {
            const float *w = chain->w + i * chain->group_weights + chain->weights[k], *x[FUSED_MANY];
            if (even) {
                twos_even_steps(items, even, apart, chain->x[i] + 2 * (chain->shifts[k] + from[0]), w, sums);
                continue;
            }
#pragma GCC unroll 10
            for (size_t e = 0; e < items; ++e)
                x[e] = chain->x[i] + 2 * (chain->shifts[k] + from[e]);
            size_t c = 0;
            for (; c + 4 <= chain->depth; c += 4, w += 4 * TWOS_LANES)
#pragma GCC unroll 4
                for (size_t n = 0; n < 4; ++n)
                    twos_step(items, x, c + n, w + n * TWOS_LANES, sums);
            for (; c < chain->depth; ++c, w += TWOS_LANES)
                twos_step(items, x, c, w, sums);
        }
#pragma GCC unroll 10
    for (size_t e = 0; e < items; ++e) {
        *(twos_half *)(chain->y + to[2 * e + 1]) = __builtin_shufflevector(sums[e], sums[e], 1, 3, 5, 7, 9, 11, 13, 15);
        *(twos_half *)(chain->y + to[2 * e]) = __builtin_shufflevector(sums[e], sums[e], 0, 2, 4, 6, 8, 10, 12, 14);
    }
}

/* Items whose first rows follow each other (just converted), items whose rows all do (`apart` 2), or others. */
FUSED_INLINE void twos_chain(const size_t items, const struct fused_chain *chain, const ptrdiff_t *from,
                             const size_t *to)
{
    if (fused_even(items, chain, from, 1) == 2 * FUSED_EVEN)
        twos_chain_of(items, 2 * FUSED_EVEN, 1, chain, from, to);
    else if (fused_even(items, chain, from, 2) == 2 * FUSED_EVEN)
        twos_chain_of(items, 2 * FUSED_EVEN, 2, chain, from, to);
    else if (fused_even(items, chain, from, 2))
        twos_chain_of(items, FUSED_EVEN, 2, chain, from, to);
    else
        twos_chain_of(items, 0, 0, chain, from, to);
}
/* items must not exceed FUSED_MANY. */
__attribute__((noinline)) static void fused_twos(size_t items, const struct fused_chain *chain, const ptrdiff_t *from,
                                                 const size_t *to)
{
    switch (items) {
#define ITEMS(count)                                                                                                   \
    case count:                                                                                                        \
        twos_chain(count, chain, from, to);                                                                            \
        return;
        ITEMS(1)
        ITEMS(2)
        ITEMS(3)
        ITEMS(4)
        ITEMS(5)
        ITEMS(6)
        ITEMS(7)
        ITEMS(8)
        ITEMS(9)
        ITEMS(10)
#undef ITEMS
    }
}
#endif

#endif
