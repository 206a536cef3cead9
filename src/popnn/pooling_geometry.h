/* SPDX-License-Identifier: Apache-2.0 */
/* The geometry of a pooling vertex's part as a list of ints, and its cycles. Shared by the codelets, their
 * estimators and the planner. */
#ifndef POPNN_POOLING_GEOMETRY_H
#define POPNN_POOLING_GEOMETRY_H

#include <stddef.h>
#include <stdint.h>

/* A dimension of the field: the vertex's part of output and input, and the window. */
struct pool_dim {
    int out_begin, out_size, in_begin, in_size;
    int kernel, stride, padding, field;
};
/* Data is {groups, batch, field..., channels} for output and input alike. */
struct pool_part {
    int groups, batch, channels, dims;
    struct pool_dim dim[6];
};
enum { POOL_PART_INTS = 4, POOL_DIM_INTS = 8 };

static inline size_t pool_ints(int dims)
{
    return POOL_PART_INTS + POOL_DIM_INTS * (size_t)dims;
}

/* Cycles of an inner loop over n vectors of channels (Poplibs 1.2's estimators). */
enum pool_kind { POOL_MAX, POOL_SUM, POOL_BACKWARD };
static inline uint64_t pool_loop_cycles(enum pool_kind kind, uint64_t n)
{
    return kind == POOL_MAX ? 4 + 3 * n : kind == POOL_SUM ? 5 + 3 * n : 7 + 5 * n;
}

/* Tile cycles. Workers share the rows of the output, split into the number of pieces with the lowest cycles: 20 plus
 * a vector per cycle for initialisation, 13 for each piece, and for each element of the window a work item: 20 +
 * groups (9 + vectors (3 + loop)). */
static inline uint64_t pool_cycles(enum pool_kind kind, uint64_t groups, uint64_t vectors, uint64_t rows,
                                   uint64_t width, uint64_t window, uint64_t workers)
{
    uint64_t fastest = 0;
    for (uint64_t pieces = 1; pieces == 1 || (pieces <= workers && pieces <= width); ++pieces) {
        uint64_t n = (width + pieces - 1) / pieces, share = (rows * pieces + workers - 1) / workers;
        uint64_t item = 20 + groups * (9 + vectors * (3 + pool_loop_cycles(kind, n)));
        uint64_t worker = 20 + share * (13 + n * groups * vectors + window * item);
        if (pieces == 1 || worker < fastest)
            fastest = worker;
    }
    return 7 + workers * fastest + 6;
}

#endif
