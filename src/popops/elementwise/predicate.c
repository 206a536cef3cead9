/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of all elements: each worker tests its share, and the consensus of the compute set is the result. */
#include "poplibs/cpu_parts.h"
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <popops/all_true.h>
#include <popops/element_wise.h>
#include <popops/nan.h>

struct predicate {
    pop_where where;
    pop_compute_set set;
    pop_tensor flat;
    const char *vertex;
};

static void test_regions(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct predicate *p = user;
    const pop_target *target = pop_graph_target(graph);
    bool cpu = target->type == POP_TARGET_CPU;
    poputil_partitions parts;
    poputil_split_regions_lists(tile->regions, cpu ? 4096 : 4, cpu ? POPLIBS_CPU_PARTS : target->num_worker_contexts, 8,
                                POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        pop_vertex vertex = pop_graph_add_vertex_at(p->where, graph, p->set, p->vertex);
        poplibs_connect_rows(p->where, graph, vertex, "in", p->flat, &parts.regions, parts.first[i],
                             parts.first[i + 1] - parts.first[i]);
        pop_graph_map_vertex_at(p->where, graph, vertex, tile->tile);
    }
    poputil_partitions_free(&parts);
}

/* A BOOL on tile 0: whether the compute functions of all vertices return true. */
static pop_tensor consensus(pop_where where, pop_graph *graph, pop_tensor a, const char *vertex, pop_program sequence,
                            const char *name, const char *step)
{
    char path[POPLIBS_PATH_SIZE];
    poplibs_path(path, sizeof(path), name, step);
    pop_tensor out = pop_graph_add_variable_at(where, graph, POP_BOOL, POP_SHAPE(), path);
    pop_graph_set_tile_mapping_at(where, graph, out, 0);
    struct predicate p = { where, pop_graph_add_compute_set_at(where, graph, path), pop_tensor_flatten_at(where, a),
                           vertex };
    poplibs_for_each_tile(where, graph, p.flat, test_regions, &p);
    pop_sequence_add_at(where, sequence, pop_execute_consensus_at(where, p.set, out, name));
    return out;
}

pop_tensor popops_all_true_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, a, name);
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, "popops_all_true", "the tensor", a))
        return (pop_tensor){ 0 };
    if (pop_tensor_type(a) != POP_BOOL) {
        poplibs_fail(graph, POP_TYPE_ERROR, where, "popops_all_true", "a %s tensor; it must be bool",
                     pop_type_name(pop_tensor_type(a)));
        return (pop_tensor){ 0 };
    }
    return consensus(where, graph, a, "popops::AllTrue<bool>", sequence, name, "AllTrue");
}

static pop_tensor has(pop_where where, pop_graph *graph, pop_tensor a, const char *api, const char *kind,
                      pop_program sequence, const char *name)
{
    char vertex[64];
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "the tensor", a))
        return (pop_tensor){ 0 };
    if (!pop_type_is_floating_point(pop_tensor_type(a))) {
        poplibs_fail(graph, POP_TYPE_ERROR, where, api, "a %s tensor; it must be half or float",
                     pop_type_name(pop_tensor_type(a)));
        return (pop_tensor){ 0 };
    }
    snprintf(vertex, sizeof(vertex), "popops::%s<%s>", kind, pop_type_name(pop_tensor_type(a)));
    pop_tensor out = consensus(where, graph, a, vertex, sequence, name, kind);
    popops_unary_in_place_at(where, POPOPS_UNARY_LOGICAL_NOT, graph, out, sequence, name);
    return out;
}
pop_tensor popops_has_nan_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, a, name);
    return has(where, graph, a, "popops_has_nan", "HasNaN", sequence, name);
}
pop_tensor popops_has_nan_or_inf_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence,
                                    const char *name)
{
    POPLIBS_CALL(graph, a, name);
    return has(where, graph, a, "popops_has_nan_or_inf", "HasNaNOrInf", sequence, name);
}
