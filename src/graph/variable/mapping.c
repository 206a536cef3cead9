/* SPDX-License-Identifier: Apache-2.0 */
/* Setting and querying the tile mapping of tensors. */
#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

struct map_walk {
    pop_store *store;
    uint32_t tile;
};

static bool map_run(const struct run *run, void *context)
{
    const struct map_walk *walk = context;
    replicate_map(walk->store, run->variable, run->offset, run->offset + run->count, walk->tile);
    return true;
}

void pop_graph_set_tile_mapping_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned tile)
{
    static const char api[] = "pop_graph_set_tile_mapping";
    if (!graph_ready(graph) || !graph_tensor(graph, where, api, "", POP_INVALID_TILE_MAPPING, t))
        return;
    struct map_walk walk = { graph->store, 0 };
    struct run run;
    if (!graph_tile(graph, where, api, "", tile, &walk.tile)) {
        error_path(&graph->store->error, tensor_debug_name(t));
        return;
    }
    if (tensor_single_run(t, &run)) {
        if (run.count)
            map_run(&run, &walk);
    } else {
        tensor_each_run(t, map_run, &walk);
    }
}

static bool check_lists(pop_graph *graph, pop_where where, const char *api, pop_tensor t,
                        const pop_interval_lists *mapping)
{
    size_t elements = pop_tensor_num_elements(t), tiles = graph_num_tiles(graph);
    if (!mapping)
        return store_fail_in(graph->store, POP_INVALID_TILE_MAPPING, where, api, tensor_debug_name(t),
                             "the mapping is NULL");
    if (!store_has_list(graph->store, POP_INVALID_TILE_MAPPING, where, api, "tiles' intervals", mapping->count,
                        mapping->first) ||
        !store_has_list(graph->store, POP_INVALID_TILE_MAPPING, where, api, "intervals",
                        mapping->count ? mapping->first[mapping->count] : 0, mapping->intervals))
        return false;
    for (size_t tile = 0; tile < mapping->count; ++tile) {
        if (tile >= tiles && mapping->first[tile] != mapping->first[tile + 1] && !graph_is_cpu(graph))
            return store_fail_in(graph->store, POP_INVALID_TILE_MAPPING, where, api, tensor_debug_name(t),
                                 "there is no tile %zu: the graph has %zu tiles", tile, tiles);
        for (size_t i = mapping->first[tile]; i < mapping->first[tile + 1]; ++i) {
            pop_interval interval = mapping->intervals[i];
            if (interval.begin > interval.end || interval.end > elements)
                return store_fail_in(graph->store, POP_INVALID_TILE_MAPPING, where, api, tensor_debug_name(t),
                                     "interval [%zu, %zu) of tile %zu is not in the tensor's %zu elements",
                                     interval.begin, interval.end, tile, elements);
        }
    }
    return true;
}

void pop_graph_set_tile_mapping_lists_at(pop_where where, pop_graph *graph, pop_tensor t,
                                         const pop_interval_lists *mapping)
{
    static const char api[] = "pop_graph_set_tile_mapping_lists";
    if (!graph_ready(graph) || !graph_tensor(graph, where, api, "", POP_INVALID_TILE_MAPPING, t) ||
        !check_lists(graph, where, api, t, mapping))
        return;
    size_t tiles = graph_num_tiles(graph),
           listed = graph_is_cpu(graph) || mapping->count < tiles ? mapping->count : tiles;
    for (size_t tile = 0; tile < listed; ++tile) {
        size_t at = tile < tiles ? tile : 0;
        struct map_walk walk = { graph->store, graph->tiles ? graph->tiles[at] : (uint32_t)at };
        for (size_t i = mapping->first[tile]; i < mapping->first[tile + 1]; ++i)
            if (mapping->intervals[i].begin < mapping->intervals[i].end)
                tensor_each_run_in(t, mapping->intervals[i].begin, mapping->intervals[i].end, map_run, &walk);
    }
}

enum { CURSORS = 16 };

/* State of a walk over a tensor's runs that finds the tile of each part, in flat order. */
struct owner_walk {
    const pop_graph *graph;
    uint64_t at;            /* flat elements passed */
    uint64_t runs;          /* that were looked at one by one */
    bool complete, listed;  /* whether parts are wanted */
    bool external;          /* some are on tiles that the graph does not see */
    size_t cursor[CURSORS]; /* by variable: search hints, so two variables may share one */
    uint32_t physical;      /* the tile that was looked up last, which is */
    unsigned virtual;       /* this one of the graph's */
    pop_store *store;       /* store->owned: parts of the flat tensor, by virtual tile */
};

