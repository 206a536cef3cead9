/* SPDX-License-Identifier: Apache-2.0 */
/* Maps outputs like their inputs. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <poputil/tile_mapping.h>

/* A mapping of n elements in whole grains: each grain is on the tile of its first element. */
static pop_interval_lists in_grains(const pop_interval_lists *mapping, size_t grain, size_t n)
{
    struct lists_vec whole = { 0 };
    for (size_t tile = 0; tile < mapping->count; ++tile) {
        lists_begin(&whole);
        for (size_t i = mapping->first[tile]; i < mapping->first[tile + 1]; ++i) {
            size_t begin = poplibs_ceil_div(mapping->intervals[i].begin, grain) * grain,
                   end = poplibs_ceil_div(mapping->intervals[i].end, grain) * grain;
            if (begin < poplibs_min(end, n))
                lists_push(&whole, begin, poplibs_min(end, n));
        }
    }
    return lists_take(&whole);
}

void poputil_map_output_for_element_wise_op_at(pop_where where, pop_graph *graph, pop_tensors inputs, pop_tensor output,
                                               unsigned grain_size, unsigned min_grains_per_tile)
{
    POPLIBS_CALL(graph, inputs, output, grain_size, min_grains_per_tile);
    static const char api[] = "poputil_map_output_for_element_wise_op";
    if (!poplibs_ready(graph))
        return;
    if (!pop_tensor_valid(output)) {
        poplibs_fail(graph, POP_INVALID_TILE_MAPPING, where, api, "a null tensor cannot be mapped");
        return;
    }
    pop_interval_lists best = { 0 };
    struct poplibs_spread best_spread = { SIZE_MAX, 0 };
    for (size_t i = 0; i < inputs.count; ++i) {
        pop_tensor t = inputs.list[i];
        if (pop_tensor_num_elements(t) < 2 || !poplibs_shapes_equal(t, output) || !pop_tensor_is_parallel_writeable(t))
            continue;
        pop_interval_lists mapping;
        if (!pop_graph_get_tile_mapping_at(where, graph, t, NULL, &mapping))
            break;
        struct poplibs_spread spread = poplibs_spread_of(&mapping);
        if (poplibs_spread_better(spread, best_spread)) {
            pop_interval_lists_free(&best);
            best = mapping;
            best_spread = spread;
        } else {
            pop_interval_lists_free(&mapping);
        }
    }
    if (best.count && grain_size > 1) {
        pop_interval_lists whole = in_grains(&best, grain_size, pop_tensor_num_elements(output));
        pop_interval_lists_free(&best);
        best = whole;
    }
    if (best.count)
        pop_graph_set_tile_mapping_lists_at(where, graph, output, &best);
    else
        poputil_map_tensor_linearly_grain_at(where, graph, output, grain_size * min_grains_per_tile, grain_size);
    pop_interval_lists_free(&best);
}
