/* SPDX-License-Identifier: Apache-2.0 */
/* Maps variables by use. The collected uses are cut into regions with equal sets of tiles; the regions of a variable
 * with the same set are divided among the tiles of the set. */
#include "poplibs/log.h"
#include "poputil/part_order.h"

#include <assert.h>
#include <poputil/tile_mapping.h>
#include <poputil/util.h>

struct use {
    uint32_t variable;
    unsigned tile;
    pop_interval interval;
};

struct uses {
    struct use *list;
    size_t count, capacity;
};

struct poputil_use_tracker {
    unsigned num_tiles, start_tile;
    bool ascending;
    struct uses uses;
};

static void push(struct uses *uses, uint32_t variable, unsigned tile, size_t begin, size_t end)
{
    if (begin == end)
        return;
    *poplibs_push(uses) = (struct use){ variable, tile, { begin, end } };
}

poputil_use_tracker *poputil_use_tracker_create(unsigned num_tiles, unsigned start_tile, bool ascending)
{
    poputil_use_tracker *tracker = poplibs_zeros(1, sizeof(*tracker));
    tracker->num_tiles = num_tiles;
    tracker->start_tile = start_tile;
    tracker->ascending = ascending;
    return tracker;
}

void poputil_use_tracker_destroy(poputil_use_tracker *tracker)
{
    if (!tracker)
        return;
    free(tracker->uses.list);
    free(tracker);
}

bool poputil_use_tracker_empty(const poputil_use_tracker *tracker)
{
    return !tracker || tracker->uses.count == 0;
}

void poputil_use_tracker_add_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph, unsigned tile,
                                pop_tensor t)
{
    POPLIBS_CALL(graph, tile, t);
    if (!tracker || !call_ready(call))
        return;
    if (tile >= tracker->num_tiles) {
        call_fail(call, POP_INDEX_ERROR, "there is no tile %u: the tracker has %u", tile, tracker->num_tiles);
        return;
    }
    pop_variable_interval *regions = NULL;
    size_t count = pop_tensor_var_regions(t, &regions);
    for (size_t i = 0; i < count; ++i)
        push(&tracker->uses, regions[i].variable, tile, regions[i].interval.begin, regions[i].interval.end);
    free(regions);
}

void poputil_use_tracker_add_tracker(poputil_use_tracker *tracker, const poputil_use_tracker *other)
{
    size_t count = other ? other->uses.count : 0;
    for (size_t i = 0; tracker && i < count; ++i) {
        struct use use = other->uses.list[i];
        push(&tracker->uses, use.variable, use.tile, use.interval.begin, use.interval.end);
    }
    if (tracker && other && other->num_tiles > tracker->num_tiles)
        tracker->num_tiles = other->num_tiles;
}

/* ---- regions and the sets of tiles that use them ---- */

/* The tiles at [first, first + count) of the pool, in ascending order. */
struct tile_set {
    uint64_t hash; /* exclusive or of a 64-bit number for each tile; sets with equal hashes are assumed to be equal */
    size_t first, count;
};

struct region {
    uint32_t variable, set;
    pop_interval interval;
};

struct event {
    uint32_t variable;
    unsigned tile;
    size_t at;
    int change; /* 1 where a use begins, -1 where it ends */
};

struct use_sweep {
    struct {
        struct region *list;
        size_t count, capacity;
    } regions;
    struct {
        struct tile_set *list;
        size_t count, capacity;
    } sets;
    uint32_t *table; /* hash table of set + 1; the size is a power of two and more than twice the number of entries */
    size_t table_size;
    struct {
        unsigned *list;
        size_t count, capacity;
    } pool;
    unsigned *active, *place, *times; /* active tiles; by tile: position in that list, number of current uses */
    size_t num_active;
    uint64_t hash;
};

static int compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}
static int compare_tiles(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}
static int compare_regions(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    return x->interval.begin < y->interval.begin ? -1 : x->interval.begin > y->interval.begin;
}

