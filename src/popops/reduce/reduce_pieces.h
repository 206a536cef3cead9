/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the flat input as pieces, and pieces as tasks. */
#ifndef POPOPS_REDUCE_REDUCE_PIECES_H
#define POPOPS_REDUCE_REDUCE_PIECES_H

#include "popops/reduce/reduce_parts.h"

/* The pieces of intervals [begin, end) of the flat input, each one run in memory. */
void reduce_pieces_of(const struct reduction *r, size_t begin, size_t end, struct reduce_pieces *pieces);
/* Makes tasks of pieces, which it sorts, cuts where their outputs overlap, and joins where they then go on regularly.
 */
void reduce_tasks_of(struct reduce_pieces *pieces, struct tasks *tasks);
/* Outputs [k, k + n) of a piece; only at multiples of its width where it has several blocks. */
struct reduce_piece reduce_part(const struct reduce_piece *p, size_t k, size_t n);
/* The same, or outputs within one block. */
struct reduce_piece reduce_part_within(const struct reduce_piece *p, size_t k, size_t n);
/* Cuts a task, whose pieces are in from, in parts of about equal depth, multiples of its grain but for the last. */
void reduce_split_task(const struct task *task, const struct reduce_pieces *from, size_t parts,
                       struct reduce_pieces *pieces, struct tasks *tasks);

#endif
