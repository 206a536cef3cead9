/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/tiles.h"
#include "poplibs/codes.h"

size_t poplibs_list_elements(const pop_interval_lists *lists, size_t list)
{
    size_t elements = 0;
    for (size_t i = lists->first[list]; i < lists->first[list + 1]; ++i)
        elements += lists->intervals[i].end - lists->intervals[i].begin;
    return elements;
}

struct poplibs_spread poplibs_spread_of(const pop_interval_lists *mapping)
{
    struct poplibs_spread spread = { 0, 0 };
    for (size_t tile = 0; tile < mapping->count; ++tile) {
        size_t elements = poplibs_list_elements(mapping, tile);
        spread.max = poplibs_max(spread.max, elements);
        spread.tiles += elements != 0;
    }
    return spread;
}

bool call_first_tile(const struct call *call, pop_tensor t, unsigned *tile)
{
    pop_interval_lists mapping;
    *tile = 0;
    if (!pop_graph_get_tile_mapping(call->graph, t, NULL, &mapping))
        return false;
    size_t first = 0;
    while (first < mapping.count && mapping.first[first + 1] == mapping.first[first])
        ++first;
    if (first < mapping.count)
        *tile = (unsigned)first;
    pop_interval_lists_free(&mapping);
    return true;
}

void call_for_each_tile(const struct call *call, pop_tensor flat, call_tile_visitor visit, void *user)
{
    pop_interval_lists mapping;
    if (!call_ready(call) || !pop_graph_get_tile_mapping(call->graph, flat, NULL, &mapping))
        return;
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        pop_interval_list here = { mapping.first[tile + 1] - mapping.first[tile],
                                   mapping.intervals + mapping.first[tile] };
        pop_interval_lists regions;
        if (here.count && pop_graph_get_sorted_contiguous_regions(call->graph, flat, here, true, NULL, &regions)) {
            visit(call, &(struct poplibs_tile){ (unsigned)tile, &regions }, user);
            pop_interval_lists_free(&regions);
        }
    }
    pop_interval_lists_free(&mapping);
}

pop_tensor call_slice_of_list(const struct call *call, pop_tensor flat, const pop_interval_lists *lists, size_t list)
{
    size_t first = lists->first[list], count = lists->first[list + 1] - first;
    if (count == 1)
        return pop_tensor_slice(flat, lists->intervals[first].begin, lists->intervals[first].end, 0);
    pop_tensor *parts = poplibs_new(count, sizeof(*parts)), joined = { 0 };
    if (pop_tensor_slices(flat, (pop_interval_list){ count, lists->intervals + first }, 0, parts))
        joined = pop_tensor_concat((pop_tensors){ count, parts }, 0);
    free(parts);
    return joined;
}

void call_connect_rows(const struct call *call, pop_vertex vertex, const char *field, pop_tensor flat,
                       const pop_interval_lists *lists, size_t first, size_t count)
{
    pop_tensor *rows = poplibs_new(count, sizeof(*rows));
    flat = poplibs_codes(call, flat);
    for (size_t i = 0; i < count; ++i)
        rows[i] = call_slice_of_list(call, flat, lists, first + i);
    pop_graph_connect_list(call->graph, vertex, field, (pop_tensors){ count, rows });
    free(rows);
}
