/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline compared with the guide's listing of steps, with sums done by hand, and with the rules applied tile by
 * tile. */
#include "fixture.h"

#include "target/cost.h"

/* The steps of the guide's listing (Profiling): `last` is the farthest tile that takes part in the large
 * copy. */
static struct image *listing(const char *system, unsigned tiles, unsigned last, uint64_t broadcast)
{
    struct image *image = model_image(system, 1);
    image->target.tiles_per_ipu = tiles;
    model_exchange(image, MODEL_STREAM_COPY);
    model_flow(image, 0, 1, 0, 4, 7);
    model_exchange(image, MODEL_STREAM_COPY);
    model_flow(image, 0, 1, 0, 8, 9);
    model_exchange(image, MODEL_EXCHANGE);
    model_flow(image, 0, 1, 4, 0, broadcast - 20);
    model_flow(image, 1, tiles - 2, 0, 4, broadcast - 20);
    model_flow(image, tiles - 1, 1, 0, 4, broadcast);
    model_exchange(image, MODEL_STREAM_COPY);
    model_flow(image, 0, 1, 0, 4, 7);
    model_exchange(image, MODEL_STREAM_COPY);
    model_flow(image, 0, 1, 0, 128 + 68, 10700);
    model_flow(image, 1, last, 0, 128, 10700);
    model_exchange(image, MODEL_EXCHANGE);
    model_flow(image, 0, last, 128, 512, 140);
    model_flow(image, last, 1, 128, 512, 169);
    model_add_set(image);
    model_part(image, 0, last, 980, 980);
    model_part(image, last, 1, 999, 999);
    model_execute(image);
    return image;
}

struct expected {
    uint64_t from, to, cycles, overlapped;
};

/* The events other than syncs. */
static void assert_steps(const event_list *events, const struct expected *expected, size_t count)
{
    size_t seen = 0;
    for (size_t i = 0; i < events->count; ++i) {
        const struct timeline_event *e = events->data + i;
        if (e->kind == MODEL_SYNC)
            continue;
        assert_true(seen < count);
        assert_int_equal(e->from, expected[seen].from);
        assert_int_equal(e->to, expected[seen].to);
        assert_int_equal(e->cycles, expected[seen].cycles);
        assert_int_equal(e->overlapped, expected[seen].overlapped);
        ++seen;
    }
    assert_int_equal(seen, count);
}

static void the_guides_listing(void **state)
{
    (void)state;
    struct image *image = listing("ipu1", 1216, 391, 120);
    assert_int_equal(cost_sync_arrive(&image->target, 1215), 59);
    assert_int_equal(cost_sync_arrive(&image->target, 391), 39);
    struct trace trace = model_run(image);
    struct timeline timeline;
    event_list events = { 0 };
    timeline_make(&timeline, image, &trace, model_keep, &events);
    static const struct expected steps[] = { { 118, 118, 7, 7 },         { 472, 472, 9, 9 },
                                             { 826, 946, 120, 0 },       { 1064, 1064, 7, 7 },
                                             { 1418, 12098, 10700, 20 }, { 12432, 12581, 169, 20 },
                                             { 12581, 13580, 999, 0 } };
    assert_steps(&events, steps, 7);
    /* External before a stream copy, two Internal after it; Internal before an exchange. */
    static const char kinds[] = "EciiEciiixEciiEciiixo";
    assert_int_equal(events.count, sizeof(kinds) - 1);
    for (size_t i = 0; i < events.count; ++i) {
        const struct timeline_event *e = events.data + i;
        char kind = e->kind == MODEL_SYNC          ? (e->detail == MODEL_SYNC_EXTERNAL ? 'E' : 'i')
                    : e->kind == MODEL_STREAM_COPY ? 'c'
                    : e->kind == MODEL_EXCHANGE    ? 'x'
                                                   : 'o';
        assert_int_equal(kind, kinds[i]);
        assert_int_equal(e->phase, kind == 'E' || (kind == 'i' && kinds[i + 1] == 'x') ? TIMELINE_BEGIN
                                   : kind == 'c'                                       ? TIMELINE_MIDDLE
                                   : kind == 'i'                                       ? TIMELINE_END
                                                                                       : TIMELINE_WHOLE);
    }
    assert_int_equal(timeline.end, 13580);
    assert_int_equal(timeline.last, 391);
    assert_int_equal(timeline.steps, 7);
    assert_int_equal(timeline.sum.stream_copy, 392 * 10700 + 7 + 9 + 7); /* the guide's 4,194,423 */
    model_close(image, &trace, &timeline, &events);
}

