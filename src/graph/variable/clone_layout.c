/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a clone's elements in memory, and the tile mapping that comes with it. */
#include "graph/store/store.h"
#include "graph/variable/clone.h"
#include "graph/variable/variable.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include "base/sort.h"

void clone_layout_free(struct clone_layout *layout)
{
    vec_free(&layout->pieces);
    vec_free(&layout->digits);
    vec_free(&layout->map.ranges);
}

static void add_piece(struct clone_layout *layout, uint64_t offset, uint64_t elements, const struct digit *digit,
                      unsigned digits)
{
    vec_reserve(&layout->digits, digits + 1); /* never NULL, even when no piece has digits */
    *vec_push(&layout->pieces) = (struct piece){ .digits = digits, .offset = offset, .elements = elements };
    if (digits)
        digits_copy(vec_extend(&layout->digits, digits), digit, digits);
}

static void add_contiguous(struct clone_layout *layout, uint64_t offset, uint64_t elements)
{
    add_piece(layout, offset, elements, &(struct digit){ elements, 1 }, elements > 1);
}

/* Calls fn for each part of [begin, end) of a variable that is on one tile (or on none). */
typedef void (*part_fn)(uint64_t begin, uint64_t end, uint32_t tile, void *context);

static void each_part(pop_store *store, const struct run *run, part_fn fn, void *context)
{
    struct tile_map *map = &store->variables.data[run->variable].map;
    size_t cursor = 0;
    tile_map_compact(map);
    for (uint64_t at = run->offset, end = at + run->count; at < end;) {
        uint32_t tile = tile_map_find(map, at, &cursor);
        uint64_t stop = end;
        if (cursor < map->ranges.count)
            stop = tile == UNMAPPED_TILE ? map->ranges.data[cursor].begin : map->ranges.data[cursor].end;
        stop = stop < end ? stop : end;
        fn(at, stop, tile, context);
        at = stop;
    }
}

/* Adds elements to the new variable, with the tile mapping of their originals. */
struct appender {
    struct clone_layout *layout;
    pop_store *store;
};

static void append_part(uint64_t begin, uint64_t end, uint32_t tile, void *context)
{
    struct clone_layout *layout = context;
    uint64_t at = layout->elements;
    layout->elements += end - begin;
    if (tile != UNMAPPED_TILE)
        tile_map_add(&layout->map, at, layout->elements, tile);
}

static bool append_run(const struct run *run, void *context)
{
    const struct appender *appender = context;
    each_part(appender->store, run, append_part, appender->layout);
    return true;
}

void clone_layout_row_major(struct clone_layout *layout, pop_tensor t)
{
    struct appender appender = { layout, t.store };
    tensor_each_run(t, append_run, &appender);
    add_contiguous(layout, 0, layout->elements);
}

/* A piece of the source: its original digits and its position. */
struct source_piece {
    uint32_t variable;
    unsigned digits;
    size_t first, index; /* index of its digits in the pool, its position in flat order */
    uint64_t offset, low, high, elements;
};
struct source_pieces {
    VEC(struct source_piece) list;
    VEC(struct digit) pool;
};

static bool add_source_piece(const struct piece *piece, void *context)
{
    struct source_pieces *pieces = context;
    int64_t low, high;
    digits_span(piece->digit, piece->digits, &low, &high);
    size_t first = pieces->pool.count, index = pieces->list.count;
    vec_reserve(&pieces->pool, piece->digits + 1); /* never NULL, even when no piece has digits */
    if (piece->digits)
        digits_copy(vec_extend(&pieces->pool, piece->digits), piece->digit, piece->digits);
    *vec_push(&pieces->list) = (struct source_piece){ .variable = piece->variable,
                                                      .digits = piece->digits,
                                                      .first = first,
                                                      .index = index,
                                                      .offset = piece->offset,
                                                      .low = piece->offset + (uint64_t)low,
                                                      .high = piece->offset + (uint64_t)high,
                                                      .elements = piece->elements };
    return true;
}

static int by_position(const void *a, const void *b)
{
    const struct source_piece *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return x->low < y->low ? -1 : x->low > y->low;
}

