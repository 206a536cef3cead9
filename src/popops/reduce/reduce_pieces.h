/* SPDX-License-Identifier: Apache-2.0 */
/* Divides runs of the flattened input into pieces, and groups pieces into tasks. */
#ifndef POPOPS_REDUCE_REDUCE_PIECES_H
#define POPOPS_REDUCE_REDUCE_PIECES_H

#include "popops/reduce/reduce_parts.h"

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

#endif
