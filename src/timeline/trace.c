/* SPDX-License-Identifier: Apache-2.0 */
/* The record of what ran.  An iteration is compared with the one before when it ends; inner loops are folded by then.
 */
#include "timeline/trace.h"

#include <assert.h>

#define NO_BLOCK SIZE_MAX
/* Loops nested deeper are recorded unfolded, because readers are recursive. */
enum { LOOPS_MAX = 200 };
/* Maximum length of a repeated cycle of runs (a training loop: write, train, evaluate). */
enum { TURNS_MAX = 8 };

void trace_reset(struct trace *trace)
{
    bool running = trace->running;
    uint32_t from = trace->from;
    trace->entries.count = trace->loops.count = trace->tops.count = 0;
    trace->full = false;
    trace->running = false;
    trace->hot_times = NULL;
    trace->last_run = NO_BLOCK;
    if (running) /* called from a callback: the rest of the run is recorded without its start */
        trace_begin(trace, from);
}

void trace_free(struct trace *trace)
{
    vec_free(&trace->entries);
    vec_free(&trace->loops);
    vec_free(&trace->tops);
}

static void push(struct trace *trace, struct trace_entry entry)
{
    if (trace->entries.count >= TRACE_MAX)
        trace->full = true;
    else
        *vec_push(&trace->entries) = entry;
}

static void push_run(struct trace *trace, uint32_t end)
{
    if (end > trace->from)
        push(trace, (struct trace_entry){ trace->from, end - trace->from, 0 });
}

/* Ends the block at `open` with the last entry; true when it was added to an equal one before it. */
static bool close_block(struct trace *trace, size_t open, size_t before)
{
    assert(open < trace->entries.count && (before == NO_BLOCK || before < open));
    struct trace_entry *entries = trace->entries.data;
    size_t count = trace->entries.count - open - 1;
    entries[open].count = (uint32_t)count;
    if (before == NO_BLOCK || entries[before].count != count ||
        memcmp(entries + before + 1, entries + open + 1, count * sizeof(*entries)) != 0)
        return false;
    ++entries[before].times;
    trace->entries.count = open;
    return true;
}

void trace_begin(struct trace *trace, uint32_t op)
{
    assert(!trace->running);
    if (!trace->entries.count)
        trace->last_run = NO_BLOCK;
    trace->loops.count = 0;
    trace->run = trace->entries.count;
    trace->from = op;
    trace->running = true;
    push(trace, (struct trace_entry){ TRACE_RUN, 0, 1 });
}

void trace_restart(struct trace *trace, uint32_t at)
{
    trace->entries.count = trace->loops.count = trace->tops.count = 0;
    trace->hot_times = NULL;
    trace->last_run = NO_BLOCK;
    trace->run = 0;
    trace->from = at;
    trace->full = false;
    push(trace, (struct trace_entry){ TRACE_ITERATION, 0, 1 });
}

static bool same_entries(const struct trace *trace, size_t a, size_t b, size_t count)
{
    return memcmp(trace->entries.data + a, trace->entries.data + b, count * sizeof(struct trace_entry)) == 0;
}

/* If the last `turns` runs equal those before them, merges them into one block. */
static bool fold_turns(struct trace *trace, size_t turns)
{
    assert(turns < trace->tops.count);
    size_t last = trace->tops.count - turns, first = trace->tops.data[last], count = trace->entries.count - first;
    size_t block = trace->tops.data[last - 1];
    struct trace_entry *entries = trace->entries.data;
    if (entries[block].first == TRACE_ITERATION && entries[block].count == count &&
        same_entries(trace, block + 1, first, count)) {
        ++entries[block].times;
        trace->entries.count = first;
        trace->tops.count = last;
        return true;
    }
    if (last < turns || first - trace->tops.data[last - turns] != count ||
        !same_entries(trace, trace->tops.data[last - turns], first, count))
        return false;
    block = trace->tops.data[last - turns];
    memmove(entries + block + 1, entries + block, count * sizeof(*entries));
    entries[block] = (struct trace_entry){ TRACE_ITERATION, (uint32_t)count, 2 };
    trace->entries.count = block + 1 + count;
    trace->tops.count = last - turns + 1;
    return true;
}

