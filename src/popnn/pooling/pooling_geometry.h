/* SPDX-License-Identifier: Apache-2.0 */
/* The geometry of a pooling vertex's part as a list of ints, and its cycles. Shared by the codelets, their
 * estimators and the planner. */
#ifndef POPNN_POOLING_POOLING_GEOMETRY_H
#define POPNN_POOLING_POOLING_GEOMETRY_H

#include <stdbool.h>
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

static inline int pool_min(int a, int b)
{
    return a < b ? a : b;
}
static inline int pool_max(int a, int b)
{
    return a > b ? a : b;
}
/* Number of elements of an output element's window outside the padding. */
static inline int pool_covered(const struct pool_dim *d, int out)
{
    int begin = out * d->stride - d->padding;
    return pool_max(pool_min(begin + d->kernel, d->field) - pool_max(begin, 0), 0);
}
/* Rounds up; b > 0. */
static inline int pool_ceil_div(int a, int b)
{
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}
/* Increments a position, last dimension first; false after the last position. */
static inline bool pool_next_place(int *place, const int *sizes, int dims)
{
    while (dims-- > 0) {
        if (++place[dims] < sizes[dims])
            return true;
        place[dims] = 0;
    }
    return false;
}

/* The row for a position in the outer dimensions and a position in the window, in elements of the innermost
 * dimension; -1: none. Forward: a row of the input, otherwise of the output. */
static inline int pool_row_of(const struct pool_part *p, const int *place, const int *window, bool forward)
{
    int row = 0;
    for (int i = 0; i + 1 < p->dims; ++i) {
        const struct pool_dim *d = &p->dim[i];
        int at;
        if (forward) {
            at = (d->out_begin + place[i]) * d->stride - d->padding + window[i] - d->in_begin;
            if (at < 0 || at >= d->in_size)
                return -1;
            row = row * d->in_size + at;
        } else {
            int from = d->in_begin + place[i] + d->padding - window[i];
            at = from / d->stride - d->out_begin;
            if (from < 0 || from % d->stride || at < 0 || at >= d->out_size)
                return -1;
            row = row * d->out_size + at;
        }
    }
    return row;
}
struct pool_walk {
    int rows, in_rows, windows, sizes[6], kernel[6];
};
static inline struct pool_walk pool_walk_of(const struct pool_part *p, bool forward)
{
    struct pool_walk w = { 1, 1, 1, { 0 }, { 0 } };
    for (int i = 0; i + 1 < p->dims; ++i) {
        w.sizes[i] = forward ? p->dim[i].out_size : p->dim[i].in_size;
        w.kernel[i] = p->dim[i].kernel;
        w.rows *= p->dim[i].out_size;
        w.in_rows *= p->dim[i].in_size;
        w.windows *= p->dim[i].kernel;
    }
    return w;
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

/* Cycles of work lists (poplibs' estimators of 2021): of a worker, besides its rows; of having rows; of a row; of an
 * item of n + 1 elements. */
struct pool_share {
    enum pool_kind kind;
    uint64_t groups, vectors;
};
enum { POOL_SUPERVISOR_CYCLES = 13, POOL_ROW_CYCLES = 15 };
static inline uint64_t pool_share_cycles(const struct pool_share *s, uint64_t init)
{
    return 17 + 2 + (4 + init) * s->groups + 6 + 2 + 1;
}
static inline uint64_t pool_rows_cycles(const struct pool_share *s)
{
    return 2 + (s->kind == POOL_MAX ? 1 : 2) + (s->kind == POOL_BACKWARD ? 6 + 2 + 2 : 0) + 6 + 2 * 2;
}
static inline uint64_t pool_item_cycles(const struct pool_share *s, uint64_t n)
{
    uint64_t group = 2 + (s->kind == POOL_BACKWARD ? 6 : 0) + s->vectors * (3 + pool_loop_cycles(s->kind, n));
    return 23 + s->groups * group + 4 * (s->groups - 1);
}

/* Tile cycles of work lists, before these exist: all rows have an item for each of `window` positions. */
static inline uint64_t pool_list_cycles(const struct pool_share *s, uint64_t rows, uint64_t width, uint64_t window,
                                        uint64_t apart, uint64_t workers)
{
    uint64_t slowest = 0, elements = rows * width;
    for (uint64_t worker = 0; worker < workers; ++worker) {
        uint64_t begin = worker * elements / workers, end = (worker + 1) * elements / workers, length;
        uint64_t cycles = pool_share_cycles(s, (elements * s->vectors + workers - 1) / workers);
        cycles += begin < end ? pool_rows_cycles(s) : 0;
        for (; begin < end; begin += length) {
            length = width - begin % width < end - begin ? width - begin % width : end - begin;
            cycles += POOL_ROW_CYCLES + window * pool_item_cycles(s, (length + apart - 1) / apart - 1);
        }
        slowest = cycles > slowest ? cycles : slowest;
    }
    return POOL_SUPERVISOR_CYCLES + workers * slowest;
}

#endif