/* Data as in the listing: multicast counted once, and half of a host copy. */
static void the_guides_data(void **state)
{
    (void)state;
    struct image *image = listing("ipu1", 1216, 391, 120);
    static const struct {
        uint32_t tiles;
        uint64_t data;
    } expected[] = { { 1, 2 }, { 1, 4 }, { 1216, 2432 }, { 1, 2 }, { 392, 25122 }, { 392, 125440 }, { 392, 0 } };
    for (uint32_t step = 0; step < 7; ++step) {
        struct timeline_figures f = timeline_figures_of(&image->model, step);
        assert_int_equal(f.tiles, expected[step].tiles);
        assert_int_equal(f.data, expected[step].data);
        assert_int_equal(timeline_answering(image, step),
                         step < 6 ? 1216 - expected[step].tiles : 0); /* the last is a compute set */
    }
    struct timeline_figures copy = timeline_figures_of(&image->model, 4),
                            broadcast = timeline_figures_of(&image->model, 2);
    assert_int_equal(copy.data_max, 196); /* balance: 50,244 / (196 x 1,216) = 21.1 % */
    assert_int_equal(broadcast.data_sum, 4 * 1216);
    assert_int_equal(broadcast.data_max, 4);
    image_release(image);
}

/* 200 tiles, delays of 20 (tile 0) to 60 (tile 199) cycles in both directions.  Tile 99: 20 + 40 x 99 / 199 = 39.9, so
 * 40: 20 in each direction. */
static void another_machine_calculated_by_hand(void **state)
{
    (void)state;
    struct image *image = listing("ipu1", 200, 99, 50);
    image->target.min_ipu_sync_delay = 20;
    image->target.max_ipu_sync_delay = 60;
    struct trace trace = model_run(image);
    struct timeline timeline;
    event_list events = { 0 };
    timeline_make(&timeline, image, &trace, model_keep, &events);
    static const struct expected steps[] = {
        { 60, 60, 7, 7 }, /* released at 30, the last tile continues at 60; tile 0 continues at 40 and is done at 47 */
        { 240, 240, 9, 9 },  /* 60 + 3 x 60 */
        { 420, 470, 50, 0 }, /* 240 + 3 x 60; the last tile takes 50 */
        { 530, 530, 7, 7 },  /* 470 + 60 */
        { 710, 11400, 10700,
          10 }, /* 530 + 3 x 60; released at 680, tile 99 continues at 700, ten cycles before the last */
        { 11570, 11729, 169,
          10 }, /* 11,400 + 20 = 11,420; the last at 11,450; two more syncs: 11,570; tile 99 at 11,560; + 169 */
        { 11729, 12728, 999, 0 }, /* + 999 */
    };
    assert_steps(&events, steps, 7);
    assert_int_equal(timeline.end, 12728);
    model_close(image, &trace, &timeline, &events);
}

/* Ten iterations of two compute sets of estimate 100 and nothing to exchange (LBM, docs/reference/ipu-model.md, 1.4).
 */
static void empty_exchanges_cost_nothing(void **state)
{
    (void)state;
    struct image *image = model_image("ipu1", 1);
    model_add_set(image);
    model_part(image, 0, 1216, 600, 100);
    for (int i = 0; i < 20; ++i)
        model_execute(image);
    struct trace trace = model_run(image);
    struct timeline timeline;
    timeline_make(&timeline, image, &trace, NULL, NULL);
    assert_int_equal(timeline.end, 12000);
    assert_int_equal(timeline.tiles[7].cycles.compute, 12000);
    assert_int_equal(timeline.tiles[7].cycles.active_compute, 2000);
    assert_int_equal(timeline.sum.sync, 0);
    assert_int_equal(timeline.steps, 20);
    model_close(image, &trace, &timeline, &(event_list){ 0 });
}

/* Two IPUs of ipu2 (126 cycles in both directions): each syncs by itself internally, both together externally, at the
 * cost of a global sync. */
