/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that the graph and the vertices of a host's matrix product share: panels and blocks of the packed operand B,
 * and the maximum rows of A of a kernel on any machine. */
#ifndef POPLIN_HOST_HOST_GEMM_SHAPE_H
#define POPLIN_HOST_HOST_GEMM_SHAPE_H

#include <stddef.h>

enum { GEMM_PANEL = 32, GEMM_DEPTH = 512, GEMM_STRIP = 14 };

static inline size_t gemm_min(size_t a, size_t b)
{
    return a < b ? a : b;
}
static inline size_t gemm_ceil_div(size_t a, size_t b)
{
    return (a + b - 1) / b;
}
/* Panels of B, and rows of B in a block, all nearly equal. */
static inline size_t gemm_panels_of(size_t columns)
{
    return gemm_ceil_div(columns, GEMM_PANEL);
}
static inline size_t gemm_block_of(size_t depth)
{
    return gemm_ceil_div(depth, gemm_ceil_div(depth, GEMM_DEPTH));
}

#endif
