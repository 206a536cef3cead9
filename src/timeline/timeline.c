/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates a trace with the tiles' clocks.
 *
 * A block of the trace that syncs ends with the same clocks relative to each IPU's base every time: the first time
 * shows where it ends, the second how far it moves each base, and the rest is a multiplication.  In a block that never
 * syncs, tiles just add up what they do. */
#include "timeline/timeline.h"

#include "base/error.h"
#include "timeline/clock.h"

#include <assert.h>

struct timeline_walk {
    const struct image *image;
    const struct model *model;
    struct timeline *timeline;
    struct clock clock;
    uint64_t *syncing;     /* by op, and one more: steps that sync before it */
    VEC(uint64_t) longest; /* by work: cycles of the tile that takes longest + 1; 0 not known yet */
    VEC(uint64_t) times;   /* by work: how often it was done */
    bool entry_syncs;
    timeline_callback callback;
    const struct timeline_repeats *repeats; /* NULL: each iteration is reported */
    unsigned marked;                        /* blocks that run_marked is in */
    void *user;
};

static bool brings_sync(const struct model *model, uint32_t step)
{
    unsigned kind = model->steps.data[step].kind;
    return kind == MODEL_EXCHANGE || kind == MODEL_GLOBAL_EXCHANGE || kind == MODEL_STREAM_COPY || kind == MODEL_SYNC;
}

static void report_event(const struct timeline_walk *walk, uint32_t step, size_t work, enum timeline_phase phase,
                         uint64_t from, uint64_t cycles)
{
    if (!walk->callback)
        return;
    const struct model_step *of = walk->model->steps.data + step;
    uint64_t to = clock_now(&walk->clock);
    walk->callback(walk->user, &(struct timeline_event){ step, work, of->kind, of->detail, (uint8_t)phase, from, to,
                                                         cycles, cycles - (to - from) });
}

static uint64_t now(const struct timeline_walk *walk)
{
    return walk->callback ? clock_now(&walk->clock) : 0;
}

static void sync(struct timeline_walk *walk, uint32_t step, enum model_sync detail, enum timeline_phase phase)
{
    uint64_t from = now(walk);
    clock_sync(&walk->clock, detail == MODEL_SYNC_EXTERNAL);
    if (!walk->callback)
        return;
    uint64_t to = clock_now(&walk->clock);
    walk->callback(walk->user, &(struct timeline_event){ step, work_count(walk->model), MODEL_SYNC, (uint8_t)detail,
                                                         (uint8_t)phase, from, to, to - from, 0 });
}

static uint64_t longest(struct timeline_walk *walk, size_t number)
{
    uint64_t *known = walk->longest.data + number;
    if (!*known) {
        struct clock_work work = work_at(walk->model, walk->clock.costs, number);
        for (size_t i = 0; i < work.count; ++i) {
            uint64_t cycles = work_span(&work, i).cycles;
            *known = cycles > *known ? cycles : *known;
        }
        ++*known;
    }
    return *known - 1;
}

/* times: more than one without a callback alone. */
static void do_work(struct timeline_walk *walk, uint32_t step, size_t number, enum timeline_phase phase, uint64_t times)
{
    uint64_t from = now(walk);
    walk->times.data[number] += walk->clock.weight * times;
    if (times == 1)
        clock_work(&walk->clock, number);
    else
        clock_works(&walk->clock, number, times);
    if (walk->callback)
        report_event(walk, step, number, phase, from, longest(walk, number));
}

static void work(struct timeline_walk *walk, uint32_t step, enum timeline_phase phase, uint64_t times)
{
    do_work(walk, step, work_of_step(walk->model, walk->model->steps.data + step), phase, times);
}

/* times: only of steps that do not sync. */
static void run_step(struct timeline_walk *walk, uint32_t step, uint64_t times)
{
    assert(step < walk->model->steps.count);
    const struct model_step *of = walk->model->steps.data + step;
    assert(times == 1 || !brings_sync(walk->model, step));
    walk->timeline->times[step] += walk->clock.weight * times;
    switch (of->kind) {
    case MODEL_EXECUTE:
        work(walk, step, TIMELINE_WHOLE, times);
        break;
    case MODEL_EXCHANGE:
    case MODEL_GLOBAL_EXCHANGE:
        sync(walk, step, of->kind == MODEL_EXCHANGE ? MODEL_SYNC_INTERNAL : MODEL_SYNC_EXTERNAL, TIMELINE_BEGIN);
        work(walk, step, TIMELINE_WHOLE, 1);
        break;
    case MODEL_STREAM_COPY:
        sync(walk, step, MODEL_SYNC_EXTERNAL, TIMELINE_BEGIN);
        work(walk, step, TIMELINE_MIDDLE, 1);
        sync(walk, step, MODEL_SYNC_INTERNAL, TIMELINE_END);
        sync(walk, step, MODEL_SYNC_INTERNAL, TIMELINE_END);
        break;
    case MODEL_SYNC:
        sync(walk, step, (enum model_sync)of->detail, TIMELINE_WHOLE);
        break;
    default: /* control flow and WriteUndef take no time */
        if (walk->callback)
            report_event(walk, step, work_count(walk->model), TIMELINE_WHOLE, clock_now(&walk->clock), 0);
    }
}