static void several_ipus(void **state)
{
    (void)state;
    struct image *image = model_image("ipu2", 2);
    uint64_t global = cost_sync_global(&image->target, 2);
    model_add_set(image);
    model_part(image, 1471, 2, 100, 50); /* the last tile of one, the first of the other */
    model_execute(image);
    model_exchange(image, MODEL_EXCHANGE);
    model_flow(image, 0, 1, 4, 4, 10);
    model_exchange(image, MODEL_GLOBAL_EXCHANGE);
    model_flow(image, 0, 2, 4, 4, 1000);
    model_flow(image, 1472, 1, 4, 4, 2000);
    struct trace trace = model_run(image);
    struct timeline timeline;
    event_list events = { 0 };
    timeline_make(&timeline, image, &trace, model_keep, &events);
    /* 100 + 63 to the first, 63 back; on the second, tile 0 requests at 100 + 31, so it also waits for it: max(63, 131)
     * + 63 */
    uint64_t first = 100 + 63 + 63;
    const struct expected steps[] = { { 0, 100, 100, 0 },
                                      { first, first, 10, 10 },
                                      { first + global, first + global + 2000, 2000, 0 } };
    assert_steps(&events, steps, 3);
    assert_int_equal(timeline.end, first + global + 2000);
    assert_int_equal(timeline.last, 1472);
    assert_int_equal(timeline.tiles[1472].cycles.global_exchange, 2000);
    assert_int_equal(timeline.tiles[0].cycles.exchange, 10);
    model_close(image, &trace, &timeline, &events);
}

static void nothing_ran(void **state)
{
    (void)state;
    struct image *image = listing("ipu1", 1216, 391, 120);
    struct trace trace = { 0 };
    struct timeline timeline;
    event_list events = { 0 };
    timeline_make(&timeline, image, &trace, model_keep, &events);
    assert_int_equal(timeline.end, 0);
    assert_int_equal(events.count, 0);
    model_close(image, &trace, &timeline, &events);
}

/* ---- random programs ---- */

struct fixture {
    struct image *image;
    uint32_t seed;
    struct {
        uint32_t kind, a, times;
    } ops[200];
    uint32_t count;
    VEC(uint32_t) ran;                    /* every op, in order; RUN_STARTS before each run's */
    VEC(uint64_t) clocks, spent[5], ends; /* the naive machine */
};
#define RUN_STARTS UINT32_MAX
enum { DO, LOOP, LOOP_END, SKIP, CALL, RETURN };

static uint32_t any(struct fixture *w, uint32_t below)
{
    w->seed = w->seed * 1664525 + 1013904223;
    return (w->seed >> 8) % below;
}

static uint32_t any_step(struct fixture *w)
{
    struct image *image = w->image;
    uint32_t tiles = image->target.num_ipus * image->target.tiles_per_ipu, tile = any(w, tiles), runs = 0;
    static const uint8_t kinds[] = { MODEL_EXECUTE,         MODEL_EXECUTE,     MODEL_EXECUTE, MODEL_EXCHANGE,
                                     MODEL_GLOBAL_EXCHANGE, MODEL_STREAM_COPY, MODEL_SYNC,    MODEL_SYNC };
    unsigned kind = kinds[any(w, 8)];
    uint32_t step = 0;
    if (kind == MODEL_SYNC)
        return model_op(image, kind, any(w, 2), 0);
    if (kind == MODEL_EXECUTE) {
        model_add_set(image);
        step = model_execute(image);
    } else {
        step = model_exchange(image, kind);
    }
    for (; tile < tiles && runs < 4; ++runs) {
        uint32_t count = 1 + any(w, tiles - tile), cycles = any(w, 300);
        if (kind == MODEL_EXECUTE)
            model_part(image, tile, count, cycles, cycles / 2);
        else
            model_flow(image, tile, count, any(w, 50), any(w, 50), cycles);
        tile += count + any(w, 3);
    }
    return step;
}

static uint32_t emit(struct fixture *w, uint32_t kind, uint32_t a, uint32_t times)
{
    if (kind != DO)
        model_control(w->image);
    w->ops[w->count].kind = kind;
    w->ops[w->count].a = a;
    w->ops[w->count].times = times;
    return w->count++;
}

