/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of tensors on other IPUs. */
#include "poplibs/log.h"
#include "poputil/support.h"

#include <poputil/tile_mapping.h>

/* Clones t and maps the clone to the tiles of another IPU with the same numbers within the IPU. */
static pop_tensor clone(const struct call *call, pop_tensor t, unsigned ipu, pop_clone_method method)
{
    pop_graph *graph = call->graph;
    pop_tensor none = { 0 };
    if (!call_ready(call))
        return none;
    const pop_target *target = pop_graph_target(graph);
    if (ipu >= target->num_ipus) {
        call_fail(call, POP_INDEX_ERROR, "there is no IPU %u: the target has %u", ipu, target->num_ipus);
        return none;
    }
    pop_tensor copy = pop_graph_clone(graph, POP_TYPE_NULL, t, method, call->name);
    pop_interval_lists mapping;
    if (!pop_tensor_valid(copy) || !pop_graph_get_tile_mapping(graph, t, NULL, &mapping))
        return none;
    struct lists_vec moved = { 0 };
    unsigned tiles = target->tiles_per_ipu;
    for (size_t tile = 0; tile < (size_t)tiles * (ipu + 1); ++tile) {
        lists_begin(&moved);
        if (tile < (size_t)tiles * ipu)
            continue;
        for (size_t from = tile % tiles; from < mapping.count; from += tiles)
            for (size_t i = mapping.first[from]; i < mapping.first[from + 1]; ++i)
                lists_push(&moved, mapping.intervals[i].begin, mapping.intervals[i].end);
    }
    pop_interval_lists_free(&mapping);
    mapping = lists_take(&moved);
    pop_graph_set_tile_mapping_lists(graph, copy, &mapping);
    pop_interval_lists_free(&mapping);
    return copy;
}

pop_tensor poputil_clone_to_ipu_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu,
                                   pop_clone_method method, const char *name)
{
    POPLIBS_CALL(graph, t, ipu, name);
    return clone(call, t, ipu, method);
}

pop_tensor poputil_create_ipu_copy_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu,
                                      pop_clone_method method, const char *name, pop_tensor *copy_source,
                                      pop_tensor *copy_destination)
{
    POPLIBS_CALL(graph, t, ipu, name);
    pop_tensor copy = clone(call, t, ipu, method);
    *copy_source = *copy_destination = (pop_tensor){ 0 };
    if (pop_tensor_valid(copy))
        copy_views(call, t, copy, copy_source, copy_destination);
    return copy;
}

pop_tensor poputil_copy_to_ipu_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, unsigned ipu,
                                  pop_clone_method method, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, ipu, name);
    pop_tensor copy = clone(call, t, ipu, method);
    if (pop_tensor_valid(copy))
        copy_values(call, t, copy);
    return copy;
}

pop_tensor poputil_clone_to_graph_at(pop_where where, pop_graph *from, pop_graph *to, pop_tensor t,
                                     pop_clone_method method, const char *name)
{
    POPLIBS_CALL(from, t, name);
    pop_tensor none = { 0 };
    pop_interval_lists mapping;
    if (!call_ready(call) || !poplibs_ready(to))
        return none;
    unsigned here = pop_target_num_tiles(pop_graph_target(from)), there = pop_target_num_tiles(pop_graph_target(to));
    if (pop_graph_store(from) != pop_graph_store(to) || here != there) {
        call_fail(call, POP_POPLAR_ERROR,
                  "graphs of %u and %u tiles%s: they must be virtual graphs of one graph, with as many tiles", here,
                  there, pop_graph_store(from) != pop_graph_store(to) ? " that share nothing" : "");
        return none;
    }
    pop_tensor copy = pop_graph_clone(from, POP_TYPE_NULL, t, method, name);
    if (!pop_tensor_valid(copy) || !pop_graph_get_tile_mapping(from, t, NULL, &mapping))
        return none;
    pop_graph_set_tile_mapping_lists(to, copy, &mapping);
    pop_interval_lists_free(&mapping);
    return poplibs_ready(to) ? copy : none;
}

/* The elements of a clone of t that repeat an earlier element of t. */
static pop_tensor repeated_elements(const struct call *call, pop_tensor t, pop_tensor copy)
{
    size_t elements = pop_tensor_num_elements(t), begin = 0;
    pop_interval_lists groups;
    if (!pop_graph_get_sorted_contiguous_regions(call->graph, t, POP_INTERVALS({ 0, elements }), true, NULL, &groups))
        return (pop_tensor){ 0 };
    bool *first = poplibs_zeros(elements, sizeof(*first));
    for (size_t i = 0; i < (groups.count ? groups.first[groups.count] : 0); ++i)
        memset(first + groups.intervals[i].begin, true, groups.intervals[i].end - groups.intervals[i].begin);
    pop_interval_lists_free(&groups);
    struct interval_vec repeated = { 0 };
    while (begin < elements) {
        size_t end = begin + 1;
        while (end < elements && first[end] == first[begin])
            ++end;
        if (!first[begin])
            interval_push(&repeated, begin, end);
        begin = end;
    }
    free(first);
    pop_tensor *slices = poplibs_new(repeated.count, sizeof(*slices)), flat = pop_tensor_flatten(copy);
    pop_tensor_slices(flat, (pop_interval_list){ repeated.count, repeated.list }, 0, slices);
    pop_tensor all = pop_tensor_concat((pop_tensors){ repeated.count, slices }, 0);
    free(slices);
    free(repeated.list);
    return all;
}

pop_tensor poputil_clone_and_expand_aliasing_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned offset,
                                                const char *name, unsigned *new_offset)
{
    POPLIBS_CALL(graph, t, offset, name);
    if (new_offset)
        *new_offset = offset;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    pop_tensor copy = pop_graph_clone(graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
    if (!pop_tensor_valid(copy) || !pop_tensor_contains_aliases(t))
        return copy;
    pop_tensor repeated = repeated_elements(call, t, copy);
    if (!pop_tensor_valid(repeated))
        return repeated;
    unsigned next = poputil_map_tensor_linearly_with_offset(graph, repeated, offset, true);
    if (new_offset)
        *new_offset = next;
    return copy;
}
