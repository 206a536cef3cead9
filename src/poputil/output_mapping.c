/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs that lie where their inputs do. */
#include "poplibs/support.h"

#include <poputil/tile_mapping.h>
#include <poputil/util.h>

static bool same_shape(pop_tensor a, pop_tensor b)
{
    bool same = pop_tensor_rank(a) == pop_tensor_rank(b);
    for (size_t i = 0; i < pop_tensor_rank(a) && same; ++i)
        same = pop_tensor_dim(a, i) == pop_tensor_dim(b, i);
    return same;
}

/* How a mapping is spread. */
struct spread {
    size_t fullest, tiles;
};

static struct spread spread_of(const pop_interval_lists *mapping)
{
    struct spread spread = { 0, 0 };
    for (size_t tile = 0; tile < mapping->count; ++tile) {
        pop_interval_list list = { mapping->first[tile + 1] - mapping->first[tile], mapping->intervals + mapping->first[tile] };
        size_t elements = poputil_interval_sequence_num_elements(list);
        spread.fullest = poplibs_max(spread.fullest, elements);
        spread.tiles += elements != 0;
    }
    return spread;
}

void poputil_map_output_for_element_wise_op_at(pop_where where, pop_graph *graph, pop_tensors inputs, pop_tensor output, unsigned grain_size,
                                               unsigned min_grains_per_tile)
{
    static const char api[] = "poputil_map_output_for_element_wise_op";
    if (!poplibs_ready(graph))
        return;
    if (!pop_tensor_valid(output)) {
        poplibs_fail(graph, POP_INVALID_TILE_MAPPING, where, api, "a null tensor cannot be mapped");
        return;
    }
    pop_interval_lists best = { 0 };
    struct spread best_spread = { SIZE_MAX, 0 };
    for (size_t i = 0; i < inputs.count; ++i) {
        pop_tensor t = inputs.list[i];
        if (pop_tensor_num_elements(t) < 2 || !same_shape(t, output) || !pop_tensor_is_parallel_writeable(t))
            continue;
        pop_interval_lists mapping;
        if (!pop_graph_get_tile_mapping_at(where, graph, t, NULL, &mapping))
            break;
        struct spread spread = spread_of(&mapping);
        bool better = spread.fullest < best_spread.fullest || (spread.fullest == best_spread.fullest && spread.tiles > best_spread.tiles);
        if (better) {
            pop_interval_lists_free(&best);
            best = mapping;
            best_spread = spread;
        } else {
            pop_interval_lists_free(&mapping);
        }
    }
    if (best.count)
        pop_graph_set_tile_mapping_lists_at(where, graph, output, &best);
    else
        poputil_map_tensor_linearly_grain_at(where, graph, output, grain_size * min_grains_per_tile, grain_size);
    pop_interval_lists_free(&best);
}
