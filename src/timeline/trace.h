/* SPDX-License-Identifier: Apache-2.0 */
/* The record of what an engine has run, as runs of consecutive ops and repeated blocks. Loop iterations along the same
 * path are one block with a count, and so are consecutive equal runs, or short cycles of runs; the record grows with
 * the number of distinct paths, not with iterations. */
#ifndef TIMELINE_TRACE_H
#define TIMELINE_TRACE_H

#include "timeline/costs.h"

/* times == 0: the ops [first, first + count) ran, one after another; with TRACE_COUNTED in count, the op `first` ran,
 * and its set took what the rest of count is the index of in costs.  Otherwise a block: the next count entries, times
 * over; count 0 marks a block that did not end: its contents follow in line. */
#define TRACE_COUNTED 0x80000000u
struct trace_entry {
    uint32_t first, count;
    uint64_t times;
};
/* Of an entry that is no block. */
static inline uint32_t trace_ops(const struct trace_entry *entry)
{
    return entry->count & TRACE_COUNTED ? 1 : entry->count;
}
static inline bool trace_is_counted(const struct trace_entry *entry)
{
    return !entry->times && entry->count & TRACE_COUNTED;
}
/* The first of a block: an iteration, or a whole run (which begins with the steps of model.entry). */
enum trace_block { TRACE_ITERATION = 0, TRACE_RUN = 1 };

/* A loop in progress: where it starts, at which depth of calls, the block of its current iteration and of the one
 * before. */
struct trace_loop {
    uint32_t head, depth;
    size_t open, before;
};

struct trace {
    VEC(struct trace_entry) entries;
    VEC(struct trace_loop) loops;
    VEC(size_t) tops;     /* blocks of runs, and of runs that take turns, that have ended */
    uint32_t from;        /* first op of the current range of consecutive ops */
    size_t run, last_run; /* blocks of the run in progress and of the one before */
    uint32_t hot_at,
        hot_next; /* a jump that would only count: the loop whose iterations have been one and the same stretch */
    uint64_t *hot_times;            /* NULL: none */
    const struct step_costs *costs; /* that counted ops refer to; NULL: there are none */
    bool running;
    bool full; /* it has TRACE_MAX entries: nothing more is recorded */
};
enum { TRACE_MAX = 1 << 26 }; /* entries: a gigabyte */

void trace_reset(struct trace *trace);
void trace_free(struct trace *trace);
/* A run starts at an op, and ends before the op at `end`. */
void trace_begin(struct trace *trace, uint32_t op);
void trace_end(struct trace *trace, uint32_t end);
/* Empties the record within a run: what follows is recorded as if the run began with the op at `at`, without the steps
 * of model.entry. */
void trace_restart(struct trace *trace, uint32_t at);
/* Between these two calls, from a run, the trace holds what ran before the op at `end`; resume takes what suspend gave.
 */
size_t trace_suspend(struct trace *trace, uint32_t end);
void trace_resume(struct trace *trace, size_t entries);
/* After the op at `at` the run goes on at next != at + 1, inside so many calls.  iteration: the jump goes back to a
 * loop's first op. */
void trace_jump(struct trace *trace, uint32_t at, uint32_t next, uint32_t depth, bool iteration);
/* The op at `at`, which is running, takes costs->list[cost]. */
void trace_counted(struct trace *trace, uint32_t at, uint32_t cost);
/* Whether that was all: the last iteration again. */
static inline bool trace_again(struct trace *trace, uint32_t at, uint32_t next)
{
    if (!trace->hot_times || at != trace->hot_at || next != trace->hot_next)
        return false;
    ++*trace->hot_times;
    return true;
}
/* Adds to counts[op] how often each op ran. */
void trace_count(const struct trace *trace, uint64_t *counts);

#endif
