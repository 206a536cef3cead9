/* SPDX-License-Identifier: Apache-2.0 */
/* Maps outputs like their inputs. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <poputil/tile_mapping.h>

/* Replaces a mapping of n elements by one in whole grains: each grain is on the tile of its first element. */
static void to_grains(pop_interval_lists *mapping, size_t grain, size_t n)
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
    pop_interval_lists_free(mapping);
    *mapping = lists_take(&whole);
}

/* Gives tiles up to `last` nothing and `tile` what they have. */
static void join(pop_interval_lists *mapping, size_t tile, size_t last)
{
    for (size_t next = tile + 1; next <= last; ++next)
        mapping->first[next] = mapping->first[last + 1];
}

/* Joins the parts of successive tiles, on the first of them, until each has at least `min` elements; what is left at
 * the end joins the part before it. */
static void join_small_parts(pop_interval_lists *mapping, size_t min)
{
    size_t before = 0, tile = 0, held = 0; /* the last finished part, and the one that grows */
    for (size_t next = 0; next < mapping->count; ++next) {
        if (!held)
            tile = next;
        held += poplibs_list_elements(mapping, next);
        if (held < min)
            continue;
        join(mapping, tile, next);
        before = tile;
        held = 0;
    }
    if (held)
        join(mapping, before, mapping->count - 1);
}

void poputil_map_output_for_element_wise_op_at(pop_where where, pop_graph *graph, pop_tensors inputs, pop_tensor output,
                                               unsigned grain_size, unsigned min_grains_per_tile)
{
    POPLIBS_CALL(graph, inputs, output, grain_size, min_grains_per_tile);
    if (!call_ready(call))
        return;
    if (!pop_tensor_valid(output)) {
        call_fail(call, POP_INVALID_TILE_MAPPING, "a null tensor cannot be mapped");
        return;
    }
    unsigned min_elements = grain_size * min_grains_per_tile;
    pop_interval_lists best = { 0 };
    struct poplibs_spread best_spread = { SIZE_MAX, 0 };
    for (size_t i = 0; i < inputs.count; ++i) {
        pop_tensor t = inputs.list[i];
        if (pop_tensor_num_elements(t) < 2 || !poplibs_shapes_equal(t, output) || !pop_tensor_is_parallel_writeable(t))
            continue;
        pop_interval_lists mapping;
        if (!pop_graph_get_tile_mapping(graph, t, NULL, &mapping))
            break;
        if (grain_size > 1)
            to_grains(&mapping, grain_size, pop_tensor_num_elements(output));
        if (min_elements > grain_size)
            join_small_parts(&mapping, min_elements);
        struct poplibs_spread spread = poplibs_spread_of(&mapping);
        if (poplibs_spread_better(spread, best_spread)) {
            pop_interval_lists_free(&best);
            best = mapping;
            best_spread = spread;
        } else {
            pop_interval_lists_free(&mapping);
        }
    }
    if (best.count)
        pop_graph_set_tile_mapping_lists(graph, output, &best);
    else
        poputil_map_tensor_linearly_grain(graph, output, min_elements, grain_size);
    pop_interval_lists_free(&best);
}
