/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a list of pieces, one at a time: for walking two lists side by side. */
#ifndef COMPILER_COMMON_RUNS_H
#define COMPILER_COMMON_RUNS_H

#include "graph/view.h"

struct run_cursor {
    struct run run; /* what is left of the current run; count 0 at the end */
    const struct piece *pieces;
    size_t count, at;
    uint64_t done; /* runs of the current piece */
};
void run_cursor_begin(struct run_cursor *cursor, const struct piece *pieces, size_t count);
/* Drops elements from the front; no more than the current run has. */
void run_cursor_skip(struct run_cursor *cursor, uint64_t elements);

/* The elements [*begin, *end) of its variable that a piece spans. */
void piece_span(const struct piece *piece, uint64_t *begin, uint64_t *end);
/* Whether it is plain that no element is in the pieces twice; false where that would take more than a look at their
 * digits. */
bool pieces_distinct(const struct piece *pieces, size_t count);

#endif
