/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of element-wise operations over tiles: visits a tensor's elements on each tile, in regions that are
 * contiguous in memory. */
#ifndef POPLIBS_TILES_H
#define POPLIBS_TILES_H

#include "poplibs/support.h"

#include <poputil/util.h>

/* The number of elements in one of the lists. */
static inline size_t poplibs_list_elements(const pop_interval_lists *lists, size_t list)
{
    return poputil_interval_sequence_num_elements(
        (pop_interval_list){ lists->first[list + 1] - lists->first[list], lists->intervals + lists->first[list] });
}

/* The distribution of elements: the maximum on a tile, and the number of tiles that have any. */
struct poplibs_spread {
    size_t max, tiles;
};
static inline struct poplibs_spread poplibs_spread_of(const pop_interval_lists *mapping)
{
    struct poplibs_spread spread = { 0, 0 };
    for (size_t tile = 0; tile < mapping->count; ++tile) {
        size_t elements = poplibs_list_elements(mapping, tile);
        spread.max = poplibs_max(spread.max, elements);
        spread.tiles += elements != 0;
    }
    return spread;
}
static inline bool poplibs_spread_better(struct poplibs_spread a, struct poplibs_spread b)
{
    return a.max < b.max || (a.max == b.max && a.tiles > b.tiles);
}

/* Regions of a flattened tensor on one tile: each list is one contiguous region of memory. */
struct poplibs_tile {
    unsigned tile;
    const pop_interval_lists *regions;
};
typedef void (*poplibs_tile_visitor)(pop_graph *graph, const struct poplibs_tile *tile, void *user);

/* Visits each tile that has elements of t, which must be flat; an element that occurs several times in t is visited
 * once. */
static inline void poplibs_for_each_tile(pop_where where, pop_graph *graph, pop_tensor flat, poplibs_tile_visitor visit,
                                         void *user)
{
    pop_interval_lists mapping;
    if (!poplibs_ready(graph) || !pop_graph_get_tile_mapping_at(where, graph, flat, NULL, &mapping))
        return;
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        pop_interval_list here = { mapping.first[tile + 1] - mapping.first[tile],
                                   mapping.intervals + mapping.first[tile] };
        pop_interval_lists regions;
        if (here.count && pop_graph_get_sorted_contiguous_regions_at(where, graph, flat, here, true, NULL, &regions)) {
            visit(graph, &(struct poplibs_tile){ (unsigned)tile, &regions }, user);
            pop_interval_lists_free(&regions);
        }
    }
    pop_interval_lists_free(&mapping);
}

/* The elements of a flat tensor that a list of intervals selects, as a tensor of rank 1. */
static inline pop_tensor poplibs_slice_of_list(pop_where where, pop_tensor flat, const pop_interval_lists *lists,
                                               size_t list)
{
    size_t first = lists->first[list], count = lists->first[list + 1] - first;
    if (count == 1)
        return pop_tensor_slice_at(where, flat, lists->intervals[first].begin, lists->intervals[first].end, 0);
    pop_tensor *parts = poplibs_new(count, sizeof(*parts)), joined = { 0 };
    if (pop_tensor_slices_at(where, flat, (pop_interval_list){ count, lists->intervals + first }, 0, parts))
        joined = pop_tensor_concat_at(where, (pop_tensors){ count, parts }, 0);
    free(parts);
    return joined;
}

/* Connects a vector of vectors: row i gets the elements of list first + i. */
static inline void poplibs_connect_rows(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                        pop_tensor flat, const pop_interval_lists *lists, size_t first, size_t count)
{
    pop_tensor *rows = poplibs_new(count, sizeof(*rows));
    for (size_t i = 0; i < count; ++i)
        rows[i] = poplibs_slice_of_list(where, flat, lists, first + i);
    pop_graph_connect_list_at(where, graph, vertex, field, (pop_tensors){ count, rows });
    free(rows);
}

#endif
