/* SPDX-License-Identifier: Apache-2.0 */
/* How a reduction is built.
 *
 * The input is seen flat, its dimensions ordered as memory has them; the outputs are the kept dimensions, flat in the
 * same order (reduce_view.c).  What a tile holds of the input is cut into pieces, contiguous runs with a regular
 * pattern; pieces of the same outputs make a task (reduce_pieces.c); tasks are shared out to workers
 * (reduce_connect.c).  What a stage leaves are rows of partial results, which the next stage collects
 * (reduce_stages.c). */
#ifndef POPOPS_REDUCE_REDUCE_PARTS_H
#define POPOPS_REDUCE_REDUCE_PARTS_H

#include "poplibs/support.h"

#include <popops/reduce.h>

enum { REDUCE_MAX_DIMS = 32, REDUCE_CPU_PARTS = 64 };

/* Outputs [k, k + n) in blocks of width outputs; a block has rows of width * inner elements, stride apart, from place
 * at of a source on.  Where there is more than one block, stride is width * inner and blocks follow each other. */
struct reduce_piece {
    size_t k, n, at;
    size_t width, rows, inner, stride;
    unsigned source; /* 0: the input, 1: partials of the stage before */
    size_t run;      /* pieces of one number are parts of one contiguous run; 0: of none */
};
struct reduce_pieces {
    struct reduce_piece *list;
    size_t count, capacity;
};
/* Elements for each output. */
static inline size_t piece_depth(const struct reduce_piece *p)
{
    return p->rows * p->inner;
}

/* Outputs [k, k + n) from pieces that have just these; they go to place at of the stage's output. */
struct task {
    size_t k, n, at;
    size_t first, count; /* of the pieces */
    size_t depth;        /* elements for each output */
    size_t parts;        /* in which workers take these; 0 or 1: one takes them all */
    size_t grain;        /* of a part's elements for each output; 0: any */
};
struct tasks {
    struct task *list;
    size_t count, capacity;
};

/* A row of partial results: one for each of the outputs [k, k + n), from place at of a source on. */
struct partial_row {
    size_t k, n, at;
    unsigned source;
};
struct partial_rows {
    struct partial_row *list;
    size_t count, capacity;
};

struct reduction {
    pop_where where;
    pop_graph *graph;
    const pop_target *target;
    const char *name;
    popops_compute_sets *sets;
    size_t next_set; /* of sets */

    popops_operation op;
    bool update;
    pop_tensor scale;                                     /* null: none */
    pop_type in_type, out_type, tile_type, exchange_type; /* of partials within a tile, and between tiles */

    pop_tensor in, out; /* flat */
    bool out_mapped;
    size_t outputs, factor;
    unsigned rank; /* kept and reduced dimensions by turns, the outermost first */
    size_t extent[REDUCE_MAX_DIMS];
    bool kept[REDUCE_MAX_DIMS];
};

/* What a stage's vertices have in common. */
struct reduce_stage {
    pop_compute_set set;
    popops_operation op;
    pop_type in, out;
    pop_tensor sources[2], output; /* flat */
    bool last;                     /* scale and update count */
    bool collects;                 /* rows of other tiles, for a stage that follows: the general vertex takes them */
    bool rows;                     /* pieces are rows of partial results, which a vertex takes as one */
};

/* What joins partial results. */
static inline popops_operation reduce_joins(popops_operation op)
{
    return op == POPOPS_SQUARE_ADD ? POPOPS_ADD : op;
}

#endif