/* Steps, loops and branches. */
static void emit_body(struct fixture *w, unsigned depth, uint32_t function)
{
    for (uint32_t i = 0, n = 1 + any(w, 4); i < n && w->count < 150; ++i) {
        uint32_t what = any(w, depth < 4 ? 6 : 2);
        if (what <= 2) {
            any_step(w);
            emit(w, DO, 0, 0);
        } else if (what == 3) {
            uint32_t skip = emit(w, SKIP, 0, 1 + any(w, 4));
            emit_body(w, depth + 1, function);
            w->ops[skip].a = w->count;
        } else if (what == 4 && function) {
            emit(w, CALL, function, 0);
        } else {
            emit(w, LOOP, 0, 1 + any(w, 5));
            uint32_t head = w->count;
            emit_body(w, depth + 1, function);
            emit(w, LOOP_END, head, w->ops[head - 1].times);
        }
    }
}

/* As the engine does it. */
static void execute(struct fixture *w, struct trace *trace, uint32_t at)
{
    VEC(uint32_t) callers = { 0 };
    VEC(uint32_t) loops = { 0 };
    *vec_push(&w->ran) = RUN_STARTS;
    trace_begin(trace, at);
    for (uint32_t next;; at = next) {
        *vec_push(&w->ran) = at;
        next = at + 1;
        bool iteration = false;
        if (w->ops[at].kind == LOOP) {
            *vec_push(&loops) = w->ops[at].times;
        } else if (w->ops[at].kind == LOOP_END) {
            if (--loops.data[loops.count - 1])
                next = w->ops[at].a, iteration = true;
            else
                --loops.count;
        } else if (w->ops[at].kind == SKIP && any(w, w->ops[at].times) == 0) {
            next = w->ops[at].a;
        } else if (w->ops[at].kind == CALL) {
            *vec_push(&callers) = at + 1;
            next = w->ops[at].a;
        } else if (w->ops[at].kind == RETURN) {
            if (!callers.count)
                break;
            next = callers.data[--callers.count];
        }
        if (next != at + 1 && !trace_again(trace, at, next))
            trace_jump(trace, at, next, (uint32_t)callers.count, iteration);
    }
    trace_end(trace, at + 1);
    vec_free(&callers);
    vec_free(&loops);
}

/* ---- the same by the rules, one tile after another ---- */

static uint64_t latest(const struct fixture *w)
{
    uint64_t max = 0;
    for (size_t t = 0; t < w->clocks.count; ++t)
        max = w->clocks.data[t] > max ? w->clocks.data[t] : max;
    return max;
}

static void naive_sync(struct fixture *w, bool external)
{
    const pop_target *target = &w->image->target;
    uint64_t together = latest(w) + target->global_sync_cycles;
    for (unsigned ipu = 0; ipu < target->num_ipus; ++ipu) {
        uint64_t release = 0, *clocks = w->clocks.data + (size_t)ipu * target->tiles_per_ipu;
        for (unsigned t = 0; t < target->tiles_per_ipu; ++t)
            release =
                clocks[t] + cost_sync_arrive(target, t) > release ? clocks[t] + cost_sync_arrive(target, t) : release;
        for (unsigned t = 0; t < target->tiles_per_ipu; ++t) {
            uint64_t on = external && target->num_ipus > 1 ? together : release + cost_sync_resume(target, t);
            w->spent[4].data[(size_t)ipu * target->tiles_per_ipu + t] += on - clocks[t];
            clocks[t] = on;
        }
    }
}

static void naive_event(const struct fixture *w, event_list *events, uint32_t step, uint64_t from, uint64_t cycles)
{
    uint64_t to = latest(w);
    const struct model_step *of = w->image->model.steps.data + step;
    *vec_push(events) = (struct timeline_event){
        .step = step, .kind = of->kind, .from = from, .to = to, .cycles = cycles, .overlapped = cycles - (to - from)
    };
}

