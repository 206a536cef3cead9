/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for reductions: checks the arguments and builds the stages (reduce_parts.h). */
#ifndef POPOPS_REDUCE_REDUCE_H
#define POPOPS_REDUCE_REDUCE_H

#include "popops/reduce/reduce_parts.h"

/* The next of the compute sets; `name` is appended to the reduction's name. */
pop_compute_set reduce_next_set(struct reduction *r, const char *name);

/* reduce_first_stage.c: the first stage: each tile reduces its own elements. */

/* Builds all stages of a reduction. */
void reduce_stages(struct reduction *r);

/* reduce_gather.c: stages that exchange: outputs are distributed over tiles, each of which collects the rows of its
 * outputs. */

/* Reduces rows of partial results of a type, in one stage or several.  Source 1 of the rows is `partials`, which may be
 * null. number is the index of the next intermediate stage. */
void reduce_gather(struct reduction *r, const struct partial_rows *rows, pop_tensor partials, pop_type type,
                   popops_operation op, unsigned number);

/* reduce_connect.c: distributes a tile's tasks over its workers and adds their vertices: a specialised vertex if a
 * worker's share is one regular piece, otherwise the general vertex. */

/* Adds the vertices of a tile's tasks. */
void reduce_connect(const struct reduction *r, const struct reduce_stage *stage, unsigned tile,
                    const struct tasks *tasks, const struct reduce_pieces *pieces);

/* reduce_pieces.c: divides runs of the flattened input into pieces, and groups pieces into tasks. */

/* Adds the pieces of interval [begin, end) of the flattened input, one contiguous run of memory. */
void reduce_pieces_of(const struct reduction *r, size_t begin, size_t end, struct reduce_pieces *pieces);
/* Groups pieces into tasks.  Sorts the pieces, divides them where their outputs overlap partly, and joins them where
 * they then continue regularly. */
void reduce_tasks_of(struct reduce_pieces *pieces, struct tasks *tasks);
/* Outputs [k, k + n) of a piece; multiples of its width if it has several blocks. */
struct reduce_piece reduce_part(const struct reduce_piece *p, size_t k, size_t n);
/* Outputs [k, k + n) of a piece, also within one block. */
struct reduce_piece reduce_part_within(const struct reduce_piece *p, size_t k, size_t n);
/* Divides a task, whose pieces are in `from`, into parts of about equal depth, multiples of its grain except for the
 * last. */
void reduce_split_task(const struct task *task, const struct reduce_pieces *from, size_t parts,
                       struct reduce_pieces *pieces, struct tasks *tasks);

/* reduce_view.c: views the input of a reduction in the order of memory: the result does not depend on the order of
 * its dimensions. */

/* Orders the dimensions; reduced has one flag for each.  Sets in (flattened), outputs, factor, rank, extent and kept.
 * *out is the caller's output; if it is null, it becomes a new unmapped variable. */
bool reduce_view(struct reduction *r, pop_tensor in, const bool *reduced, pop_tensor *out, const char *name);

/* reduce_workers.c: how workers divide a tile's work (docs/reference/reductions.md). */

/* The number of workers that share a tile's tasks; on a CPU device, whose threads share them, a constant. */
unsigned reduce_workers(const pop_target *target);
/* Sets the number of workers for each task, in proportion to its elements; at least one. */
void reduce_allot(const struct tasks *tasks, unsigned workers, size_t *parts);
/* The number of outputs that a vertex processes at a time: two vectors of partials for sums, otherwise one. */
size_t reduce_grain(const pop_target *target, popops_operation op, pop_type partials);
/* Cost, in vectors, of `outputs` outputs with depth elements each, divided into parts that run at the same time;
 * includes the overhead of starting. */
size_t reduce_cost(size_t outputs, size_t depth, size_t grain, size_t parts);
/* Sets the number of parts of each task: more than one if workers would be idle otherwise.  out: the type of the tile's
 * outputs, by which Poplibs counts the cost of a part. */
void reduce_find_parts(const struct reduction *r, popops_operation op, pop_type partials, pop_type out,
                       struct tasks *tasks, const struct reduce_pieces *pieces);

#endif
