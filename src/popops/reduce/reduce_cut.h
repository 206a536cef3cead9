/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks whose elements are divided among a tile's workers: a first step reduces the parts, and a second one, without an
 * exchange, combines their results. */
#ifndef POPOPS_REDUCE_REDUCE_CUT_H
#define POPOPS_REDUCE_REDUCE_CUT_H

#include "popops/reduce/reduce_parts.h"

/* A tile's tasks, some of which are divided. */
struct reduce_cut {
    struct tasks whole;               /* undivided tasks, with their original pieces */
    struct tasks cut, joined;         /* the parts of the others; the tasks of the second step, in a second set */
    struct reduce_pieces parts, rows; /* the pieces of cut and of joined */
};
/* The partial results of parts, and the compute set that combines them. */
struct reduce_join {
    pop_compute_set set;
    pop_tensor partials; /* flat */
    pop_type type;
};

/* The number of columns of at most grain outputs of a task; 0 if it cannot be divided. */
size_t reduce_cut_columns(const struct task *task, const struct reduce_pieces *pieces, size_t grain);
/* Divides the tasks that have several parts, grain outputs at a time.  The parts' results are placed from *place on,
 * which advances.  cut must be empty. */
void reduce_cut_tasks(const struct tasks *tasks, const struct reduce_pieces *pieces, size_t grain, size_t *place,
                      struct reduce_cut *cut);
/* Adds the vertices of a tile's tasks of a stage, to the stage's set and to join's. */
void reduce_connect_cut(const struct reduction *r, const struct reduce_stage *stage, const struct reduce_join *join,
                        unsigned tile, const struct reduce_cut *cut, const struct reduce_pieces *pieces);
void reduce_cut_free(struct reduce_cut *cut);

#endif
