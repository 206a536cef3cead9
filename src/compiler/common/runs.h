/* SPDX-License-Identifier: Apache-2.0 */
/* Iterates over the runs of a view, so that two views can be walked in parallel. */
#ifndef COMPILER_COMMON_RUNS_H
#define COMPILER_COMMON_RUNS_H

#include "graph/view/view.h"

#include <assert.h>

struct run_cursor {
    struct run run; /* the rest of the current run; count 0 at the end */
    const struct view *view;
    struct piece piece; /* the current one, while there are any */
    size_t at;
    uint64_t done;   /* runs of the current piece already returned */
    uint64_t row;    /* runs that follow the current one at equal steps */
    struct run next; /* the first of them */
    int64_t step;
};
void run_cursor_begin(struct run_cursor *cursor, const struct view *view);
/* The first run of the next row. */
void run_cursor_load(struct run_cursor *cursor);
static inline void run_cursor_next(struct run_cursor *cursor)
{
    if (!cursor->row) {
        run_cursor_load(cursor);
        return;
    }
    --cursor->row;
    ++cursor->done;
    cursor->run = cursor->next;
    cursor->next.offset += (uint64_t)cursor->step;
}
/* Drops elements from the front; no more than the current run has. */
static inline void run_cursor_skip(struct run_cursor *cursor, uint64_t elements)
{
    assert(elements <= cursor->run.count);
    cursor->run.offset += elements;
    cursor->run.count -= elements;
    if (!cursor->run.count)
        run_cursor_next(cursor);
}

/* The elements [*begin, *end) of its variable that a piece spans. */
void piece_span(const struct piece *piece, uint64_t *begin, uint64_t *end);
/* Conservative: true only if extents and strides show that no element is in the view twice. */
bool view_distinct(const struct view *view);

#endif
