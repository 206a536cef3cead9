/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of tensors on other IPUs. */
#include "poplibs/log.h"
#include "poplibs/support.h"
#include "poputil/duplicate.h"

#include <poputil/tile_mapping.h>

/* Clones t and maps the clone to the tiles of another IPU with the same numbers within the IPU. */
static pop_tensor clone(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu, pop_clone_method method,
                        const char *name, const char *api)
{
    pop_tensor none = { 0 };
    if (!poplibs_ready(graph))
        return none;
    const pop_target *target = pop_graph_target(graph);
    if (ipu >= target->num_ipus) {
        poplibs_fail(graph, POP_INDEX_ERROR, where, api, "there is no IPU %u: the target has %u", ipu,
                     target->num_ipus);
        return none;
    }
    pop_tensor copy = pop_graph_clone_at(where, graph, POP_TYPE_NULL, t, method, name);
    pop_interval_lists mapping;
    if (!pop_tensor_valid(copy) || !pop_graph_get_tile_mapping_at(where, graph, t, NULL, &mapping))
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
    pop_graph_set_tile_mapping_lists_at(where, graph, copy, &mapping);
    pop_interval_lists_free(&mapping);
    return copy;
}

pop_tensor poputil_clone_to_ipu_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu,
                                   pop_clone_method method, const char *name)
{
    POPLIBS_CALL(graph, t, ipu, name);
    return clone(where, graph, t, ipu, method, name, "poputil_clone_to_ipu");
}

pop_tensor poputil_create_ipu_copy_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned ipu,
                                      pop_clone_method method, const char *name, pop_tensor *copy_source,
                                      pop_tensor *copy_destination)
{
    POPLIBS_CALL(graph, t, ipu, name);
    pop_tensor copy = clone(where, graph, t, ipu, method, name, "poputil_create_ipu_copy");
    *copy_source = *copy_destination = (pop_tensor){ 0 };
    if (pop_tensor_valid(copy))
        poputil_copy_views(where, graph, t, copy, copy_source, copy_destination);
    return copy;
}

pop_tensor poputil_copy_to_ipu_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, unsigned ipu,
                                  pop_clone_method method, const char *name)
{
    POPLIBS_CALL(graph, t, ipu, name);
    pop_tensor copy = clone(where, graph, t, ipu, method, name, "poputil_copy_to_ipu"), source, destination;
    if (!pop_tensor_valid(copy))
        return copy;
    poputil_copy_views(where, graph, t, copy, &source, &destination);
    pop_sequence_add_at(where, sequence, pop_copy_at(where, source, destination, false, name));
    return copy;
}

pop_tensor poputil_clone_to_graph_at(pop_where where, pop_graph *from, pop_graph *to, pop_tensor t,
                                     pop_clone_method method, const char *name)
{
    POPLIBS_CALL(from, t, name);
    static const char api[] = "poputil_clone_to_graph";
    pop_tensor none = { 0 };
    pop_interval_lists mapping;
    if (!poplibs_ready(from) || !poplibs_ready(to))
        return none;
    unsigned here = pop_target_num_tiles(pop_graph_target(from)), there = pop_target_num_tiles(pop_graph_target(to));
    if (pop_graph_store(from) != pop_graph_store(to) || here != there) {
        poplibs_fail(from, POP_POPLAR_ERROR, where, api,
                     "graphs of %u and %u tiles%s: they must be virtual graphs of one graph, with as many tiles", here,
                     there, pop_graph_store(from) != pop_graph_store(to) ? " that share nothing" : "");
        return none;
    }
    pop_tensor copy = pop_graph_clone_at(where, from, POP_TYPE_NULL, t, method, name);
    if (!pop_tensor_valid(copy) || !pop_graph_get_tile_mapping_at(where, from, t, NULL, &mapping))
        return none;
    pop_graph_set_tile_mapping_lists_at(where, to, copy, &mapping);
    pop_interval_lists_free(&mapping);
    return poplibs_ready(to) ? copy : none;
}

pop_tensor poputil_clone_and_expand_aliasing_at(pop_where where, pop_graph *graph, pop_tensor t, const char *name)
{
    POPLIBS_CALL(graph, t, name);
    if (!poplibs_ready(graph))
        return (pop_tensor){ 0 };
    return pop_graph_clone_at(where, graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
}
