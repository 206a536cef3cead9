/* SPDX-License-Identifier: Apache-2.0 */
/* y[to[e] + o] += x[i][from[e] + shifts[k] + c] w[i][k][c][o], in the order of i, k and c, for a few rows e: the same
 * chains as those of fused_rows.h, but their sums stay in registers from the first i and k to the last ones.  Columns o
 * may be in two parts, as those of two groups of output channels are. */
#ifndef POPLIN_CONV_VERTICES_FUSED_CHAIN_H
#define POPLIN_CONV_VERTICES_FUSED_CHAIN_H

#include "poplin/conv_vertices/fused_rows.h"

#include <stdbool.h>

struct fused_chain {
    const float *const *x;
    size_t groups, steps, depth;
    const ptrdiff_t *shifts; /* of each step */
    const size_t *weights;
    const float *w; /* w[i][k] is at i group_weights + weights[k] */
    size_t group_weights;
    float *y;        /* row e is at to[e] */
    ptrdiff_t apart; /* from the first part of a row to the second */
    bool first;      /* sums begin with zero, not with y */
};

/* FUSED_MANY: the number of rows where columns are one vector. */
#if defined(__AVX512F__)
enum { FUSED_COLUMNS = 32, FUSED_MANY = 10 };
#elif defined(__AVX2__) && defined(__FMA__)
enum { FUSED_COLUMNS = 16, FUSED_MANY = 10 };
#else
enum { FUSED_COLUMNS = 16, FUSED_MANY = FUSED_ROWS };
#endif
#define FUSED_INLINE static inline __attribute__((always_inline))

/* Groups of FUSED_EVEN or of twice as many channels, whose rows are the same distance apart, have code of their own:
 * all addresses of a step are one register and constants. */
enum { FUSED_EVEN = 8 };
/* The depth if rows are `apart` times as many elements apart, and it is one of these; else 0. */
static size_t fused_even(size_t rows, const struct fused_chain *chain, const ptrdiff_t *from, size_t apart)
{
    const size_t depth = chain->depth;
    if (depth != FUSED_EVEN && depth != 2 * FUSED_EVEN)
        return 0;
    for (size_t e = 1; e < rows; ++e)
        if (from[e] - from[e - 1] != (ptrdiff_t)(apart * depth))
            return 0;
    return depth;
}

#define COLUMNS 4
#define PARTS   1
#include "poplin/conv_vertices/fused_chain_of.h"
#define COLUMNS 8
#define PARTS   1
#include "poplin/conv_vertices/fused_chain_of.h"
#define COLUMNS 8
#define PARTS   2
#include "poplin/conv_vertices/fused_chain_of.h"
#define COLUMNS 16
#define PARTS   1
#include "poplin/conv_vertices/fused_chain_of.h"
#define COLUMNS 16
#define PARTS   2
#include "poplin/conv_vertices/fused_chain_of.h"
#ifdef __AVX512F__
#define COLUMNS 32
#define PARTS   2
#include "poplin/conv_vertices/fused_chain_of.h"
#endif

static size_t fused_chain_rows(size_t columns)
{
    return columns <= POPLIBS_LANES ? FUSED_MANY : FUSED_ROWS;
}
/* rows must not exceed fused_chain_rows(columns * parts); columns: 4, 8 or 16 in a part, and FUSED_COLUMNS in both. */
static void fused_chain(size_t rows, size_t columns, size_t parts, const struct fused_chain *chain,
                        const ptrdiff_t *from, const size_t *to)
{
    switch (columns * parts + parts) {
    case 4 + 1:
        fused_chain_4_in_1(rows, chain, from, to);
        return;
    case 8 + 1:
        fused_chain_8_in_1(rows, chain, from, to);
        return;
    case 16 + 1:
        fused_chain_16_in_1(rows, chain, from, to);
        return;
    case 8 + 2:
        fused_chain_8_in_2(rows, chain, from, to);
        return;
    case 16 + 2:
        fused_chain_16_in_2(rows, chain, from, to);
        return;
#ifdef __AVX512F__
    case 32 + 2:
        fused_chain_32_in_2(rows, chain, from, to);
        return;
#endif
    }
}

#endif
