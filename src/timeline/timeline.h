/* SPDX-License-Identifier: Apache-2.0 */
/* When what has run would have run on the machine: every tile has a clock, steps move the clocks of the tiles that take
 * part, syncs bring them together (docs/reference/ipu-model.md, 2.1-2.6).  The only evaluation of time: cycles of an
 * engine, profiles and summaries are made here. */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include "image/image.h"
#include "timeline/trace.h"

struct clock;
struct clock_work;

/* Parts of a stream copy: the sync before it, the transfer, the syncs after. */
enum timeline_phase { TIMELINE_WHOLE = 0, TIMELINE_BEGIN, TIMELINE_MIDDLE, TIMELINE_END };
/* Something that happened.  Syncs of a step are events with the step's number: kind is MODEL_SYNC then.
 * The phases of steps other than stream copies are TIMELINE_BEGIN for their sync and TIMELINE_WHOLE. from, to: when the
 * last tile was done before and after it.  cycles: of the tile that takes longest; overlapped of them are before from.
 */
struct timeline_event {
    uint32_t step;
    size_t work;    /* of clock.h, of events that have one */
    uint8_t kind;   /* enum model_kind: leaf steps */
    uint8_t detail; /* as the step's; of a sync enum model_sync */
    uint8_t phase;
    uint64_t from, to, cycles, overlapped;
};
typedef void (*timeline_callback)(void *user, const struct timeline_event *event);

/* What the user of a callback has made of events so far, and the state on which what it makes of later ones depends. */
struct timeline_mark {
    uint64_t made[2], state[3];
};
/* Of a user that can repeat what it has made: iterations of a block that leave the clocks and the user's state as they
 * found them, but later, are walked once. */
struct timeline_repeats {
    struct timeline_mark (*mark)(void *user);
    /* What was made since a mark is made `times` more times, each `growth` cycles after the one before. */
    void (*repeat)(void *user, const struct timeline_mark *since, uint64_t times, uint64_t growth);
};
enum { TIMELINE_REPEATS_DEEPEST = 16 }; /* repeats within each other */

/* A work's figures, the same whenever it is done. */
struct timeline_figures {
    uint64_t cycles;             /* of the tile that takes longest */
    uint64_t sum, active_sum;    /* over tiles: cycles, and those in which a thread runs (compute sets) */
    uint32_t tiles;              /* that take any */
    uint64_t data;               /* total data: half of what is sent and received, multicast sent once */
    uint64_t data_sum, data_max; /* sent and received: over tiles, and of the tile with most */
};

struct timeline_cycles {
    uint64_t active_compute, compute, exchange, global_exchange, stream_copy, sync;
};
/* compute + exchange + global_exchange + stream_copy + sync is a tile's end. */
struct timeline_tile {
    struct timeline_cycles cycles;
    uint64_t end;
};

struct timeline {
    struct timeline_tile *tiles; /* by tile of the target */
    uint32_t tile_count;
    struct timeline_cycles sum; /* over tiles */
    uint64_t end;               /* of the tile that ends last */
    uint32_t last;              /* that tile, the first of several */
    uint64_t *times;            /* by step of the model: how often it ran */
    uint64_t steps; /* compute sets, exchanges, copies and Syncs that ran; not the syncs that are part of them */
};

/* Without a callback, the time for a block of the trace is independent of its count.  The image's model may come from
 * any checked file. */
void timeline_make(struct timeline *timeline, const struct image *image, const struct trace *trace,
                   timeline_callback callback, void *user);
/* Begins an incremental walk, for consecutive records. The image has a model; the callback, which there is, finds the
 * clock after each event. */
struct timeline_walk;
struct timeline_walk *timeline_walk_begin(const struct image *image, timeline_callback callback, void *user);
/* Before the first record; `repeats` stays valid. */
void timeline_walk_repeats(struct timeline_walk *walk, const struct timeline_repeats *repeats);
void timeline_walk_on(struct timeline_walk *walk, const struct trace *trace);
/* Walks a record without calling back: blocks cost the same whatever their count. */
void timeline_walk_skip(struct timeline_walk *walk, const struct trace *trace);
struct clock *timeline_walk_clock(struct timeline_walk *walk);
/* The sums of all that was walked so far, for timeline_free. */
void timeline_walk_sums(struct timeline_walk *walk, struct timeline *timeline);
/* The sums of all that was walked; frees the walk. */
void timeline_walk_end(struct timeline_walk *walk, struct timeline *timeline);
/* A tile's clock after all that a trace holds. */
uint64_t timeline_clock(const struct image *image, const struct trace *trace, uint32_t tile);
void timeline_free(struct timeline *timeline);
/* POP_MISSING_PERF_ESTIMATE when a compute set ran whose vertices have no estimate; the error names the first. */
pop_status timeline_check_estimates(const struct timeline *timeline, const struct image *image, const char *api,
                                    pop_error *error);
/* POP_PROFILING_DISABLED when the trace is full. */
pop_status timeline_check_trace(const struct trace *trace, const char *api, pop_error *error);
struct timeline_figures timeline_work_figures(const struct clock_work *work);
/* Of a step whose cycles are not counted. */
struct timeline_figures timeline_figures_of(const struct model *model, uint32_t step);
/* Tiles that have no part in a step that brings syncs along: each acknowledges them beforehand (Sans) and waits until
 * they have happened (SyncAns), so that it delays none and overtakes none.  0 for steps without syncs of their own.
 * Seed 002, SyncAns. */
uint32_t timeline_answering(const struct image *image, uint32_t step);

#endif
