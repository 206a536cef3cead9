/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of all tiles of a target. After a sync a tile's time is its IPU's base plus a constant offset, so the
 * effect of the steps after a sync is computed once for each sequence of works (a shape) and then costs no more than a
 * look-up. */
#ifndef TIMELINE_CLOCK_H
#define TIMELINE_CLOCK_H

#include "image/image.h"
#include "timeline/costs.h"

/* What tiles of a run spend in a step. */
struct span {
    uint32_t tile, tiles;
    uint64_t cycles;
};
/* A work: the parts of a compute set, or the flows of an exchange, shared by all steps that execute it. */
struct clock_work {
    unsigned kind; /* enum model_kind */
    const struct model_part *parts;
    const struct model_flow *flows;
    size_t count;
};
/* Works are numbered: sets, exchanges, global exchanges, host exchanges; behind them what was counted (costs, NULL:
 * nothing was). */
size_t work_count(const struct model *model);
size_t work_of_step(const struct model *model, const struct model_step *step); /* work_count: none */
struct clock_work work_at(const struct model *model, const struct step_costs *costs, size_t number);
/* Work of a set: of its last execution where that was counted, else as estimated. */
struct clock_work work_of_set(const struct model *model, const struct step_costs *costs, size_t set);
static inline struct span work_span(const struct clock_work *work, size_t i)
{
    if (work->parts)
        return (struct span){ work->parts[i].tile, work->parts[i].tiles, work->parts[i].cycles };
    return (struct span){ work->flows[i].tile, work->flows[i].tiles, work->flows[i].cycles };
}

/* Shapes that are always there: all tiles at once (the start; a sync of several IPUs), tiles as a sync lets them go,
 * and one whose sequence is too long to be worth remembering. */
enum { SHAPE_LEVEL = 0, SHAPE_RESUMED, SHAPE_DEEP, SHAPES_FIXED };
/* A sequence of works without a sync: one more after another sequence. */
struct shape {
    uint32_t parent, work, depth;
    uint64_t closed; /* syncs that ended it */
};

struct clock {
    const struct model *model;
    const struct step_costs *costs; /* NULL: none */
    unsigned ipus, tiles;           /* of a replica; tiles of one IPU */
    bool many;                      /* the device has more IPUs than one */
    uint64_t global_sync;
    unsigned *arrive, *resume; /* one-way delays, by tile of an IPU */
    uint64_t *base;            /* by IPU */
    uint32_t shape;            /* now */
    VEC(struct shape) shapes;
    VEC(uint64_t)
    limits; /* by shape, IPU: when its last tile is done; when the last one's sync request has arrived; both from base
             */
    uint64_t *offsets; /* by tile, of shape offsets_of */
    uint32_t offsets_of;
    uint32_t *slots; /* hash of (parent, work): shapes */
    size_t slot_count;
    /* Cycles spent waiting, for the check of accounts; weight is the number of repetitions of the current event. */
    uint64_t weight, resumed;
    uint64_t *waited; /* by IPU */
    uint64_t *deep;   /* by tile: offsets that SHAPE_DEEP had at syncs */
};

void clock_start(struct clock *clock, const struct image *image);
void clock_free(struct clock *clock);
/* When the last tile is done. */
uint64_t clock_now(const struct clock *clock);
/* Internal: within each IPU.  External: of all of them; of one IPU the same. */
void clock_sync(struct clock *clock, bool external);
void clock_work(struct clock *clock, size_t work);
/* Repeats a work `times` times, without steps in between. */
void clock_works(struct clock *clock, size_t work, uint64_t times);
/* Offsets by tile of a shape, until the clock goes on; of the one whose number is SHAPE_DEEP as they are now. */
const uint64_t *clock_offsets(struct clock *clock, uint32_t shape);
/* After a sync: renumbers shapes and discards the tiles' waiting times. */
void clock_forget(struct clock *clock);
/* A tile's time. */
uint64_t clock_tile(struct clock *clock, uint32_t tile);
/* Adds to waited[tile] what each tile has spent in syncs, worked out from the syncs alone. */
void clock_waited(struct clock *clock, uint64_t *waited);

#endif
