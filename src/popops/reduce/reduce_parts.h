/* SPDX-License-Identifier: Apache-2.0 */
/* How a reduction is built.
 *
 * The input is flattened, with its dimensions in the order of memory; the outputs are the kept dimensions, flattened in
 * the same order (reduce_view.c).  The elements on each tile are divided into pieces, contiguous runs with a regular
 * pattern; pieces of the same outputs form a task (reduce_pieces.c); tasks are distributed over workers
 * (reduce_connect.c).  A stage results in rows of partial results, which the next stage collects (reduce_gather.c). */
#ifndef POPOPS_REDUCE_REDUCE_PARTS_H
#define POPOPS_REDUCE_REDUCE_PARTS_H

#include "poplibs/call.h"

#include <popops/reduce.h>

enum { REDUCE_MAX_DIMS = 32 };

/* Outputs [k, k + n) in blocks of width outputs.  A block has `rows` rows of width * inner elements, stride apart, and
 * begins at offset `at` of its source.  With more than one block, stride is width * inner and the blocks are
 * contiguous. */
struct reduce_piece {
    size_t k, n, at;
    size_t width, rows, inner, stride;
    unsigned source; /* 0: the input, 1: the partials of the stage before */
    size_t run;      /* pieces with the same number are parts of one contiguous run; 0: of no run */
};
struct reduce_pieces {
    struct reduce_piece *list;
    size_t count, capacity;
};
/* The number of elements for each output. */
static inline size_t piece_depth(const struct reduce_piece *p)
{
    return p->rows * p->inner;
}

/* Outputs [k, k + n) reduced from pieces that cover exactly these; the results are at offset `at` of the stage's
 * output. */
struct task {
    size_t k, n, at;
    size_t first, count; /* the range of its pieces */
    size_t depth;        /* elements for each output */
    size_t parts;        /* number of parts among which workers divide these; 0 or 1: one worker reduces them all */
    size_t grain;        /* each part's elements of an output are a multiple of it; 0: any */
    /* Two steps: its only piece is reduced as rows of `wide` columns first, which are shared out in `splits` equal
     * ranges, and outputs from these columns (reduce_cut.c); 0: one step. */
    size_t wide, splits;
    bool whole; /* its outputs are not shared out */
};
struct tasks {
    struct task *list;
    size_t count, capacity;
};

/* A row of partial results: one for each of the outputs [k, k + n), from offset `at` of a source. */
struct partial_row {
    size_t k, n, at;
    unsigned source;
};
struct partial_rows {
    struct partial_row *list;
    size_t count, capacity;
};

struct reduction {
    const struct call *call;
    const pop_target *target;
    const char *name;
    popops_compute_sets *sets;
    size_t next_set; /* index in sets */

    popops_operation op;
    bool update;
    pop_tensor scale;                                     /* null: no factor */
    pop_type in_type, out_type, tile_type, exchange_type; /* of partials within a tile, and between tiles */

    pop_tensor in, out; /* flat */
    bool out_mapped;
    size_t outputs, factor;
    unsigned rank; /* dimensions alternate between kept and reduced, outermost first */
    size_t extent[REDUCE_MAX_DIMS];
    bool kept[REDUCE_MAX_DIMS];
};

/* The properties that a stage's vertices share. */
struct reduce_stage {
    pop_compute_set set;
    popops_operation op;
    pop_type in, out;
    pop_tensor sources[2], output; /* flat */
    bool last;                     /* it applies scale and update */
    bool rows;                     /* pieces are rows of partial results, which a vertex takes as one region */
};

#endif