static void add_part(struct owner_walk *walk, uint64_t count, uint32_t physical)
{
    uint64_t begin = walk->at;
    walk->at += count;
    unsigned tile = physical;
    if (physical != UNMAPPED_TILE && walk->graph->virtuals) {
        if (walk->physical != physical)
            walk->virtual = pop_graph_virtual_tile(walk->graph, physical);
        walk->physical = physical;
        tile = walk->virtual;
    }
    walk->complete &= physical != UNMAPPED_TILE;
    walk->external |= physical != UNMAPPED_TILE && tile == UNMAPPED_TILE;
    if (tile == UNMAPPED_TILE || !walk->listed)
        return;
    pop_store *store = walk->store;
    struct tile_range *last = store->owned.count ? &store->owned.data[store->owned.count - 1] : NULL;
    if (last && last->tile == tile && last->end == begin)
        last->end = walk->at;
    else
        *vec_push(&store->owned) = (struct tile_range){ begin, walk->at, tile };
}

static void own_run(struct owner_walk *walk, const struct tile_map *map, uint64_t at, uint64_t count, size_t *cursor)
{
    for (uint64_t end = at + count; at < end;) {
        uint32_t tile = tile_map_find(map, at, cursor);
        uint64_t stop = end;
        if (*cursor < map->ranges.count)
            stop = tile == UNMAPPED_TILE ? map->ranges.data[*cursor].begin : map->ranges.data[*cursor].end;
        stop = stop < end ? stop : end;
        add_part(walk, stop - at, tile);
        at = stop;
    }
}

static inline bool is_within(const struct tile_map *map, size_t range, uint64_t at, uint64_t length)
{
    return range < map->ranges.count && at >= map->ranges.data[range].begin &&
           at + length <= map->ranges.data[range].end;
}

/* A row is the runs of the innermost digit.  Each run is looked for from where its like was found in the row before, in
 * the first row from where the run before was found; and as many ranges further on as the last one that was elsewhere,
 * since strides and ranges are regular. */
static void own_rows(struct owner_walk *walk, const struct tile_map *map, const struct piece *piece, size_t *cursor)
{
    enum { HINTS = 512 };
    unsigned outer = piece->digits;
    uint64_t offset = piece->offset, length = 1, index[MAX_DIGITS + 2];
    if (outer && piece->digit[outer - 1].stride == 1)
        length = piece->digit[--outer].extent;
    struct digit row = outer ? piece->digit[--outer] : (struct digit){ 1, 0 };
    memset(index, 0, outer * sizeof(*index));
    size_t hints[HINTS], near = *cursor, step = 0; /* backward: modulo 2^64 */
    uint64_t hinted = 0;                           /* runs that have a hint */
    for (unsigned k = 1; k;) {
        for (uint64_t i = 0; i < row.extent; ++i) {
            uint64_t at = offset + i * (uint64_t)row.stride;
            near = i < hinted ? hints[i] : near;
            size_t other = near + step;
            if (is_within(map, near, at, length)) {
                add_part(walk, length, map->ranges.data[near].tile);
            } else if (is_within(map, other, at, length)) {
                near = other;
                add_part(walk, length, map->ranges.data[near].tile);
            } else {
                step = near;
                own_run(walk, map, at, length, &near);
                step = near - step;
            }
            if (i < HINTS)
                hints[i] = near;
        }
        hinted = row.extent < HINTS ? row.extent : HINTS;
        for (k = outer; k; --k) {
            const struct digit *d = &piece->digit[k - 1];
            offset += (uint64_t)d->stride;
            if (++index[k - 1] < d->extent)
                break;
            offset -= d->extent * (uint64_t)d->stride;
            index[k - 1] = 0;
        }
    }
    *cursor = hints[0];
}

/* A piece that one call mapped, as most are, is looked up once. */
static bool own_piece(const struct piece *piece, void *context)
{
    struct owner_walk *walk = context;
    struct tile_map *map = &walk->graph->store->variables.data[piece->variable].map;
    size_t *cursor = &walk->cursor[piece->variable % CURSORS];
    int64_t low, high;
    digits_span(piece->digit, piece->digits, &low, &high);
    tile_map_compact(map);
    uint32_t tile = tile_map_find(map, piece->offset + (uint64_t)low, cursor);
    if (tile != UNMAPPED_TILE && piece->offset + (uint64_t)high < map->ranges.data[*cursor].end)
        add_part(walk, piece->elements, tile);
    else if (runs_count(walk->graph->store, piece, &walk->runs))
        own_rows(walk, map, piece, cursor);
    else
        return false;
    return true;
}

