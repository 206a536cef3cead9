/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/clock.h"

#include "target/cost.h"

#include <assert.h>

enum { DEPTH_MAX = 32 };

size_t work_count(const struct model *model)
{
    return model->sets.count + model->exchanges.count + model->global_exchanges.count + model->host_exchanges.count;
}

size_t work_of_step(const struct model *model, const struct model_step *step)
{
    assert(step->index < (step->kind == MODEL_EXECUTE ? model->sets.count : SIZE_MAX));
    size_t first = 0;
    switch (step->kind) {
    case MODEL_STREAM_COPY:
        first += model->global_exchanges.count; /* fall through */
    case MODEL_GLOBAL_EXCHANGE:
        first += model->exchanges.count; /* fall through */
    case MODEL_EXCHANGE:
        first += model->sets.count; /* fall through */
    case MODEL_EXECUTE:
        return first + step->index;
    default:
        return work_count(model);
    }
}

struct clock_work work_at(const struct model *model, const struct step_costs *costs, size_t number)
{
    if (number < model->sets.count) {
        const struct model_set *set = model->sets.data + number;
        return (struct clock_work){ MODEL_EXECUTE, set->parts ? model->parts.data + set->first_part : NULL, NULL,
                                    set->parts };
    }
    const struct model_exchange *exchange;
    unsigned kind = MODEL_EXCHANGE;
    number -= model->sets.count;
    if (number < model->exchanges.count) {
        exchange = model->exchanges.data + number;
    } else if ((number -= model->exchanges.count) < model->global_exchanges.count) {
        kind = MODEL_GLOBAL_EXCHANGE;
        exchange = model->global_exchanges.data + number;
    } else if ((number -= model->global_exchanges.count) < model->host_exchanges.count) {
        kind = MODEL_STREAM_COPY;
        exchange = model->host_exchanges.data + number;
    } else {
        number -= model->host_exchanges.count;
        if (!costs || number >= costs->list.count)
            return (struct clock_work){ 0 };
        const struct step_cost *cost = costs->list.data + number;
        return (struct clock_work){ MODEL_EXECUTE, cost->parts ? costs->parts.data + cost->first_part : NULL, NULL,
                                    cost->parts };
    }
    return (struct clock_work){ kind, NULL, exchange->flows ? model->flows.data + exchange->first_flow : NULL,
                                exchange->flows };
}

struct clock_work work_of_set(const struct model *model, const struct step_costs *costs, size_t set)
{
    const struct step_cost *last = step_costs_of(costs, set);
    size_t number = last ? work_count(model) + (size_t)(last - costs->list.data) : set;
    return work_at(model, costs, number);
}

/* The two limits of a shape on each IPU. */
static uint64_t *limits_of(const struct clock *clock, uint32_t shape)
{
    assert(shape < clock->shapes.count);
    return clock->limits.data + (size_t)shape * clock->ipus * 2;
}

static uint64_t max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t add_shape(struct clock *clock, struct shape shape)
{
    *vec_push(&clock->shapes) = shape;
    memset(vec_extend(&clock->limits, (size_t)clock->ipus * 2), 0, (size_t)clock->ipus * 2 * sizeof(uint64_t));
    return (uint32_t)clock->shapes.count - 1;
}

void clock_start(struct clock *clock, const struct image *image)
{
    const pop_target *target = &image->target;
    *clock =
        (struct clock){ .model = &image->model, .ipus = target->num_ipus, .tiles = target->tiles_per_ipu, .weight = 1 };
    clock->many = image_device_ipus(image) > 1;
    clock->global_sync = cost_sync_global(target, image_device_ipus(image));
    clock->arrive = mem_zero(clock->tiles, sizeof(unsigned));
    clock->resume = mem_zero(clock->tiles, sizeof(unsigned));
    clock->base = mem_zero(clock->ipus, sizeof(uint64_t));
    clock->waited = mem_zero(clock->ipus, sizeof(uint64_t));
    clock->offsets = mem_zero((size_t)clock->ipus * clock->tiles, sizeof(uint64_t));
    clock->deep = mem_zero((size_t)clock->ipus * clock->tiles, sizeof(uint64_t));
    for (uint32_t i = 0; i < SHAPES_FIXED; ++i)
        add_shape(clock, (struct shape){ i, UINT32_MAX, 0, 0 });
    for (unsigned t = 0; t < clock->tiles; ++t) {
        clock->arrive[t] = cost_sync_arrive(target, t);
        clock->resume[t] = cost_sync_resume(target, t);
        for (unsigned i = 0; i < clock->ipus; ++i) {
            uint64_t *level = limits_of(clock, SHAPE_LEVEL) + 2 * (size_t)i,
                     *resumed = limits_of(clock, SHAPE_RESUMED) + 2 * (size_t)i;
            level[1] = max(level[1], clock->arrive[t]);
            resumed[0] = max(resumed[0], clock->resume[t]);
            resumed[1] = max(resumed[1], (uint64_t)clock->resume[t] + clock->arrive[t]);
        }
    }
}