static void run_ops(struct timeline_walk *walk, uint32_t first, uint32_t count, uint64_t times)
{
    assert((size_t)first + count < walk->model->op_first.count);
    const uint32_t *op_first = walk->model->op_first.data;
    for (size_t i = op_first[first]; i < op_first[(size_t)first + count]; ++i)
        run_step(walk, walk->model->op_steps.data[i], times);
}

/* An op whose set took cycles that were counted. */
static void run_counted(struct timeline_walk *walk, const struct trace_entry *entry, uint64_t times)
{
    const struct model *model = walk->model;
    uint32_t index = entry->count & ~TRACE_COUNTED;
    assert(walk->clock.costs && index < walk->clock.costs->list.count);
    const struct step_cost *cost = walk->clock.costs->list.data + index;
    for (size_t i = model->op_first.data[entry->first]; i < model->op_first.data[(size_t)entry->first + 1]; ++i) {
        uint32_t step = model->op_steps.data[i];
        if (model->steps.data[step].kind != MODEL_EXECUTE || model->steps.data[step].index != cost->set) {
            run_step(walk, step, times);
            continue;
        }
        walk->timeline->times[step] += walk->clock.weight * times;
        do_work(walk, step, work_count(model) + index, TIMELINE_WHOLE, times);
    }
}

static bool entries_sync(const struct timeline_walk *walk, const struct trace_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const struct trace_entry *e = entries + i;
        if (e->times ? e->first == TRACE_RUN && walk->entry_syncs
                     : walk->syncing[(size_t)e->first + trace_ops(e)] > walk->syncing[e->first])
            return true;
    }
    return false;
}

static void run_entries(struct timeline_walk *walk, const struct trace_entry *entries, size_t count, uint64_t times);

static void begin_block(struct timeline_walk *walk, const struct trace_entry *block, uint64_t times)
{
    if (block->first == TRACE_RUN)
        for (size_t i = 0; i < walk->model->entry.count; ++i)
            run_step(walk, walk->model->entry.data[i], times);
}

static void run_block(struct timeline_walk *walk, const struct trace_entry *block)
{
    begin_block(walk, block, 1);
    run_entries(walk, block + 1, block->count, 1);
}

static void run_folded(struct timeline_walk *walk, const struct trace_entry *block)
{
    assert(block->times > 2 && !walk->callback);
    struct clock *clock = &walk->clock;
    size_t bytes = clock->ipus * sizeof(uint64_t);
    uint64_t weight = clock->weight, rest = block->times - 2;
    run_block(walk, block);
    uint64_t *before = mem_copy(clock->base, bytes);
    clock->weight = weight * (block->times - 1);
    run_block(walk, block);
    clock->weight = weight;
    for (unsigned i = 0; i < clock->ipus; ++i)
        clock->base[i] += (clock->base[i] - before[i]) * rest;
    free(before);
}

/* Walks a block `times` times that leaves the clocks as it finds them, `growth` later, without calling back. */
static void skip_block(struct timeline_walk *walk, const struct trace_entry *block, uint64_t times, uint64_t growth)
{
    struct clock *clock = &walk->clock;
    timeline_callback callback = walk->callback;
    uint64_t weight = clock->weight;
    uint32_t shape = clock->shape;
    walk->callback = NULL;
    clock->weight = weight * times;
    run_block(walk, block);
    clock->weight = weight;
    walk->callback = callback;
    for (unsigned i = 0; i < clock->ipus; ++i)
        clock->base[i] += growth * (times - 1);
    clock->shape = shape; /* or SHAPE_DEEP with the same offsets */
}

/* Whether all bases have moved by the same cycles. */
static bool moved_together(const struct clock *clock, const uint64_t *before)
{
    bool same = true;
    for (unsigned i = 1; i < clock->ipus; ++i)
        same &= clock->base[i] - before[i] == clock->base[0] - before[0];
    return same;
}

