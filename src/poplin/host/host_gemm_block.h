/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on the host: rows of A, strip by strip, by a packed block of B. */
#ifndef POPLIN_HOST_HOST_GEMM_BLOCK_H
#define POPLIN_HOST_HOST_GEMM_BLOCK_H

#include "poplin/host/host_gemm_direct.h"

/* Memory that is fetched to the second cache during a multiplication of a B that fits there: cache lines from `from` on
 * of `rows` rows, `stride` bytes apart. */
struct gemm_later {
    const void *from;
    size_t rows, stride, lines;
};
/* Multiplies `rows` rows, strip by strip of A, by `columns` columns of the block of B that begins at b. */
struct gemm_strips {
    size_t rows, depth, columns;
    const float *a, *b;
    float *const *lines;
    bool add;
    float scale;
    struct gemm_later later;          /* rows may be 0 */
    const struct gemm_direct *direct; /* one for each strip, or NULL: those with pieces are not in `a` */
};
/* What tile number `tile` fetches with every second of its rows: a line of as many rows as it can. */
static void fetch_later(const struct gemm_strips *block, size_t tile, struct gemm_next *next)
{
    const struct gemm_later *later = &block->later;
    size_t row = later->lines ? tile / later->lines * (block->depth / 2) : 0;
    if (row >= later->rows)
        return;
    next->later = (const float *)(const void *)((const char *)later->from + row * later->stride) +
                  tile % later->lines * (64 / sizeof(float));
    next->step = later->stride / sizeof(float);
}
static void multiply_strips(const struct gemm_strips *block)
{
    size_t rows = block->rows, depth = block->depth, columns = block->columns, strips = strips_of(rows), tile = 0;
    size_t step = columns * depth > FITS ? (2 * GEMM_PANEL + strips - 1) / strips : 0;
    const float *b = block->b;
    struct gemm_out out = { .add = block->add, .scale = block->scale };
    for (size_t c = 0; c < columns; c += GEMM_PANEL, b += GEMM_PANEL * depth)
        for (size_t wide = 0; wide < GEMM_PANEL && c + wide < columns; wide += WIDE)
            for (size_t s = 0; s < strips; ++s, ++tile) {
                size_t begin = rows * s / strips, end = rows * (s + 1) / strips;
                const float *right = b + wide,
                            *after = wide + WIDE < GEMM_PANEL ? right + WIDE : b + GEMM_PANEL * depth;
                struct gemm_next next = { s + 1 < strips ? right : after, b + (GEMM_PANEL + s * step / 2) * depth,
                                          step };
                if (!step)
                    fetch_later(block, tile, &next);
                out.rows = block->lines + begin;
                out.at = c + wide;
                out.columns = columns - c - wide;
                if (block->direct && block->direct[s].count)
                    direct_kernel(end - begin, &block->direct[s], right, &next, &out);
                else
                    kernel(end - begin, depth, block->a + begin * depth, right, &next, &out);
            }
}

#endif