static void naive_step(struct fixture *w, uint32_t step, event_list *events)
{
    const struct model *m = &w->image->model;
    const struct model_step *of = m->steps.data + step;
    if (of->kind == MODEL_SYNC) {
        naive_sync(w, of->detail == MODEL_SYNC_EXTERNAL);
        return;
    }
    if (of->kind != MODEL_EXECUTE)
        naive_sync(w, of->kind != MODEL_EXCHANGE);
    uint64_t from = latest(w), longest = 0;
    if (of->kind == MODEL_EXECUTE) {
        const struct model_set *set = m->sets.data + of->index;
        for (uint32_t i = 0; i < set->parts; ++i) {
            struct model_part part = m->parts.data[set->first_part + i];
            longest = part.cycles > longest ? part.cycles : longest;
            for (uint32_t t = part.tile; t < part.tile + part.tiles; ++t)
                w->clocks.data[t] += part.cycles, w->spent[0].data[t] += part.cycles;
        }
    } else {
        const struct model_exchange *x = (of->kind == MODEL_EXCHANGE      ? m->exchanges.data
                                          : of->kind == MODEL_STREAM_COPY ? m->host_exchanges.data
                                                                          : m->global_exchanges.data) +
                                         of->index;
        int account = of->kind == MODEL_EXCHANGE ? 1 : of->kind == MODEL_GLOBAL_EXCHANGE ? 2 : 3;
        for (uint32_t i = 0; i < x->flows; ++i) {
            struct model_flow flow = m->flows.data[x->first_flow + i];
            longest = flow.cycles > longest ? flow.cycles : longest;
            for (uint32_t t = flow.tile; t < flow.tile + flow.tiles; ++t)
                w->clocks.data[t] += flow.cycles, w->spent[account].data[t] += flow.cycles;
        }
    }
    naive_event(w, events, step, from, longest);
    if (of->kind == MODEL_STREAM_COPY) {
        naive_sync(w, false);
        naive_sync(w, false);
    }
}

static void naive(struct fixture *w, event_list *events)
{
    const struct model *m = &w->image->model;
    size_t tiles = (size_t)w->image->target.num_ipus * w->image->target.tiles_per_ipu;
    memset(vec_extend(&w->clocks, tiles), 0, tiles * sizeof(uint64_t));
    for (int i = 0; i < 5; ++i)
        memset(vec_extend(&w->spent[i], tiles), 0, tiles * sizeof(uint64_t));
    for (size_t i = 0; i < w->ran.count; ++i) {
        uint32_t op = w->ran.data[i];
        for (size_t e = 0; op == RUN_STARTS && e < m->entry.count; ++e)
            naive_step(w, m->entry.data[e], events);
        for (size_t s = op == RUN_STARTS ? 0 : m->op_first.data[op]; op != RUN_STARTS && s < m->op_first.data[op + 1];
             ++s)
            naive_step(w, m->op_steps.data[s], events);
    }
}

static void assert_same_accounts(const struct fixture *w, const struct timeline *timeline)
{
    for (size_t t = 0; t < w->clocks.count; ++t) {
        const struct timeline_cycles *c = &timeline->tiles[t].cycles;
        assert_int_equal(timeline->tiles[t].end, w->clocks.data[t]);
        assert_int_equal(c->compute, w->spent[0].data[t]);
        assert_int_equal(c->exchange, w->spent[1].data[t]);
        assert_int_equal(c->global_exchange, w->spent[2].data[t]);
        assert_int_equal(c->stream_copy, w->spent[3].data[t]);
        assert_int_equal(c->sync, w->spent[4].data[t]);
        assert_int_equal(c->compute + c->exchange + c->global_exchange + c->stream_copy + c->sync,
                         timeline->tiles[t].end);
    }
    assert_int_equal(timeline->end, latest(w));
}