/* A block with a callback whose user can repeat what it makes: from an iteration that ends as it began, the next ones
 * are equal to it. */
static void run_marked(struct timeline_walk *walk, const struct trace_entry *block)
{
    struct clock *clock = &walk->clock;
    size_t bytes = clock->ipus * sizeof(uint64_t);
    uint64_t *before = mem_alloc(bytes);
    ++walk->marked;
    for (uint64_t left = block->times; left--;) {
        struct timeline_mark mark = walk->repeats->mark(walk->user);
        uint32_t shape = clock->shape;
        memcpy(before, clock->base, bytes);
        run_block(walk, block);
        struct timeline_mark now = walk->repeats->mark(walk->user);
        if (left && shape != SHAPE_DEEP && clock->shape == shape && moved_together(clock, before) &&
            memcmp(now.state, mark.state, sizeof(now.state)) == 0) {
            uint64_t growth = clock->base[0] - before[0];
            skip_block(walk, block, left, growth);
            walk->repeats->repeat(walk->user, &mark, left, growth);
            break;
        }
    }
    --walk->marked;
    free(before);
}

static void run_blocks(struct timeline_walk *walk, const struct trace_entry *block, uint64_t times)
{
    bool syncs = (block->first == TRACE_RUN && walk->entry_syncs) || entries_sync(walk, block + 1, block->count);
    if (walk->callback && walk->repeats && block->times > 2 && walk->marked < TIMELINE_REPEATS_DEEPEST) {
        run_marked(walk, block);
    } else if (walk->callback || (syncs && block->times <= 2)) {
        for (uint64_t i = 0; i < block->times; ++i)
            run_block(walk, block);
    } else if (syncs) {
        run_folded(walk, block);
    } else {
        begin_block(walk, block, times * block->times);
        run_entries(walk, block + 1, block->count, times * block->times);
    }
}

static void run_entries(struct timeline_walk *walk, const struct trace_entry *entries, size_t count, uint64_t times)
{
    for (size_t i = 0; i < count; ++i) {
        const struct trace_entry *e = entries + i;
        if (trace_is_counted(e)) {
            run_counted(walk, e, times);
        } else if (!e->times) {
            run_ops(walk, e->first, e->count, times);
        } else if (!e->count) { /* one that did not end */
            begin_block(walk, e, times);
        } else {
            run_blocks(walk, e, times);
            i += e->count;
        }
    }
}

static void find_syncs(struct timeline_walk *walk)
{
    const struct model *model = walk->model;
    size_t ops = model->op_first.count - 1;
    walk->syncing = mem_zero(ops + 1, sizeof(*walk->syncing));
    for (size_t op = 0; op < ops; ++op) {
        walk->syncing[op + 1] = walk->syncing[op];
        for (size_t i = model->op_first.data[op]; i < model->op_first.data[op + 1]; ++i)
            walk->syncing[op + 1] += brings_sync(model, model->op_steps.data[i]);
    }
    for (size_t i = 0; i < model->entry.count; ++i)
        walk->entry_syncs |= brings_sync(model, model->entry.data[i]);
}

/* Where a kind of step is booked. */
static uint64_t *account_of(struct timeline_cycles *cycles, unsigned kind)
{
    return kind == MODEL_EXECUTE           ? &cycles->compute
           : kind == MODEL_EXCHANGE        ? &cycles->exchange
           : kind == MODEL_GLOBAL_EXCHANGE ? &cycles->global_exchange
                                           : &cycles->stream_copy;
}

/* Each work times how often it was done: differences between neighbouring tiles first, so that a run of tiles is two
 * additions. */
static void book_works(struct timeline *timeline, const struct timeline_walk *walk)
{
    const struct model *model = walk->model;
    for (size_t number = 0; number < walk->times.count; ++number) {
        uint64_t times = walk->times.data[number];
        struct clock_work work = times ? work_at(model, walk->clock.costs, number) : (struct clock_work){ 0 };
        for (size_t i = 0; i < work.count; ++i) {
            struct span span = work_span(&work, i);
            assert(span.tile + span.tiles <= timeline->tile_count);
            struct timeline_cycles *first = &timeline->tiles[span.tile].cycles,
                                   *behind = &timeline->tiles[span.tile + span.tiles].cycles;
            *account_of(first, work.kind) += span.cycles * times;
            *account_of(behind, work.kind) -= span.cycles * times;
            if (work.parts) {
                first->active_compute += work.parts[i].active * times;
                behind->active_compute -= work.parts[i].active * times;
            }
        }
    }
    for (uint32_t s = 0; s < model->steps.count; ++s)
        if (model->steps.data[s].kind == MODEL_EXECUTE || brings_sync(model, s))
            timeline->steps += timeline->times[s];
}

