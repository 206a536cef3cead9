/* SPDX-License-Identifier: Apache-2.0 */
/* How a reduction is built.
 *
 * The input is seen flat, its dimensions ordered as memory has them; the outputs are the kept dimensions, flat in the
 * same order (reduce_view.c).  What a tile holds of the input is cut into pieces, contiguous runs with a regular
 * pattern; pieces of the same outputs make a task (reduce_pieces.c); tasks are shared out to workers
 * (reduce_connect.c).  What a stage leaves are rows of partial results, which the next stage collects
 * (reduce_stages.c). */
#ifndef POPOPS_REDUCE_PARTS_H
#define POPOPS_REDUCE_PARTS_H

#include "poplibs/support.h"

#include <popops/reduce.h>

enum { REDUCE_MOST_DIMS = 32, REDUCE_CPU_PARTS = 64 };

/* Outputs [k, k + n) in blocks of width outputs; a block has rows of width * inner elements, stride apart, from place
 * at of a source on.  Where there is more than one block, stride is width * inner and blocks follow each other. */
struct piece {
    size_t k, n, at;
    size_t width, rows, inner, stride;
    unsigned source; /* 0: the input, 1: partials of the stage before */
    size_t run;      /* pieces of one number are parts of one contiguous run; 0: of none */
};
struct pieces {
    struct piece *list;
    size_t count, capacity;
};
static inline void pieces_push(struct pieces *pieces, struct piece piece)
{
    if (pieces->count == pieces->capacity) {
        pieces->capacity = 2 * pieces->capacity + 16;
        pieces->list = poplibs_resize(pieces->list, pieces->capacity, sizeof(*pieces->list));
    }
    pieces->list[pieces->count++] = piece;
}
/* Elements for each output. */
static inline size_t piece_depth(const struct piece *p)
{
    return p->rows * p->inner;
}

/* Outputs [k, k + n) from pieces that have just these; they go to place at of the stage's output. */
struct task {
    size_t k, n, at;
    size_t first, count; /* of the pieces */
    size_t depth;        /* elements for each output */
    size_t parts;        /* in which workers take these; 0 or 1: one takes them all */
};
struct tasks {
    struct task *list;
    size_t count, capacity;
};
static inline void tasks_push(struct tasks *tasks, struct task task)
{
    if (tasks->count == tasks->capacity) {
        tasks->capacity = 2 * tasks->capacity + 16;
        tasks->list = poplibs_resize(tasks->list, tasks->capacity, sizeof(*tasks->list));
    }
    tasks->list[tasks->count++] = task;
}

/* A row of partial results: one for each of the outputs [k, k + n), from place at of a source on. */
struct partial_row {
    size_t k, n, at;
    unsigned source;
};
struct partial_rows {
    struct partial_row *list;
    size_t count, capacity;
};
static inline void partial_rows_push(struct partial_rows *rows, struct partial_row row)
{
    if (rows->count == rows->capacity) {
        rows->capacity = 2 * rows->capacity + 64;
        rows->list = poplibs_resize(rows->list, rows->capacity, sizeof(*rows->list));
    }
    rows->list[rows->count++] = row;
}

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
    size_t extent[REDUCE_MOST_DIMS];
    bool kept[REDUCE_MOST_DIMS];
};

/* What a stage's vertices have in common. */
struct reduce_stage {
    pop_compute_set set;
    popops_operation op;
    pop_type in, out;
    pop_tensor sources[2], output; /* flat */
    bool last;                     /* scale and update count */
    bool rows;                     /* pieces are rows of partial results, which a vertex takes as one */
};

/* What joins partial results. */
static inline popops_operation reduce_joins(popops_operation op)
{
    return op == POPOPS_SQUARE_ADD ? POPOPS_ADD : op;
}

/* Orders dimensions: dims has rank flags.  Fills in (flat), outputs, factor, rank, extent, kept.  *out is the output as
 * the caller has it; null: it becomes a new, unmapped variable. */
bool reduce_view(struct reduction *r, pop_tensor in, const bool *reduced, pop_tensor *out, const char *name);

/* The pieces of intervals [begin, end) of the flat input, each one run in memory. */
void reduce_pieces_of(const struct reduction *r, size_t begin, size_t end, struct pieces *pieces);
/* Makes tasks of pieces, which it sorts, cuts where their outputs overlap, and joins where they then go on regularly.
 */
void reduce_tasks_of(struct pieces *pieces, struct tasks *tasks);
/* Outputs [k, k + n) of a piece; only at multiples of its width where it has several blocks. */
struct piece reduce_part(const struct piece *p, size_t k, size_t n);
/* The same, or outputs within one block. */
struct piece reduce_part_within(const struct piece *p, size_t k, size_t n);

/* Cuts a task, whose pieces are in from, in parts of about equal depth. */
void reduce_split_task(const struct task *task, const struct pieces *from, size_t parts, struct pieces *pieces,
                       struct tasks *tasks);

/* Workers that share the tasks of a tile; on a CPU device, whose threads share them, a fixed number. */
unsigned reduce_workers(const pop_target *target);
/* How many workers each task gets, by its elements; at least one. */
void reduce_allot(const struct tasks *tasks, unsigned workers, size_t *parts);
/* Adds the vertices of a tile's tasks. */
void reduce_connect(const struct reduction *r, const struct reduce_stage *stage, unsigned tile,
                    const struct tasks *tasks, const struct pieces *pieces);

/* Tasks of a tile, some of which are cut. */
struct reduce_cut {
    struct tasks whole;        /* those that are not, in their own pieces */
    struct tasks cut, joined;  /* parts of the others; what joins them in a second set */
    struct pieces parts, rows; /* their pieces */
};
/* Where parts leave their results, and the set that joins them. */
struct reduce_join {
    pop_compute_set set;
    pop_tensor partials; /* flat */
    pop_type type;
};
/* In how many columns of at most grain outputs a task is cut; 0: it cannot be. */
size_t reduce_cut_columns(const struct task *task, const struct pieces *pieces, size_t grain);
/* Cuts tasks of several parts, grain columns at a time; what parts leave goes to *place and on, which is moved.  cut is
 * empty before. */
void reduce_cut_tasks(const struct tasks *tasks, const struct pieces *pieces, size_t grain, size_t *place,
                      struct reduce_cut *cut);
/* Adds the vertices of a stage's tasks on a tile, in its set and in join's. */
void reduce_connect_cut(const struct reduction *r, const struct reduce_stage *stage, const struct reduce_join *join,
                        unsigned tile, const struct reduce_cut *cut, const struct pieces *pieces);
void reduce_cut_free(struct reduce_cut *cut);

/* The next of the compute sets; the name is added to the reduction's. */
pop_compute_set reduce_next_set(struct reduction *r, const char *name);
/* Collects rows of partial results, of a type, by one stage or more; source 1 of the rows is partials, which may be
 * null.  number counts intermediate stages. */
void reduce_gather(struct reduction *r, const struct partial_rows *rows, pop_tensor partials, pop_type type,
                   popops_operation op, unsigned number);
/* Builds all stages. */
void reduce_stages(struct reduction *r);

#endif
