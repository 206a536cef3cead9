/* SPDX-License-Identifier: Apache-2.0 */
/* How workers share what a tile has to reduce (docs/reference/reductions.md). */
#ifndef POPOPS_REDUCE_REDUCE_WORKERS_H
#define POPOPS_REDUCE_REDUCE_WORKERS_H

#include "popops/reduce/reduce_parts.h"

/* Workers that share the tasks of a tile; on a CPU device, whose threads share them, a fixed number. */
unsigned reduce_workers(const pop_target *target);
/* How many workers each task gets, by its elements; at least one. */
void reduce_allot(const struct tasks *tasks, unsigned workers, size_t *parts);
/* Outputs that a vertex takes at a time: two vectors of partials for sums, else one. */
size_t reduce_grain(const pop_target *target, popops_operation op, pop_type partials);
/* Vectors that `outputs` with so many elements each take, in parts that run side by side, with what starts them. */
size_t reduce_cost(size_t outputs, size_t depth, size_t grain, size_t parts);
/* Sets in how many parts workers take each task: more than one where workers would have nothing else. */
void reduce_find_parts(const struct reduction *r, popops_operation op, pop_type partials, struct tasks *tasks,
                       const struct reduce_pieces *pieces);

#endif