static void add(struct timeline_cycles *to, const struct timeline_cycles *from)
{
    to->active_compute += from->active_compute;
    to->compute += from->compute;
    to->exchange += from->exchange;
    to->global_exchange += from->global_exchange;
    to->stream_copy += from->stream_copy;
    to->sync += from->sync;
}

/* Ends of tiles; what is not work was waiting. */
static void book_tiles(struct timeline *timeline, struct clock *clock)
{
    for (uint32_t t = 0; t < timeline->tile_count; ++t) {
        struct timeline_tile *tile = timeline->tiles + t;
        if (t)
            add(&tile->cycles, &tile[-1].cycles), tile->cycles.sync = 0;
        tile->end = clock_tile(clock, t);
        if (tile->end > timeline->end)
            timeline->end = tile->end, timeline->last = t;
    }
    for (uint32_t t = 0; t < timeline->tile_count; ++t) {
        struct timeline_cycles *c = &timeline->tiles[t].cycles;
        c->sync = timeline->tiles[t].end - c->compute - c->exchange - c->global_exchange - c->stream_copy;
        add(&timeline->sum, c);
    }
}

#ifndef NDEBUG
enum { CHECK_MAX = 1 << 24 }; /* shapes x tiles */
/* compute + exchange + host + sync = end on each tile, with each account kept by itself. */
static void check_accounts(const struct timeline *timeline, struct clock *clock)
{
    if (clock->shapes.count * timeline->tile_count > CHECK_MAX)
        return;
    uint64_t *waited = mem_zero(timeline->tile_count, sizeof(*waited));
    clock_waited(clock, waited);
    for (uint32_t t = 0; t < timeline->tile_count; ++t)
        assert(waited[t] == timeline->tiles[t].cycles.sync);
    free(waited);
}
#endif

/* What is to be walked refers to these counted works, which are known so far or new. */
static void use_costs(struct timeline_walk *walk, const struct step_costs *costs)
{
    size_t count = work_count(walk->model) + (costs ? costs->list.count : 0), known = walk->times.count;
    if (costs)
        walk->clock.costs = costs;
    if (count <= known)
        return;
    memset(vec_extend(&walk->longest, count - known), 0, (count - known) * sizeof(uint64_t));
    memset(vec_extend(&walk->times, count - known), 0, (count - known) * sizeof(uint64_t));
}

static void walk_start(struct timeline_walk *walk)
{
    clock_start(&walk->clock, walk->image);
    use_costs(walk, NULL);
    find_syncs(walk);
}

static void walk_end(struct timeline_walk *walk)
{
    clock_free(&walk->clock);
    free(walk->syncing);
    vec_free(&walk->longest);
    vec_free(&walk->times);
}

static struct timeline start_timeline(const struct image *image)
{
    struct timeline timeline = { .tile_count = image->target.num_ipus * image->target.tiles_per_ipu };
    timeline.tiles = mem_zero((size_t)timeline.tile_count + 1, sizeof(*timeline.tiles));
    timeline.times = mem_zero(image->model.steps.count + 1, sizeof(*timeline.times));
    return timeline;
}

void timeline_make(struct timeline *timeline, const struct image *image, const struct trace *trace,
                   timeline_callback callback, void *user)
{
    const struct model *model = &image->model;
    *timeline = start_timeline(image);
    if (!model->op_first.count)
        return;
    struct timeline_walk walk = {
        .image = image, .model = model, .timeline = timeline, .callback = callback, .user = user
    };
    walk_start(&walk);
    timeline_walk_on(&walk, trace);
    book_works(timeline, &walk);
    book_tiles(timeline, &walk.clock);
#ifndef NDEBUG
    check_accounts(timeline, &walk.clock);
#endif
    walk_end(&walk);
}

struct timeline_walk *timeline_walk_begin(const struct image *image, timeline_callback callback, void *user)
{
    struct timeline_walk *walk = MEM_NEW(struct timeline_walk);
    *walk = (struct timeline_walk){ .image = image, .model = &image->model, .callback = callback, .user = user };
    walk->timeline = MEM_NEW(struct timeline);
    *walk->timeline = start_timeline(image);
    walk_start(walk);
    return walk;
}