static int by_index(const void *a, const void *b)
{
    const struct source_piece *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Digits in the order of memory, largest step first, without repeats; false when steps interleave, so that order is not
 * by digits. */
static bool sort_digits(const struct digit *digit, unsigned count, struct digit *sorted, unsigned *kept)
{
    *kept = 0;
    for (unsigned i = 0; i < count; ++i) {
        struct digit d = { digit[i].extent, digit[i].stride < 0 ? -digit[i].stride : digit[i].stride };
        if (!d.stride)
            continue;
        unsigned k = (*kept)++;
        for (; k && sorted[k - 1].stride < d.stride; --k)
            sorted[k] = sorted[k - 1];
        sorted[k] = d;
    }
    uint64_t reach = 0;
    for (unsigned i = *kept; i-- > 0; reach += (sorted[i].extent - 1) * (uint64_t)sorted[i].stride)
        if ((uint64_t)sorted[i].stride <= reach)
            return false;
    return true;
}

/* Puts the elements of a piece, as they are in memory, at the end of the new variable; the piece's digits become those
 * of the clone. */
static void append_piece(struct clone_layout *layout, pop_store *store, struct source_pieces *pieces,
                         struct source_piece *piece)
{
    struct digit sorted[MAX_DIGITS + 2], *digit = pieces->pool.data + piece->first;
    unsigned count;
    sort_digits(digit, piece->digits, sorted, &count);
    piece->offset = layout->elements;
    for (unsigned i = 0; i < piece->digits; ++i) {
        int64_t old = digit[i].stride, stride = old ? 1 : 0;
        for (unsigned k = count; old && k-- > 0 && sorted[k].stride < (old < 0 ? -old : old);)
            stride *= (int64_t)sorted[k].extent;
        digit[i].stride = old < 0 ? -stride : stride;
        if (old < 0)
            piece->offset += (digit[i].extent - 1) * (uint64_t)stride;
    }
    struct appender appender = { layout, store };
    struct piece lying = { .variable = piece->variable, .digits = count, .offset = piece->low, .digit = sorted };
    piece_each_run(&lying, append_run, &appender);
}

/* When pieces are one after the other in memory, each keeps its digits. */
static bool layout_pieces(struct clone_layout *layout, pop_tensor t)
{
    struct source_pieces pieces = { .list = { 0 } };
    tensor_each_piece(t, add_source_piece, &pieces);
    qsort(pieces.list.data, pieces.list.count, sizeof(*pieces.list.data), by_position);
    bool apart = true;
    for (size_t i = 0; apart && i < pieces.list.count; ++i) {
        const struct source_piece *piece = &pieces.list.data[i];
        struct digit sorted[MAX_DIGITS + 2];
        unsigned count;
        apart = sort_digits(pieces.pool.data + piece->first, piece->digits, sorted, &count) &&
                (!i || piece[-1].variable != piece->variable || piece[-1].high < piece->low);
    }
    if (apart) {
        for (size_t i = 0; i < pieces.list.count; ++i)
            append_piece(layout, t.store, &pieces, &pieces.list.data[i]);
        qsort(pieces.list.data, pieces.list.count, sizeof(*pieces.list.data), by_index);
        for (size_t i = 0; i < pieces.list.count; ++i) {
            const struct source_piece *piece = &pieces.list.data[i];
            add_piece(layout, piece->offset, piece->elements, pieces.pool.data + piece->first, piece->digits);
        }
    }
    vec_free(&pieces.list);
    vec_free(&pieces.pool);
    return apart;
}

/* A range of a source variable on one tile (0 when tiles do not matter), and where it is in the new one. */
struct clone_range {
    uint32_t tile, variable;
    uint64_t begin, end, at;
};
struct ranges {
    VEC(struct clone_range) list;
    pop_store *store;
    uint32_t variable;
    bool by_tile;
};

static void add_range(uint64_t begin, uint64_t end, uint32_t tile, void *context)
{
    struct ranges *ranges = context;
    *vec_push(&ranges->list) =
        (struct clone_range){ .tile = tile, .variable = ranges->variable, .begin = begin, .end = end };
}

static bool add_ranges(const struct run *run, void *context)
{
    struct ranges *ranges = context;
    ranges->variable = run->variable;
    if (ranges->by_tile)
        each_part(ranges->store, run, add_range, ranges);
    else
        add_range(run->offset, run->offset + run->count, 0, ranges);
    return true;
}

static int by_tile_and_begin(const void *a, const void *b)
{
    const struct clone_range *x = a, *y = b;
    if (x->tile != y->tile)
        return x->tile < y->tile ? -1 : 1;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static uint64_t range_begin(const void *range)
{
    return ((const struct clone_range *)range)->begin;
}
static uint64_t range_place(const void *range)
{
    const struct clone_range *r = range;
    return (uint64_t)r->tile << 32 | r->variable;
}

static void sort_ranges(struct clone_range *range, size_t count)
{
    enum { FEW_RANGES = 256 };
    if (count < FEW_RANGES) {
        if (count)
            qsort(range, count, sizeof(*range), by_tile_and_begin);
        return;
    }
    sort_by_key(range, count, sizeof(*range), range_begin);
    sort_by_key(range, count, sizeof(*range), range_place);
}

/* Sorts ranges and merges those that touch or overlap; returns how many are left. */
static size_t merge_ranges(struct clone_range *range, size_t count)
{
    size_t kept = 0;
    sort_ranges(range, count);
    for (size_t i = 0; i < count; ++i) {
        struct clone_range *last = kept ? &range[kept - 1] : NULL;
        if (last && last->tile == range[i].tile && last->variable == range[i].variable && range[i].begin <= last->end)
            last->end = last->end < range[i].end ? range[i].end : last->end;
        else
            range[kept++] = range[i];
    }
    return kept;
}

/* The merged range that a part belongs to. */
static const struct clone_range *find_range(const struct clone_range *range, size_t count,
                                            const struct clone_range *part)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (by_tile_and_begin(&range[middle], part) <= 0)
            low = middle;
        else
            high = middle;
    }
    return &range[low];
}