static void sort_by_tile(const pop_store *store, unsigned tiles, pop_interval_lists *lists)
{
    const struct tile_range *parts = store->owned.data;
    size_t count = store->owned.count;
    lists->count = tiles;
    lists->first = mem_zero((size_t)tiles + 1, sizeof(*lists->first));
    lists->intervals = mem_alloc(count * sizeof(*lists->intervals));
    for (size_t i = 0; i < count; ++i)
        ++lists->first[parts[i].tile + 1];
    for (unsigned tile = 0; tile < tiles; ++tile)
        lists->first[tile + 1] += lists->first[tile];
    size_t *at = mem_copy(lists->first, tiles * sizeof(*at));
    for (size_t i = 0; i < count; ++i) {
        const struct tile_range *part = &parts[i];
        lists->intervals[at[part->tile]++] = (pop_interval){ (size_t)part->begin, (size_t)part->end };
    }
    free(at);
}

/* Whether each element of a source has a tile; of a composite it is found out once, since calls never unmap. */
static bool source_is_mapped(pop_store *store, uint32_t source)
{
    if (!(source & COMPOSITE)) {
        struct variable *variable = &store->variables.data[source];
        return tile_map_is_whole(&variable->map, variable->elements);
    }
    struct composite *composite = composite_of(store, source);
    bool mapped = composite->mapped == composite->stamp;
    for (size_t i = 0; !mapped && source_is_mapped(store, composite->children.data[i].source);)
        mapped = ++i == composite->children.count;
    composite->mapped = mapped ? composite->stamp : 0;
    return mapped;
}

static bool is_mapped(pop_tensor t)
{
    struct flat flat;
    if (t.form & FORM_EMPTY)
        return true;
    tensor_flat(t, &flat);
    return source_is_mapped(t.store, flat.piece.variable);
}

static bool fail_external(pop_where where, const char *api, pop_graph *graph, pop_tensor t)
{
    return store_fail_in(
        graph->store, POP_INVALID_TILE_MAPPING, where, api, tensor_debug_name(t),
        "the tensor has elements on tiles that are not among this virtual graph's %u: copy it to a tensor "
        "of this graph, ask the graph that has them, or allow external tiles (allowExternal)",
        graph_num_tiles(graph));
}

bool pop_graph_get_tile_mapping_at(pop_where where, pop_graph *graph, pop_tensor t, bool *complete,
                                   pop_interval_lists *mapping)
{
    static const char api[] = "pop_graph_get_tile_mapping";
    if (mapping)
        *mapping = (pop_interval_lists){ 0 };
    if (!graph_ready(graph) || !graph_tensor(graph, where, api, "", POP_INVALID_TILE_MAPPING, t))
        return false;
    const bool here = complete || !graph->virtuals; /* elements on other tiles are omitted, or there are none */
    if (!mapping && here && is_mapped(t)) {         /* most often: no need to look at runs */
        if (complete)
            *complete = true;
        return true;
    }
    struct owner_walk walk = {
        .graph = graph, .store = graph->store, .complete = true, .listed = mapping != NULL, .physical = UNMAPPED_TILE
    };
    graph->store->owned.count = 0;
    if (pop_tensor_num_elements(t) && !tensor_each_piece(t, own_piece, &walk))
        return false;
    if (complete)
        *complete = walk.complete;
    if (!complete && !walk.complete)
        return store_fail_in(graph->store, POP_INVALID_TILE_MAPPING, where, api, tensor_debug_name(t),
                             "the tensor is not mapped completely: give each of its elements a tile first");
    if (!complete && walk.external)
        return fail_external(where, api, graph, t);
    if (mapping)
        sort_by_tile(graph->store, graph_num_tiles(graph), mapping);
    return true;
}

bool pop_graph_check_external_at(pop_where where, pop_graph *graph, pop_tensor t)
{
    static const char api[] = "pop_graph_check_external";
    if (!graph_ready(graph) || !graph_tensor(graph, where, api, "", POP_INVALID_TILE_MAPPING, t))
        return false;
    struct owner_walk walk = { .graph = graph, .physical = UNMAPPED_TILE };
    if (graph->virtuals && pop_tensor_num_elements(t))
        tensor_each_piece(t, own_piece, &walk);
    return !walk.external || fail_external(where, api, graph, t);
}
