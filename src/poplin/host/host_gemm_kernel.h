/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on the host: the kernel that multiplies packed operands.
 *
 * Every element of the product is one chain of fused multiply-adds in each block of B: with the same blocks, results do
 * not depend on the machine. */
#ifndef POPLIN_HOST_HOST_GEMM_KERNEL_H
#define POPLIN_HOST_HOST_GEMM_KERNEL_H

#include "poplin/host/host_gemm_pack.h"

#include <stdbool.h>
#include <string.h>

/* Rows of a kernel: their sums use all registers except those for one row of B and an element of A. */
#if defined(__AVX512F__)
enum { STRIP = GEMM_STRIP };
#elif defined(__AVX2__) && defined(__FMA__)
enum { STRIP = 6 };
#else
enum { STRIP = 4 };
#endif
enum { WIDE = 2 * LANES, NEAR = 12 }; /* columns of a kernel; rows of B that are prefetched */
/* Rows of A that are packed at a time, and elements of B that stay in the second cache without prefetches. */
enum { ROWS = 13 * GEMM_STRIP, PACKED_A = ROWS * GEMM_DEPTH + LANES, FITS = 1 << 17 };

/* Data to prefetch for the next tile: its first rows of B, and, with every second row, `step` elements of the part of B
 * beyond the second cache. */
struct gemm_next {
    const float *first, *later;
    size_t step;
};
/* The destination of a tile of the product: `columns` of each row from column `at` on; stored, or added with a scale.
 */
struct gemm_out {
    float *const *rows; /* the tile's rows */
    size_t at, columns;
    bool add;
    float scale;
};

/* s[i * vectors + j] += a[i] * b[j * LANES ...]. */
GEMM_INLINE void multiply_once(const size_t rows, const size_t vectors, const float *a, const float *b, vec *s)
{
    vec b0 = *(const vec *)b, b1 = *(const vec *)(b + (vectors > 1 ? LANES : 0));
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; ++i) {
        vec x = spread(a[i]);
        multiply_add(&s[i * vectors], x, b0);
        if (vectors > 1)
            multiply_add(&s[i * vectors + 1], x, b1);
    }
}

/* A tile that ends within a vector. */
static void put_edge(size_t rows, size_t vectors, const float *sums, const struct gemm_out *out)
{
    for (size_t i = 0; i < rows; ++i, sums += vectors * LANES)
        for (size_t k = 0; k < out->columns; ++k) {
            float *to = out->rows[i] + out->at + k;
            *to = out->add ? *to + out->scale * sums[k] : sums[k];
        }
}
GEMM_INLINE void put(const size_t rows, const size_t vectors, const vec *s, const struct gemm_out *out)
{
    float *const *lines = out->rows;
    const size_t at = out->at;
    if (out->columns < vectors * LANES) {
        vec sums[2 * STRIP];
#pragma GCC unroll 28
        for (size_t i = 0; i < rows * vectors; ++i)
            sums[i] = s[i];
        put_edge(rows, vectors, (const float *)sums, out);
    } else if (out->add) {
        vec scale = spread(out->scale);
#pragma GCC unroll 28
        for (size_t i = 0; i < rows * vectors; ++i)
            *(vec *)(lines[i / vectors] + at + i % vectors * LANES) += scale * s[i];
    } else {
#pragma GCC unroll 28
        for (size_t i = 0; i < rows * vectors; ++i)
            *(vec *)(lines[i / vectors] + at + i % vectors * LANES) = s[i];
    }
}

/* Element (i, j) of the tile is the sum over k of a[k * rows + i] * b[k * GEMM_PANEL + j].  Meanwhile the tile's cache
 * lines are prefetched, one at a time so that loads of B do not stall, and only to the second cache: in the first one,
 * rows that are a power of two apart evict each other. */
GEMM_INLINE void multiply(const size_t rows, const size_t vectors, size_t depth, const float *a, const float *b,
                          const struct gemm_next *next, const struct gemm_out *out)
{
    vec s[2 * STRIP];
#pragma GCC unroll 28
    for (size_t i = 0; i < rows * vectors; ++i)
        s[i] = spread(0);
    const float *soon = b + NEAR * GEMM_PANEL, *later = next->later;
    const size_t step = next->step, spacing = depth / rows / 2 * 2;
    for (size_t row = 0, left = depth; left; ++row) {
        if (row < rows) {
            __builtin_prefetch(out->rows[row] + out->at, 0, 2);
            __builtin_prefetch(out->rows[row] + out->at + WIDE - 1, 0, 2);
        }
        left = row < rows && depth > NEAR + spacing ? depth - spacing : depth > NEAR + 1 ? NEAR : 0;
        soon = left ? soon : next->first;
        for (; depth >= left + 2;
             depth -= 2, a += 2 * rows, b += 2 * GEMM_PANEL, soon += 2 * GEMM_PANEL, later += step) {
            __builtin_prefetch(later, 0, 2);
#pragma GCC unroll 8
            for (size_t line = 0; line < 2 * WIDE; line += 16)
                __builtin_prefetch(soon + line / WIDE * GEMM_PANEL + line % WIDE);
            multiply_once(rows, vectors, a, b, s);
            multiply_once(rows, vectors, a + rows, b + GEMM_PANEL, s);
        }
    }
    if (depth)
        multiply_once(rows, vectors, a, b, s);
    put(rows, vectors, s, out);
}

#define KERNEL(count)                                                                                                  \
    static void kernel_##count(size_t depth, const float *a, const float *b, const struct gemm_next *next,             \
                               const struct gemm_out *out)                                                             \
    {                                                                                                                  \
        out->columns > LANES ? multiply(count, 2, depth, a, b, next, out)                                              \
                             : multiply(count, 1, depth, a, b, next, out);                                             \
    }
KERNEL(1)
KERNEL(2)
KERNEL(3)
KERNEL(4)
#if defined(__AVX2__) && defined(__FMA__)
KERNEL(5)
KERNEL(6)
#endif
#if defined(__AVX512F__)
KERNEL(7)
KERNEL(8)
KERNEL(9)
KERNEL(10)
KERNEL(11)
KERNEL(12)
KERNEL(13)
KERNEL(14)
#endif

static void kernel(size_t rows, size_t depth, const float *a, const float *b, const struct gemm_next *next,
                   const struct gemm_out *out)
{
#define CASE(count)                                                                                                    \
    case count:                                                                                                        \
        kernel_##count(depth, a, b, next, out);                                                                        \
        break;
    switch (rows) {
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
#if defined(__AVX2__) && defined(__FMA__)
        CASE(5)
        CASE(6)
#endif
#if defined(__AVX512F__)
        CASE(7)
        CASE(8)
        CASE(9)
        CASE(10)
        CASE(11)
        CASE(12)
        CASE(13)
        CASE(14)
#endif
    }
#undef CASE
}

/* Divides rows into the minimum number of strips, of nearly equal heights. */
static size_t strips_of(size_t rows)
{
    return (rows + STRIP - 1) / STRIP;
}

#endif