void timeline_walk_repeats(struct timeline_walk *walk, const struct timeline_repeats *repeats)
{
    walk->repeats = repeats;
}

void timeline_walk_on(struct timeline_walk *walk, const struct trace *trace)
{
    use_costs(walk, trace->costs);
    run_entries(walk, trace->entries.data, trace->entries.count, 1);
}

void timeline_walk_skip(struct timeline_walk *walk, const struct trace *trace)
{
    timeline_callback callback = walk->callback;
    walk->callback = NULL;
    timeline_walk_on(walk, trace);
    walk->callback = callback;
}

struct clock *timeline_walk_clock(struct timeline_walk *walk)
{
    return &walk->clock;
}

void timeline_walk_sums(struct timeline_walk *walk, struct timeline *timeline)
{
    *timeline = start_timeline(walk->image);
    memcpy(timeline->times, walk->timeline->times, walk->model->steps.count * sizeof(*timeline->times));
    book_works(timeline, walk);
    book_tiles(timeline, &walk->clock);
}

void timeline_walk_end(struct timeline_walk *walk, struct timeline *timeline)
{
    timeline_walk_sums(walk, timeline);
    timeline_free(walk->timeline);
    walk_end(walk);
    free(walk->timeline);
    free(walk);
}

uint64_t timeline_clock(const struct image *image, const struct trace *trace, uint32_t tile)
{
    const struct model *model = &image->model;
    if (!model->op_first.count)
        return 0;
    struct timeline timeline = { .times = mem_zero(model->steps.count + 1, sizeof(*timeline.times)) };
    struct timeline_walk walk = { .image = image, .model = model, .timeline = &timeline };
    walk_start(&walk);
    timeline_walk_on(&walk, trace);
    uint64_t now = clock_tile(&walk.clock, tile);
    walk_end(&walk);
    free(timeline.times);
    return now;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->tiles);
    free(timeline->times);
}

struct timeline_figures timeline_work_figures(const struct clock_work *work)
{
    struct timeline_figures f = { 0 };
    for (size_t i = 0; i < work->count; ++i) {
        struct span span = work_span(work, i);
        uint64_t bytes = work->flows ? work->flows[i].sent + work->flows[i].received : 0;
        f.cycles = span.cycles > f.cycles ? span.cycles : f.cycles;
        f.sum += span.cycles * span.tiles;
        f.active_sum += work->parts ? work->parts[i].active * span.tiles : 0;
        f.tiles += span.cycles ? span.tiles : 0;
        f.data_sum += bytes * span.tiles;
        f.data_max = bytes > f.data_max ? bytes : f.data_max;
    }
    f.data = f.data_sum / 2;
    return f;
}

struct timeline_figures timeline_figures_of(const struct model *model, uint32_t step)
{
    struct clock_work work = work_at(model, NULL, work_of_step(model, model->steps.data + step));
    return timeline_work_figures(&work);
}

uint32_t timeline_answering(const struct image *image, uint32_t step)
{
    uint8_t kind = image->model.steps.data[step].kind;
    if (kind != MODEL_EXCHANGE && kind != MODEL_GLOBAL_EXCHANGE && kind != MODEL_STREAM_COPY)
        return 0;
    return pop_target_num_tiles(&image->target) - timeline_figures_of(&image->model, step).tiles;
}

pop_status timeline_check_estimates(const struct timeline *timeline, const struct image *image, const char *api,
                                    pop_error *error)
{
    const struct model *model = &image->model;
    for (size_t i = 0; i < model->steps.count; ++i) {
        const struct model_step *step = model->steps.data + i;
        const struct model_set *set = step->kind == MODEL_EXECUTE ? model->sets.data + step->index : NULL;
        if (timeline->times[i] && set && set->missing_estimate)
            return error_set(
                error, POP_MISSING_PERF_ESTIMATE, NO_WHERE, api,
                "vertices of type '%s' in compute set '%s' ran without an estimate of their cycles: give them one with "
                "pop_graph_set_perf_estimate, or their type one with pop_graph_register_perf_estimator",
                image_string(image, set->missing_estimate), image_string(image, set->name));
    }
    return POP_OK;
}

pop_status timeline_check_trace(const struct trace *trace, const char *api, pop_error *error)
{
    if (!trace->full)
        return POP_OK;
    return error_set(error, POP_PROFILING_DISABLED, NO_WHERE, api,
                     "the record of what ran is full (%d entries): reset it more often, or disable execution profiling "
                     "where it is not needed",
                     TRACE_MAX);
}