void clock_free(struct clock *clock)
{
    free(clock->arrive);
    free(clock->resume);
    free(clock->base);
    free(clock->waited);
    free(clock->offsets);
    free(clock->deep);
    free(clock->slots);
    vec_free(&clock->shapes);
    vec_free(&clock->limits);
}

uint64_t clock_now(const struct clock *clock)
{
    const uint64_t *limits = limits_of(clock, clock->shape);
    uint64_t now = 0;
    for (unsigned i = 0; i < clock->ipus; ++i)
        now = max(now, clock->base[i] + limits[2 * (size_t)i]);
    return now;
}

void clock_sync(struct clock *clock, bool external)
{
    assert(clock->weight);
    const uint64_t *limits = limits_of(clock, clock->shape);
    bool global = external && clock->many;
    uint64_t together = global ? clock_now(clock) + clock->global_sync : 0;
    for (unsigned i = 0; i < clock->ipus; ++i) {
        uint64_t release = global ? together : clock->base[i] + limits[2 * (size_t)i + 1];
        clock->waited[i] += (release - clock->base[i]) * clock->weight;
        clock->base[i] = release;
    }
    if (clock->shape == SHAPE_DEEP)
        for (size_t t = 0; t < (size_t)clock->ipus * clock->tiles; ++t)
            clock->deep[t] += clock->offsets[t] * clock->weight;
    else
        clock->shapes.data[clock->shape].closed += clock->weight;
    clock->resumed += global ? 0 : clock->weight;
    clock->shape = global ? SHAPE_LEVEL : SHAPE_RESUMED;
}

/* Adds a work's cycles to the offsets, and lifts the limits over the tiles that have some.  Spans are in order of tile.
 */
static void apply(struct clock *clock, size_t number, uint64_t times, uint64_t *limits)
{
    struct clock_work work = work_at(clock->model, clock->costs, number);
    uint32_t base = 0; /* first tile of the IPU that limits belong to */
    uint64_t done = limits[0], asked = limits[1];
    for (size_t i = 0; i < work.count; ++i) {
        struct span span = work_span(&work, i);
        assert(span.tiles && span.tile >= base);
        assert(!i || span.tile >= work_span(&work, i - 1).tile + work_span(&work, i - 1).tiles);
        uint64_t cycles = span.cycles * times;
        for (uint32_t t = span.tile, end = span.tile + span.tiles; t < end;) {
            while (t - base >= clock->tiles) {
                limits[0] = done, limits[1] = asked;
                limits += 2;
                base += clock->tiles;
                done = limits[0], asked = limits[1];
            }
            uint32_t stop = end - base < clock->tiles ? end : base + clock->tiles;
            for (; t < stop; ++t) {
                uint64_t offset = clock->offsets[t] += cycles;
                done = max(done, offset);
                asked = max(asked, offset + clock->arrive[t - base]);
            }
        }
    }
    limits[0] = done, limits[1] = asked;
}

/* Makes offsets those of a shape. */
static void show(struct clock *clock, uint32_t shape)
{
    if (clock->offsets_of == shape)
        return;
    uint32_t path[DEPTH_MAX], count = 0, at = shape;
    for (; at >= SHAPES_FIXED; at = clock->shapes.data[at].parent)
        path[count++] = clock->shapes.data[at].work;
    assert(at == SHAPE_LEVEL || at == SHAPE_RESUMED); /* deep offsets are never made again */
    for (size_t i = 0, t = 0; i < clock->ipus; ++i)
        for (unsigned tile = 0; tile < clock->tiles; ++tile)
            clock->offsets[t++] = at == SHAPE_RESUMED ? clock->resume[tile] : 0;
    uint64_t *limits = limits_of(clock, shape); /* have these values already */
    while (count)
        apply(clock, path[--count], 1, limits);
    clock->offsets_of = shape;
}

static size_t slot_of(const struct clock *clock, uint32_t parent, uint32_t work)
{
    uint64_t hash = ((uint64_t)parent << 32 | work) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 32) & (clock->slot_count - 1);
}

