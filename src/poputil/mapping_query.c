/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of tile mappings: imbalance, and dimensions that are split over tiles. */
#include "poplibs/log.h"

#include <poputil/tile_mapping.h>
#include <poputil/util.h>

size_t poputil_get_tile_imbalance(const pop_interval_lists *mapping, unsigned min_elements_per_tile,
                                  unsigned grain_size)
{
    size_t fullest = 0, total = 0, grain = poplibs_max(1, grain_size);
    for (size_t i = 0; i < mapping->count; ++i) {
        pop_interval_list list = { mapping->first[i + 1] - mapping->first[i], mapping->intervals + mapping->first[i] };
        size_t elements = poputil_interval_sequence_num_elements(list);
        fullest = poplibs_max(fullest, elements);
        total += elements;
    }
    if (!mapping->count)
        return 0;
    size_t even = poplibs_ceil_div(poplibs_ceil_div(total, grain), mapping->count) * grain;
    even = poplibs_max(even, poplibs_ceil_div(min_elements_per_tile, grain) * grain);
    return fullest > even ? fullest - even : 0;
}

/* The mapping of a tensor, which must be complete. */
static bool mapping_of(const struct call *call, pop_tensor t, pop_interval_lists *mapping)
{
    *mapping = (pop_interval_lists){ 0 };
    if (!call_ready(call))
        return false;
    if (!pop_tensor_valid(t))
        return call_fail(call, POP_INVALID_TILE_MAPPING, "a null tensor has no mapping");
    return pop_graph_get_tile_mapping(call->graph, t, NULL, mapping);
}

size_t poputil_get_tile_imbalance_of_tensor_at(pop_where where, pop_graph *graph, pop_tensor t,
                                               unsigned min_elements_per_tile, unsigned grain_size)
{
    POPLIBS_CALL(graph, t, min_elements_per_tile, grain_size);
    pop_interval_lists mapping;
    if (!mapping_of(call, t, &mapping))
        return 0;
    size_t imbalance = poputil_get_tile_imbalance(&mapping, min_elements_per_tile, grain_size);
    pop_interval_lists_free(&mapping);
    return imbalance;
}

/* Whether the intervals of a group of tiles split a line of `line` elements. */
static bool cuts(struct interval_vec *group, size_t line)
{
    size_t count = poputil_merge_adjacent_regions(group->list, group->count);
    bool cut = false;
    for (size_t i = 0; i < count && !cut; ++i)
        cut = group->list[i].begin % line || group->list[i].end % line;
    group->count = 0;
    return cut;
}

/* Consecutive groups of tiles_per_group tiles count as one. */
static bool is_split(const struct call *call, pop_tensor t, unsigned dimension, size_t tiles_per_group)
{
    if (!call_ready(call))
        return false;
    if (!pop_tensor_valid(t))
        return call_fail(call, POP_INVALID_TILE_MAPPING, "a null tensor has no mapping");
    size_t rank = pop_tensor_rank(t), line = pop_tensor_dim(t, dimension);
    if (dimension >= rank)
        return call_fail(call, POP_INDEX_ERROR, "there is no dimension %u: the tensor's rank is %zu", dimension, rank);
    pop_interval_lists mapping;
    pop_mark mark = pop_graph_mark(call->graph);
    bool known = mapping_of(call, pop_tensor_dim_roll(t, dimension, (unsigned)rank - 1), &mapping);
    pop_graph_release(call->graph, mark);
    if (!known || !line) {
        pop_interval_lists_free(&mapping);
        return false;
    }
    struct interval_vec group = { 0 };
    bool split = false;
    for (size_t tile = 0; tile < mapping.count && !split; ++tile) {
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            interval_push(&group, mapping.intervals[i].begin, mapping.intervals[i].end);
        if ((tile + 1) % tiles_per_group == 0 || tile + 1 == mapping.count)
            split = cuts(&group, line);
    }
    free(group.list);
    pop_interval_lists_free(&mapping);
    return split;
}

bool poputil_dim_is_split_over_tiles_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dimension)
{
    POPLIBS_CALL(graph, t, dimension);
    return is_split(call, t, dimension, 1);
}

bool poputil_dim_is_split_over_ipus_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dimension)
{
    POPLIBS_CALL(graph, t, dimension);
    const pop_target *target = pop_graph_target(graph);
    return is_split(call, t, dimension, target && target->tiles_per_ipu ? target->tiles_per_ipu : 1);
}
