/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on the host: the kernel for strips of A that are not packed, because their rows are equal distances
 * apart in memory.  Each element of the product is the same chain of fused multiply-adds as in host_gemm_kernel.h. */
#ifndef POPLIN_HOST_HOST_GEMM_DIRECT_H
#define POPLIN_HOST_HOST_GEMM_DIRECT_H

#include "poplin/host/host_gemm_kernel.h"

/* Maximum pieces of a strip, and strips of a block; minimum rows of a strip. */
enum { DIRECT_PIECES = 32, DIRECT_STRIPS = (ROWS + STRIP - 1) / STRIP, DIRECT_ROWS = STRIP / 2 };

/* Elements [0, depth) of each row, from those of the first row on. */
struct gemm_piece {
    const float *from;
    size_t depth;
};
/* A strip whose rows are `apart` elements apart in each of its pieces; no pieces: the strip is packed. */
struct gemm_direct {
    size_t count, apart;
    struct gemm_piece pieces[DIRECT_PIECES];
};

/* The addresses of a strip's rows are x[i / 3] + i % 3 * step bytes: registers for all of them. */
enum { DIRECT_BASES = (STRIP + 2) / 3 };
/* One element of each row; moves on to the next. */
GEMM_INLINE void direct_once(const size_t rows, const size_t vectors, const char *x[DIRECT_BASES], size_t step,
                             const float *b, vec *s)
{
    vec b0 = *(const vec *)b, b1 = *(const vec *)(b + (vectors > 1 ? LANES : 0));
#pragma GCC unroll 14
    for (size_t i = 0; i < rows; ++i) {
        vec a = spread(*(const float *)(const void *)(x[i / 3] + i % 3 * step));
        multiply_add(&s[i * vectors], a, b0);
        if (vectors > 1)
            multiply_add(&s[i * vectors + 1], a, b1);
    }
#pragma GCC unroll 5
    for (size_t j = 0; 3 * j < rows; ++j)
        x[j] += sizeof(float);
}
/* Prefetches as multiply() does. */
GEMM_INLINE void direct_multiply(const size_t rows, const size_t vectors, const struct gemm_direct *strip,
                                 const float *b, const struct gemm_next *next, const struct gemm_out *out)
{
    vec s[2 * STRIP];
#pragma GCC unroll 28
    for (size_t i = 0; i < rows * vectors; ++i)
        s[i] = spread(0);
    const size_t step = strip->apart * sizeof(float);
    const float *soon = b + NEAR * GEMM_PANEL, *later = next->later;
    size_t row = 0; /* whose cache lines are prefetched next */
    for (size_t p = 0; p < strip->count; ++p) {
        const char *x[DIRECT_BASES];
#pragma GCC unroll 5
        for (size_t j = 0; 3 * j < rows; ++j)
            x[j] = (const char *)strip->pieces[p].from + 3 * j * step;
        size_t left = strip->pieces[p].depth, near = p + 1 < strip->count ? 0 : gemm_min(left, NEAR);
        for (; left >= 2; left -= 2, b += 2 * GEMM_PANEL, soon += 2 * GEMM_PANEL, later += next->step) {
            soon = left == near || left == near + 1 ? next->first : soon;
            if (row < rows) {
                __builtin_prefetch(out->rows[row] + out->at, 0, 2);
                __builtin_prefetch(out->rows[row++] + out->at + WIDE - 1, 0, 2);
            }
            __builtin_prefetch(later, 0, 2);
#pragma GCC unroll 8
            for (size_t line = 0; line < 2 * WIDE; line += 16)
                __builtin_prefetch(soon + line / WIDE * GEMM_PANEL + line % WIDE);
            direct_once(rows, vectors, x, step, b, s);
            direct_once(rows, vectors, x, step, b + GEMM_PANEL, s);
        }
        if (left) {
            direct_once(rows, vectors, x, step, b, s);
            b += GEMM_PANEL;
            soon += GEMM_PANEL;
        }
    }
    put(rows, vectors, s, out);
}

#define DIRECT(rows)                                                                                                   \
    case rows:                                                                                                         \
        out->columns > LANES ? direct_multiply(rows, 2, strip, b, next, out)                                           \
                             : direct_multiply(rows, 1, strip, b, next, out);                                          \
        break;
/* rows: from DIRECT_ROWS to STRIP. */
static void direct_kernel(size_t rows, const struct gemm_direct *strip, const float *b, const struct gemm_next *next,
                          const struct gemm_out *out)
{
    switch (rows) {
#if defined(__AVX512F__)
        DIRECT(7)
        DIRECT(8)
        DIRECT(9)
        DIRECT(10)
        DIRECT(11)
        DIRECT(12)
        DIRECT(13)
        DIRECT(14)
#elif defined(__AVX2__) && defined(__FMA__)
        DIRECT(3)
        DIRECT(4)
        DIRECT(5)
        DIRECT(6)
#else
        DIRECT(2)
        DIRECT(3)
        DIRECT(4)
#endif
    }
}
#undef DIRECT

#endif