static void one_random_program(uint32_t seed)
{
    struct fixture w = { .seed = seed, .image = model_image("ipu1", 1 + seed % 3) };
    pop_target *target = &w.image->target;
    target->tiles_per_ipu = 1 + any(&w, 9);
    target->min_ipu_sync_delay = any(&w, 40);
    target->max_ipu_sync_delay = target->min_ipu_sync_delay + any(&w, 80);
    target->global_sync_cycles = any(&w, 200);
    uint32_t function = 0;
    emit(&w, RETURN, 0, 0);
    if (any(&w, 2)) {
        function = w.count;
        emit_body(&w, 2, 0);
        emit(&w, RETURN, 0, 0);
    }
    uint32_t start = w.count;
    emit_body(&w, 0, function);
    emit(&w, RETURN, 0, 0);
    if (any(&w, 2))
        for (uint32_t i = 0; i < w.image->model.steps.count && i < 2; ++i)
            *vec_push(&w.image->model.entry) = any(&w, (uint32_t)w.image->model.steps.count);
    struct trace trace = { 0 };
    for (uint32_t i = 0, runs = 1 + any(&w, 12), turns = 1 + any(&w, 3); i < runs; ++i)
        execute(&w, &trace, i % turns ? start : function); /* or the step of an empty program */
    event_list events = { 0 }, expected = { 0 };
    naive(&w, &expected);
    struct timeline folded, listed;
    timeline_make(&folded, w.image, &trace, NULL, NULL);
    timeline_make(&listed, w.image, &trace, model_keep, &events);
    assert_same_accounts(&w, &folded);
    assert_same_accounts(&w, &listed);
    size_t at = 0;
    for (size_t i = 0; i < events.count; ++i) {
        if (events.data[i].kind == MODEL_SYNC)
            continue;
        assert_true(at < expected.count);
        struct timeline_event seen = events.data[i], want = expected.data[at++];
        assert_int_equal(seen.step, want.step);
        assert_int_equal(seen.from, want.from);
        assert_int_equal(seen.to, want.to);
        assert_int_equal(seen.cycles, want.cycles);
        assert_int_equal(seen.overlapped, want.overlapped);
    }
    assert_int_equal(at, expected.count);
    uint64_t *counts = mem_zero(w.count, sizeof(*counts));
    trace_count(&trace, counts);
    for (size_t i = 0; i < w.ran.count; ++i)
        if (w.ran.data[i] != RUN_STARTS)
            --counts[w.ran.data[i]];
    for (uint32_t i = 0; i < w.count; ++i)
        assert_int_equal(counts[i], 0);
    free(counts);
    timeline_free(&folded);
    for (int i = 0; i < 5; ++i)
        vec_free(&w.spent[i]);
    vec_free(&w.clocks);
    vec_free(&w.ran);
    vec_free(&expected);
    model_close(w.image, &trace, &listed, &events);
}

/* Loops, branches, functions and runs: with folded blocks, without, and without a trace. */
static void random_programs_agree(void **state)
{
    (void)state;
    const char *rounds = getenv("TREMULA_ROUNDS");
    uint32_t count = 1000 * (rounds ? (uint32_t)atoi(rounds) : 1);
    for (uint32_t seed = 1; seed <= count; ++seed)
        one_random_program(seed);
}

/* A loop without syncs is longer than any remembered sequence; and counts exceed any simulation. */
static void long_loops(void **state)
{
    (void)state;
    struct image *image = model_image("ipu1", 1);
    model_add_set(image);
    model_part(image, 3, 2, 10, 5);
    model_execute(image);
    struct trace trace = { 0 };
    trace_begin(&trace, 0);
    const uint64_t million = 1000000;
    for (uint64_t i = 1; i < million; ++i)
        trace_jump(&trace, 0, 0, 0, true);
    trace_end(&trace, 1);
    assert_true(trace.entries.count < 10);
    struct timeline timeline;
    timeline_make(&timeline, image, &trace, NULL, NULL);
    assert_int_equal(timeline.end, 10 * million);
    assert_int_equal(timeline.steps, million);
    timeline_free(&timeline);
    model_op(image, MODEL_SYNC, MODEL_SYNC_INTERNAL, 0);
    trace_reset(&trace);
    trace_begin(&trace, 0);
    for (uint64_t i = 1; i < million; ++i)
        trace_jump(&trace, 1, 0, 0, true);
    trace_end(&trace, 2);
    timeline_make(&timeline, image, &trace, NULL, NULL);
    assert_int_equal(timeline.end, 118 * million); /* the farthest tile's round trip hides ten cycles of a near one */
    model_close(image, &trace, &timeline, &(event_list){ 0 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guides_listing),
        cmocka_unit_test(the_guides_data),
        cmocka_unit_test(another_machine_calculated_by_hand),
        cmocka_unit_test(empty_exchanges_cost_nothing),
        cmocka_unit_test(several_ipus),
        cmocka_unit_test(nothing_ran),
        cmocka_unit_test(random_programs_agree),
        cmocka_unit_test(long_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