static uint64_t mix(uint64_t x)
{
    x = (x + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void grow_table(struct use_sweep *s)
{
    s->table_size = s->table_size ? 2 * s->table_size : 64;
    free(s->table);
    s->table = poplibs_zeros(s->table_size, sizeof(*s->table));
    for (size_t i = 0; i < s->sets.count; ++i) {
        size_t slot = s->sets.list[i].hash & (s->table_size - 1);
        while (s->table[slot])
            slot = (slot + 1) & (s->table_size - 1);
        s->table[slot] = (uint32_t)i + 1;
    }
}

/* The index of the set of currently active tiles. */
static uint32_t active_set(struct use_sweep *s)
{
    if (2 * (s->sets.count + 1) > s->table_size)
        grow_table(s);
    size_t slot = s->hash & (s->table_size - 1);
    for (; s->table[slot]; slot = (slot + 1) & (s->table_size - 1)) {
        const struct tile_set *set = &s->sets.list[s->table[slot] - 1];
        if (set->hash == s->hash && set->count == s->num_active)
            return s->table[slot] - 1;
    }
    poplibs_reserve(&s->pool, s->num_active);
    unsigned *tiles = s->pool.list + s->pool.count;
    memcpy(tiles, s->active, s->num_active * sizeof(*tiles));
    qsort(tiles, s->num_active, sizeof(*tiles), compare_tiles);
    *poplibs_push(&s->sets) = (struct tile_set){ s->hash, s->pool.count, s->num_active };
    s->pool.count += s->num_active;
    s->table[slot] = (uint32_t)s->sets.count;
    return s->table[slot] - 1;
}

static void add_region(struct use_sweep *s, uint32_t variable, size_t begin, size_t end)
{
    assert(begin < end && s->num_active);
    uint32_t set = active_set(s);
    struct region *last = s->regions.count ? &s->regions.list[s->regions.count - 1] : NULL;
    if (last && last->variable == variable && last->set == set && last->interval.end == begin) {
        last->interval.end = end;
        return;
    }
    *poplibs_push(&s->regions) = (struct region){ variable, set, { begin, end } };
}

static void change(struct use_sweep *s, unsigned tile, int by)
{
    unsigned before = s->times[tile];
    assert(by > 0 || before);
    s->times[tile] = (unsigned)((int)before + by);
    if (before && s->times[tile])
        return;
    s->hash ^= mix(tile);
    if (!before) {
        s->place[tile] = (unsigned)s->num_active;
        s->active[s->num_active++] = tile;
    } else {
        unsigned last = s->active[--s->num_active];
        s->active[s->place[tile]] = last;
        s->place[last] = s->place[tile];
    }
}

/* A pass of a sort by digits: of the variable, or of the element. */
enum { EVENT_BITS = 11, EVENT_DIGITS = 1 << EVENT_BITS, FEW_EVENTS = 512 };
static size_t event_digit(const struct event *event, unsigned shift, bool by_variable)
{
    return (by_variable ? event->variable : event->at) >> shift & (EVENT_DIGITS - 1);
}

static void sort_by_digit(const struct event *from, struct event *to, size_t count, unsigned shift, bool by_variable)
{
    size_t next[EVENT_DIGITS + 1] = { 0 };
    for (size_t i = 0; i < count; ++i)
        ++next[event_digit(&from[i], shift, by_variable) + 1];
    for (size_t digit = 1; digit < EVENT_DIGITS; ++digit)
        next[digit] += next[digit - 1];
    for (size_t i = 0; i < count; ++i)
        to[next[event_digit(&from[i], shift, by_variable)]++] = from[i];
}

/* By variable and element: there are some hundred thousand, of few variables.  Frees events, returns them sorted. */
static struct event *sorted_events(struct event *events, size_t count)
{
    size_t elements = 0, variables = 0;
    if (count < FEW_EVENTS) {
        qsort(events, count, sizeof(*events), compare_events);
        return events;
    }
    for (size_t i = 1; i < count; ++i) {
        elements |= events[i].at ^ events[0].at;
        variables |= events[i].variable ^ events[0].variable;
    }
    struct event *spare = poplibs_new(count, sizeof(*spare));
    for (unsigned pass = 0; pass < 2; ++pass)
        for (size_t differ = pass ? variables : elements, shift = 0; differ >> shift; shift += EVENT_BITS) {
            struct event *from = events;
            sort_by_digit(from, spare, count, (unsigned)shift, pass);
            events = spare;
            spare = from;
        }
    free(spare);
    return events;
}

/* Cuts the collected uses into regions with one set of tiles each, in the order of variables and elements. */
static void sweep(const poputil_use_tracker *tracker, struct use_sweep *s)
{
    size_t count = 2 * tracker->uses.count;
    struct event *events = poplibs_new(count, sizeof(*events));
    for (size_t i = 0; i < tracker->uses.count; ++i) {
        struct use use = tracker->uses.list[i];
        events[2 * i] = (struct event){ use.variable, use.tile, use.interval.begin, 1 };
        events[2 * i + 1] = (struct event){ use.variable, use.tile, use.interval.end, -1 };
    }
    events = sorted_events(events, count);
    s->active = poplibs_new(tracker->num_tiles, sizeof(*s->active));
    s->place = poplibs_new(tracker->num_tiles, sizeof(*s->place));
    s->times = poplibs_zeros(tracker->num_tiles, sizeof(*s->times));
    for (size_t i = 0; i < count; ++i) {
        if (i && s->num_active && events[i].at > events[i - 1].at)
            add_region(s, events[i].variable, events[i - 1].at, events[i].at);
        /* Begins are processed first, so that no count becomes negative. */
        size_t end = i;
        while (end < count && events[end].variable == events[i].variable && events[end].at == events[i].at)
            ++end;
        for (int by = 1; by >= -1; by -= 2)
            for (size_t k = i; k < end; ++k)
                if (events[k].change == by)
                    change(s, events[k].tile, by);
        i = end - 1;
    }
    free(events);
}

static void sweep_free(struct use_sweep *s)
{
    free(s->regions.list);
    free(s->sets.list);
    free(s->table);
    free(s->pool.list);
    free(s->active);
    free(s->place);
    free(s->times);
}

/* ---- resolving ---- */

/* Assigns unused elements between regions, before the first and after the last to a neighbouring region. */
static void extend(const struct call *call, struct use_sweep *s)
{
    for (size_t i = 0; i < s->regions.count; ++i) {
        struct region *region = &s->regions.list[i], *next = i + 1 < s->regions.count ? region + 1 : NULL;
        if (i == 0 || region[-1].variable != region->variable)
            region->interval.begin = 0;
        region->interval.end = next && next->variable == region->variable
                                   ? next->interval.begin
                                   : pop_tensor_num_elements(pop_graph_variable(call->graph, region->variable));
    }
}

static bool is_part(const struct use_sweep *s, uint32_t part, uint32_t whole)
{
    const struct tile_set a = s->sets.list[part], b = s->sets.list[whole];
    size_t k = 0;
    for (size_t i = 0; i < a.count; ++i) {
        while (k < b.count && s->pool.list[b.first + k] < s->pool.list[a.first + i])
            ++k;
        if (k == b.count || s->pool.list[b.first + k] != s->pool.list[a.first + i])
            return false;
    }
    return a.count < b.count;
}

/* A region joins an adjacent region whose tiles are a proper subset of its own. */
static void shrink_halos(struct use_sweep *s)
{
    uint32_t *sets = poplibs_new(s->regions.count, sizeof(*sets));
    for (size_t i = 0; i < s->regions.count; ++i) {
        const struct region *r = &s->regions.list[i];
        bool after = i && r[-1].variable == r->variable && r[-1].interval.end == r->interval.begin;
        bool before =
            i + 1 < s->regions.count && r[1].variable == r->variable && r[1].interval.begin == r->interval.end;
        sets[i] = after && is_part(s, r[-1].set, r->set)   ? r[-1].set
                  : before && is_part(s, r[1].set, r->set) ? r[1].set
                                                           : r->set;
    }
    for (size_t i = 0; i < s->regions.count; ++i)
        s->regions.list[i].set = sets[i];
    free(sets);
}

/* Sorts the tiles of a set by the order in which they get parts. */
static void order_tiles(const poputil_use_tracker *tracker, const unsigned *tiles, size_t count, unsigned *ordered)
{
    for (size_t i = 0; i < count; ++i)
        ordered[i] = part_of_tile(tiles[i], tracker->num_tiles, tracker->start_tile, tracker->ascending);
    qsort(ordered, count, sizeof(*ordered), compare_tiles);
    for (size_t i = 0; i < count; ++i)
        ordered[i] = tile_of_part(ordered[i], tracker->num_tiles, tracker->start_tile, tracker->ascending);
}

/* Divides regions of one variable and one set among the set's tiles. */
static void share(poputil_use_tracker *tracker, const struct use_sweep *s, const struct region *regions, size_t count,
                  unsigned grain, unsigned min_elements, struct uses *decided)
{
    const struct tile_set set = s->sets.list[regions[0].set];
    assert(count && set.count);
    pop_interval *intervals = poplibs_new(count, sizeof(*intervals));
    unsigned *tiles = poplibs_new(set.count, sizeof(*tiles));
    for (size_t i = 0; i < count; ++i)
        intervals[i] = regions[i].interval;
    order_tiles(tracker, s->pool.list + set.first, set.count, tiles);
    pop_interval_lists parts;
    poputil_split_regions((pop_interval_list){ count, intervals }, grain, (unsigned)set.count, min_elements,
                          POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    for (size_t part = 0; part < parts.count; ++part)
        for (size_t i = parts.first[part]; i < parts.first[part + 1]; ++i)
            push(decided, regions[0].variable, tiles[part], parts.intervals[i].begin, parts.intervals[i].end);
    pop_interval_lists_free(&parts);
    free(tiles);
    free(intervals);
}

void poputil_use_tracker_resolve_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph,
                                    unsigned grain_size, unsigned min_elements_per_tile, bool extend_partial_usage,
                                    poputil_mapping_method method)
{
    POPLIBS_CALL(graph, grain_size, min_elements_per_tile, extend_partial_usage);
    if (!call_ready(call) || poputil_use_tracker_empty(tracker))
        return;
    struct use_sweep s = { 0 };
    struct uses decided = { 0 };
    sweep(tracker, &s);
    if (extend_partial_usage)
        extend(call, &s);
    if (method == POPUTIL_OPTIMIZE_HALO_REGIONS)
        shrink_halos(&s);
    qsort(s.regions.list, s.regions.count, sizeof(*s.regions.list), compare_regions);
    for (size_t i = 0, end; i < s.regions.count; i = end) {
        for (end = i + 1; end < s.regions.count && s.regions.list[end].variable == s.regions.list[i].variable &&
                          s.regions.list[end].set == s.regions.list[i].set;)
            ++end;
        share(tracker, &s, s.regions.list + i, end - i, grain_size, min_elements_per_tile, &decided);
    }
    sweep_free(&s);
    free(tracker->uses.list);
    tracker->uses = decided;
}

void poputil_use_tracker_map_tensors_by_use_at(pop_where where, poputil_use_tracker *tracker, pop_graph *graph,
                                               unsigned grain_size, unsigned min_elements_per_tile,
                                               bool extend_partial_usage, poputil_mapping_method method)
{
    POPLIBS_CALL(graph, grain_size, min_elements_per_tile, extend_partial_usage);
    poputil_use_tracker_resolve(tracker, graph, grain_size, min_elements_per_tile, extend_partial_usage, method);
    for (size_t i = 0; tracker && i < tracker->uses.count && call_ready(call); ++i) {
        struct use use = tracker->uses.list[i];
        pop_tensor variable = pop_graph_variable(graph, use.variable);
        pop_graph_set_tile_mapping(graph, pop_tensor_slice(variable, use.interval.begin, use.interval.end, 0),
                                   use.tile);
    }
}
