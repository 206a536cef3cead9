/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over the runs of a list of pieces, so that two lists can be walked in parallel. */
#ifndef COMPILER_COMMON_RUNS_H
#define COMPILER_COMMON_RUNS_H

#include "graph/view.h"

struct run_cursor {
    struct run run; /* the rest of the current run; count 0 at the end */
    const struct piece *pieces;
    size_t count, at;
    uint64_t done; /* runs of the current piece already returned */
};
void run_cursor_begin(struct run_cursor *cursor, const struct piece *pieces, size_t count);
/* Drops elements from the front; no more than the current run has. */
void run_cursor_skip(struct run_cursor *cursor, uint64_t elements);

/* The elements [*begin, *end) of its variable that a piece spans. */
void piece_span(const struct piece *piece, uint64_t *begin, uint64_t *end);
/* Conservative: true only if extents and strides show that no element is in the pieces twice. */
bool pieces_distinct(const struct piece *pieces, size_t count);

#endif