static void put_shape(struct clock *clock, uint32_t shape)
{
    const struct shape *s = clock->shapes.data + shape;
    size_t slot = slot_of(clock, s->parent, s->work);
    while (clock->slots[slot])
        slot = (slot + 1) & (clock->slot_count - 1);
    clock->slots[slot] = shape;
}

static uint32_t find_shape(const struct clock *clock, uint32_t parent, uint32_t work)
{
    for (size_t slot = clock->slot_count ? slot_of(clock, parent, work) : 0; clock->slot_count && clock->slots[slot];
         slot = (slot + 1) & (clock->slot_count - 1)) {
        const struct shape *s = clock->shapes.data + clock->slots[slot];
        if (s->parent == parent && s->work == work)
            return clock->slots[slot];
    }
    return 0;
}

static void grow_slots(struct clock *clock)
{
    if ((clock->shapes.count + 1) * 2 < clock->slot_count)
        return;
    free(clock->slots);
    clock->slot_count = clock->slot_count ? clock->slot_count * 2 : 256;
    clock->slots = mem_zero(clock->slot_count, sizeof(*clock->slots));
    for (size_t i = SHAPES_FIXED; i < clock->shapes.count; ++i)
        put_shape(clock, (uint32_t)i);
}

/* From here on the offsets themselves are kept. */
static void enter_deep_shape(struct clock *clock)
{
    if (clock->shape == SHAPE_DEEP)
        return;
    show(clock, clock->shape);
    memcpy(limits_of(clock, SHAPE_DEEP), limits_of(clock, clock->shape), (size_t)clock->ipus * 2 * sizeof(uint64_t));
    clock->shape = clock->offsets_of = SHAPE_DEEP;
}

void clock_works(struct clock *clock, size_t work, uint64_t times)
{
    enter_deep_shape(clock);
    apply(clock, work, times, limits_of(clock, SHAPE_DEEP));
}

void clock_work(struct clock *clock, size_t work)
{
    uint32_t parent = clock->shape, found = find_shape(clock, parent, (uint32_t)work);
    if (found) {
        clock->shape = found;
        return;
    }
    if (!work_at(clock->model, clock->costs, work).count)
        return;
    uint32_t depth = clock->shapes.data[parent].depth + 1;
    if (parent == SHAPE_DEEP || depth > DEPTH_MAX || clock->shapes.count >= UINT32_MAX / 2) {
        clock_works(clock, work, 1);
        return;
    }
    show(clock, parent);
    grow_slots(clock);
    uint32_t shape = add_shape(clock, (struct shape){ parent, (uint32_t)work, depth, 0 });
    memcpy(limits_of(clock, shape), limits_of(clock, parent), (size_t)clock->ipus * 2 * sizeof(uint64_t));
    apply(clock, work, 1, limits_of(clock, shape));
    clock->shape = clock->offsets_of = shape;
    put_shape(clock, shape);
}

const uint64_t *clock_offsets(struct clock *clock, uint32_t shape)
{
    show(clock, shape);
    return clock->offsets;
}

void clock_forget(struct clock *clock)
{
    if (clock->shape >= SHAPE_DEEP)
        return;
    clock->shapes.count = SHAPES_FIXED;
    clock->limits.count = (size_t)SHAPES_FIXED * clock->ipus * 2;
    clock->offsets_of = UINT32_MAX;
    if (clock->slot_count)
        memset(clock->slots, 0, clock->slot_count * sizeof(*clock->slots));
}

uint64_t clock_tile(struct clock *clock, uint32_t tile)
{
    assert(tile < clock->ipus * clock->tiles);
    show(clock, clock->shape);
    return clock->base[tile / clock->tiles] + clock->offsets[tile];
}

void clock_waited(struct clock *clock, uint64_t *waited)
{
    size_t tiles = (size_t)clock->ipus * clock->tiles;
    for (size_t t = 0; t < tiles; ++t)
        waited[t] +=
            clock->waited[t / clock->tiles] + clock->resumed * clock->resume[t % clock->tiles] - clock->deep[t];
    uint64_t *kept = clock->shape == SHAPE_DEEP ? mem_copy(clock->offsets, tiles * sizeof(*kept)) : NULL;
    for (uint32_t s = 0; s < clock->shapes.count; ++s) {
        uint64_t closed = clock->shapes.data[s].closed;
        if (!closed || s == SHAPE_DEEP)
            continue;
        show(clock, s);
        for (size_t t = 0; t < tiles; ++t)
            waited[t] -= clock->offsets[t] * closed;
    }
    if (kept) {
        memcpy(clock->offsets, kept, tiles * sizeof(*kept));
        clock->offsets_of = SHAPE_DEEP;
    }
    free(kept);
}
