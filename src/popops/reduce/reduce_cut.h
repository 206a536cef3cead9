/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of a tile whose elements workers share: parts of them first, then, without an exchange, what joins the parts.
 */
#ifndef POPOPS_REDUCE_REDUCE_CUT_H
#define POPOPS_REDUCE_REDUCE_CUT_H

#include "popops/reduce/reduce_parts.h"

/* Tasks of a tile, some of which are cut. */
struct reduce_cut {
    struct tasks whole;               /* those that are not, in their own pieces */
    struct tasks cut, joined;         /* parts of the others; what joins them in a second set */
    struct reduce_pieces parts, rows; /* their pieces */
};
/* Where parts leave their results, and the set that joins them. */
struct reduce_join {
    pop_compute_set set;
    pop_tensor partials; /* flat */
    pop_type type;
};

/* In how many columns of at most grain outputs a task is cut; 0: it cannot be. */
size_t reduce_cut_columns(const struct task *task, const struct reduce_pieces *pieces, size_t grain);
/* Cuts tasks of several parts, grain columns at a time; what parts leave goes to *place and on, which is moved.  cut is
 * empty before. */
void reduce_cut_tasks(const struct tasks *tasks, const struct reduce_pieces *pieces, size_t grain, size_t *place,
                      struct reduce_cut *cut);
/* Adds the vertices of a stage's tasks on a tile, in its set and in join's. */
void reduce_connect_cut(const struct reduction *r, const struct reduce_stage *stage, const struct reduce_join *join,
                        unsigned tile, const struct reduce_cut *cut, const struct reduce_pieces *pieces);
void reduce_cut_free(struct reduce_cut *cut);

#endif
