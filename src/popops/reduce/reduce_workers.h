/* SPDX-License-Identifier: Apache-2.0 */
/* How workers divide a tile's work (docs/reference/reductions.md). */
#ifndef POPOPS_REDUCE_REDUCE_WORKERS_H
#define POPOPS_REDUCE_REDUCE_WORKERS_H

#include "popops/reduce/reduce_parts.h"

/* The number of workers that share a tile's tasks; on a CPU device, whose threads share them, a constant. */
unsigned reduce_workers(const pop_target *target);
/* Sets the number of workers for each task, in proportion to its elements; at least one. */
void reduce_allot(const struct tasks *tasks, unsigned workers, size_t *parts);
/* The number of outputs that a vertex processes at a time: two vectors of partials for sums, otherwise one. */
size_t reduce_grain(const pop_target *target, popops_operation op, pop_type partials);
/* Cost, in vectors, of `outputs` outputs with depth elements each, divided into parts that run at the same time;
 * includes the overhead of starting. */
size_t reduce_cost(size_t outputs, size_t depth, size_t grain, size_t parts);
/* Sets the number of parts of each task: more than one if workers would be idle otherwise. */
void reduce_find_parts(const struct reduction *r, popops_operation op, pop_type partials, struct tasks *tasks,
                       const struct reduce_pieces *pieces);

#endif