static void end_run(struct trace *trace)
{
    assert(trace->run < trace->entries.count);
    if (close_block(trace, trace->run, trace->last_run))
        return;
    *vec_push(&trace->tops) = trace->run;
    trace->last_run = trace->run;
    for (size_t turns = 2; turns <= TURNS_MAX && turns < trace->tops.count; ++turns)
        if (fold_turns(trace, turns)) {
            trace->last_run = NO_BLOCK;
            return;
        }
}

void trace_end(struct trace *trace, uint32_t end)
{
    if (!trace->running)
        return;
    trace->running = false;
    trace->hot_times = NULL;
    trace->loops.count = 0;
    if (!trace->full)
        push_run(trace, end);
    if (trace->entries.count == trace->run + 1)
        trace->entries.count = trace->run; /* stopped before its first op */
    else if (!trace->full)
        end_run(trace);
}

static struct trace_loop *innermost(const struct trace *trace)
{
    return trace->loops.count ? trace->loops.data + trace->loops.count - 1 : NULL;
}

/* A loop whose iterations are one stretch. */
static bool same_run(struct trace *trace, uint32_t at, uint32_t next, uint32_t depth)
{
    const struct trace_loop *loop = innermost(trace);
    if (!loop || loop->head != next || loop->depth != depth || loop->before == NO_BLOCK ||
        loop->open + 1 != trace->entries.count)
        return false;
    struct trace_entry *block = trace->entries.data + loop->before;
    if (block->count != 1 || block[1].times || block[1].first != trace->from || block[1].count != at + 1 - trace->from)
        return false;
    ++block->times;
    trace->hot_at = at;
    trace->hot_next = next;
    trace->hot_times = &block->times;
    return true;
}

static void next_iteration(struct trace *trace, uint32_t next, uint32_t depth)
{
    struct trace_loop *loop;
    while ((loop = innermost(trace)) && loop->depth == depth && loop->head > next)
        --trace->loops.count; /* loops inside this one */
    if (!loop || loop->head != next || loop->depth != depth) {
        if (trace->loops.count == LOOPS_MAX)
            return;
        loop = vec_push(&trace->loops);
        *loop = (struct trace_loop){ next, depth, 0, NO_BLOCK };
    } else if (!close_block(trace, loop->open, loop->before)) {
        loop->before = loop->open;
    }
    loop->open = trace->entries.count;
    push(trace, (struct trace_entry){ TRACE_ITERATION, 0, 1 });
}

void trace_jump(struct trace *trace, uint32_t at, uint32_t next, uint32_t depth, bool iteration)
{
    trace->hot_times = NULL; /* entries may move */
    if (trace->full || (iteration && same_run(trace, at, next, depth))) {
        trace->from = next;
        return;
    }
    push_run(trace, at + 1);
    trace->from = next;
    for (const struct trace_loop *loop; (loop = innermost(trace)) && loop->depth > depth;)
        --trace->loops.count; /* drops loops of functions that have returned */
    if (iteration && !trace->full)
        next_iteration(trace, next, depth);
}

void trace_counted(struct trace *trace, uint32_t at, uint32_t cost)
{
    trace->hot_times = NULL; /* entries may move */
    if (!trace->full)
        push_run(trace, at);
    if (!trace->full)
        push(trace, (struct trace_entry){ at, TRACE_COUNTED | cost, 0 });
    trace->from = at + 1;
}

size_t trace_suspend(struct trace *trace, uint32_t end)
{
    size_t entries = trace->entries.count;
    trace->hot_times = NULL; /* entries may move */
    if (!trace->full && end > trace->from)
        *vec_push(&trace->entries) = (struct trace_entry){ trace->from, end - trace->from, 0 };
    return entries;
}

void trace_resume(struct trace *trace, size_t entries)
{
    trace->entries.count = entries;
}

static void count_entries(const struct trace_entry *entries, size_t count, uint64_t times, uint64_t *counts)
{
    for (size_t i = 0; i < count; ++i) {
        const struct trace_entry *entry = entries + i;
        if (entry->times) {
            count_entries(entry + 1, entry->count, times * entry->times, counts);
            i += entry->count;
        } else {
            for (uint32_t op = entry->first; op - entry->first < trace_ops(entry); ++op)
                counts[op] += times;
        }
    }
}

void trace_count(const struct trace *trace, uint64_t *counts)
{
    count_entries(trace->entries.data, trace->entries.count, 1, counts);
}
