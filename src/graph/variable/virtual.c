/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual graphs: handles on the same store that number a subset of its tiles from 0. */
#include "graph/store/store.h"
#include "graph/variable/variable.h"

#define NOT_VISIBLE ((unsigned)-1)

unsigned graph_num_tiles(const pop_graph *graph)
{
    return graph->target.num_ipus * graph->target.tiles_per_ipu;
}

bool graph_tile(pop_graph *graph, pop_where where, const char *api, const char *path, unsigned tile, uint32_t *physical)
{
    unsigned tiles = graph_num_tiles(graph);
    if (tile >= tiles && graph_is_cpu(graph))
        tile = 0;
    if (tile >= tiles)
        return store_fail_in(graph->store, POP_INVALID_TILE_MAPPING, where, api, path,
                             "there is no tile %u: the graph has %u tiles", tile, tiles);
    *physical = graph->tiles ? graph->tiles[tile] : tile;
    return true;
}

unsigned pop_graph_physical_tile(const pop_graph *graph, unsigned virtual_tile)
{
    if (!graph || virtual_tile >= graph_num_tiles(graph))
        return NOT_VISIBLE;
    return graph->tiles ? graph->tiles[virtual_tile] : virtual_tile;
}

unsigned pop_graph_virtual_tile(const pop_graph *graph, unsigned physical_tile)
{
    if (!graph || physical_tile >= graph_num_tiles(graph->store->top))
        return NOT_VISIBLE;
    return graph->virtuals ? graph->virtuals[physical_tile] : physical_tile;
}

pop_graph *virtual_create(pop_graph *parent, unsigned *parent_tiles, unsigned num_ipus, unsigned tiles_per_ipu)
{
    unsigned count = num_ipus * tiles_per_ipu, physical = graph_num_tiles(parent->store->top);
    pop_graph *graph = MEM_NEW(pop_graph);
    graph->store = parent->store;
    graph->target = pop_target_create_virtual(&parent->target, num_ipus, tiles_per_ipu);
    graph->group = parent->group;
    graph->tiles = parent_tiles;
    graph->virtuals = mem_alloc(physical * sizeof(unsigned));
    for (unsigned i = 0; i < physical; ++i)
        graph->virtuals[i] = NOT_VISIBLE;
    for (unsigned i = 0; i < count; ++i) {
        graph->tiles[i] = pop_graph_physical_tile(parent, parent_tiles[i]);
        graph->virtuals[graph->tiles[i]] = i;
    }
    ++parent->store->handles;
    return graph;
}

pop_graph *pop_graph_create_virtual_at(pop_where where, pop_graph *graph, unsigned tiles_per_ipu)
{
    if (!graph_ready(graph))
        return NULL;
    unsigned ipus = graph->target.num_ipus, all = graph->target.tiles_per_ipu;
    if (!tiles_per_ipu || tiles_per_ipu > all) {
        store_fail(graph->store, POP_INDEX_ERROR, where, "pop_graph_create_virtual",
                   "%u tiles of each IPU requested: 1 to %u are allowed", tiles_per_ipu, all);
        return NULL;
    }
    unsigned *tiles = mem_alloc((size_t)ipus * tiles_per_ipu * sizeof(unsigned));
    for (unsigned ipu = 0, i = 0; ipu < ipus; ++ipu)
        for (unsigned tile = 0; tile < tiles_per_ipu; ++tile)
            tiles[i++] = ipu * all + tile;
    return virtual_create(graph, tiles, ipus, tiles_per_ipu);
}

pop_graph *pop_graph_create_virtual_range_at(pop_where where, pop_graph *graph, unsigned lower_tile,
                                             unsigned upper_tile)
{
    static const char api[] = "pop_graph_create_virtual_range";
    if (!graph_ready(graph))
        return NULL;
    unsigned all = graph->target.tiles_per_ipu, count = graph_num_tiles(graph);
    if (lower_tile >= upper_tile || upper_tile > count) {
        store_fail(graph->store, POP_INDEX_ERROR, where, api, "no range of tiles [%u, %u): the graph has %u tiles",
                   lower_tile, upper_tile, count);
        return NULL;
    }
    unsigned size = upper_tile - lower_tile, ipus = (upper_tile - 1) / all - lower_tile / all + 1;
    bool whole = lower_tile % all == 0 && upper_tile % all == 0;
    bool halves = ipus == 2 && size % 2 == 0 && all - lower_tile % all == size / 2;
    if (ipus > 1 && !whole && !halves) {
        store_fail(graph->store, POP_INDEX_ERROR, where, api,
                   "tiles [%u, %u) are not as many on each of %u IPUs: an IPU has %u tiles", lower_tile, upper_tile,
                   ipus, all);
        return NULL;
    }
    unsigned *tiles = mem_alloc(size * sizeof(unsigned));
    for (unsigned i = 0; i < size; ++i)
        tiles[i] = lower_tile + i;
    return virtual_create(graph, tiles, ipus, size / ipus);
}

pop_graph *pop_graph_create_virtual_tiles_at(pop_where where, pop_graph *graph, pop_dims per_ipu_tiles)
{
    static const char api[] = "pop_graph_create_virtual_tiles";
    if (!graph_ready(graph))
        return NULL;
    unsigned ipus = graph->target.num_ipus, all = graph->target.tiles_per_ipu;
    if (!per_ipu_tiles.count || !per_ipu_tiles.list) {
        store_fail(graph->store, POP_INDEX_ERROR, where, api,
                   "the list of tiles is empty: at least one tile of each IPU is needed");
        return NULL;
    }
    bool *seen = mem_zero(all, sizeof(*seen));
    for (size_t i = 0; i < per_ipu_tiles.count; ++i) {
        unsigned tile = per_ipu_tiles.list[i];
        if (tile >= all)
            store_fail(graph->store, POP_INDEX_ERROR, where, api, "there is no tile %u on an IPU of %u tiles", tile,
                       all);
        else if (seen[tile])
            store_fail(graph->store, POP_INDEX_ERROR, where, api, "tile %u is in the list twice", tile);
        else
            seen[tile] = true;
        if (!graph_ready(graph)) {
            free(seen);
            return NULL;
        }
    }
    free(seen);
    unsigned count = (unsigned)per_ipu_tiles.count;
    unsigned *tiles = mem_alloc((size_t)ipus * count * sizeof(unsigned));
    for (unsigned ipu = 0, i = 0; ipu < ipus; ++ipu)
        for (unsigned k = 0; k < count; ++k)
            tiles[i++] = ipu * all + per_ipu_tiles.list[k];
    return virtual_create(graph, tiles, ipus, count);
}