static void layout_runs(struct clone_layout *layout, pop_tensor t, bool by_tile)
{
    struct ranges ranges = { .store = t.store, .by_tile = by_tile };
    tensor_each_run(t, add_ranges, &ranges);
    struct clone_range *merged = mem_copy(ranges.list.data, ranges.list.count * sizeof(*merged));
    size_t count = merge_ranges(merged, ranges.list.count);
    struct appender appender = { layout, t.store };
    for (size_t i = 0; i < count; ++i) {
        merged[i].at = layout->elements;
        append_run(&(struct run){ merged[i].variable, merged[i].begin, merged[i].end - merged[i].begin }, &appender);
    }
    for (size_t i = 0; i < ranges.list.count; ++i) {
        const struct clone_range *part = &ranges.list.data[i], *home = find_range(merged, count, part);
        add_contiguous(layout, home->at + part->begin - home->begin, part->end - part->begin);
    }
    free(merged);
    vec_free(&ranges.list);
}

void clone_layout_in_memory(struct clone_layout *layout, pop_tensor t, bool by_tile)
{
    if (by_tile || !layout_pieces(layout, t))
        layout_runs(layout, t, by_tile);
}

/* Runs of the single layout become, copy after copy, runs of the repeated one. */
struct repeater {
    const struct clone_layout *from;
    struct clone_layout *to;
    const struct tile_range *region; /* the whole of from, in order, unmapped ranges too */
    size_t regions, n, copy;
};

static bool repeat_run(const struct run *run, void *context)
{
    const struct repeater *r = context;
    size_t low = 0, high = r->regions;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->region[middle].begin <= run->offset)
            low = middle;
        else
            high = middle;
    }
    for (uint64_t at = run->offset, end = at + run->count; at < end; ++low) {
        const struct tile_range *region = &r->region[low];
        uint64_t stop = region->end < end ? region->end : end, size = region->end - region->begin;
        add_contiguous(r->to, region->begin * r->n + r->copy * size + at - region->begin, stop - at);
        at = stop;
    }
    return true;
}

void clone_layout_repeat(struct clone_layout *layout, size_t n)
{
    VEC(struct tile_range) regions = { 0 };
    struct clone_layout repeated = { .elements = layout->elements * n };
    uint64_t at = 0;
    for (size_t i = 0; i < layout->map.ranges.count; ++i) {
        struct tile_range range = layout->map.ranges.data[i];
        if (at < range.begin)
            *vec_push(&regions) = (struct tile_range){ at, range.begin, UNMAPPED_TILE };
        *vec_push(&regions) = range;
        tile_map_add(&repeated.map, range.begin * n, range.end * n, range.tile);
        at = range.end;
    }
    if (at < layout->elements)
        *vec_push(&regions) = (struct tile_range){ at, layout->elements, UNMAPPED_TILE };
    struct repeater repeater = { layout, &repeated, regions.data, regions.count, n, 0 };
    for (; repeater.copy < n; ++repeater.copy) {
        const struct digit *digit = layout->digits.data;
        for (size_t i = 0; i < layout->pieces.count; ++i) {
            struct piece piece = layout->pieces.data[i];
            piece.digit = digit;
            digit += piece.digits;
            piece_each_run(&piece, repeat_run, &repeater);
        }
    }
    vec_free(&regions);
    clone_layout_free(layout);
    *layout = repeated;
}
