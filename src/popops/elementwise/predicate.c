/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of all elements: each worker tests its share, and the consensus of the compute set is the result. */
#include "poplibs/cpu_parts.h"
#include "poplibs/elements.h"
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <popops/all_true.h>
#include <popops/element_wise.h>
#include <popops/nan.h>

struct predicate {
    const struct call *call;
    pop_compute_set set;
    pop_tensor flat;
    const char *vertex;
};

static void test_regions(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct predicate *p = user;
    poputil_partitions parts;
    poplibs_split_tile(pop_graph_target(call->graph), tile->regions, 4, 8, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        pop_vertex vertex = call_vertex(call, p->set, p->vertex, tile->tile);
        call_connect_rows(call, vertex, "in", p->flat, &parts.regions, parts.first[i],
                          parts.first[i + 1] - parts.first[i]);
    }
    poputil_partitions_free(&parts);
}

/* A BOOL on tile 0: whether the compute functions of all vertices return true. */
static pop_tensor consensus(const struct call *call, pop_tensor a, const char *vertex, const char *step)
{
    const char *path = call_path(call, call->name, step);
    pop_tensor out = pop_graph_add_variable(call->graph, POP_BOOL, POP_SHAPE(), path);
    pop_graph_set_tile_mapping(call->graph, out, 0);
    struct predicate p = { call, pop_graph_add_compute_set(call->graph, path), pop_tensor_flatten(a), vertex };
    call_for_each_tile(call, p.flat, test_regions, &p);
    pop_sequence_add(call->sequence, pop_execute_consensus(p.set, out, call->name));
    return out;
}

pop_tensor popops_all_true_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, a, name);
    if (!call_ready(call) || !call_takes(call, "the tensor", a))
        return (pop_tensor){ 0 };
    if (pop_tensor_type(a) != POP_BOOL) {
        call_fail(call, POP_TYPE_ERROR, "a %s tensor; it must be bool", pop_type_name(pop_tensor_type(a)));
        return (pop_tensor){ 0 };
    }
    return consensus(call, a, "popops::AllTrue<bool>", "AllTrue");
}

static pop_tensor has(const struct call *call, pop_tensor a, const char *kind)
{
    char vertex[64];
    if (!call_ready(call) || !call_takes(call, "the tensor", a))
        return (pop_tensor){ 0 };
    if (!pop_type_is_floating_point(pop_tensor_type(a))) {
        call_fail(call, POP_TYPE_ERROR, "a %s tensor; it must be half or float", pop_type_name(pop_tensor_type(a)));
        return (pop_tensor){ 0 };
    }
    snprintf(vertex, sizeof(vertex), "popops::%s<%s>", kind, pop_type_name(pop_tensor_type(a)));
    pop_tensor out = consensus(call, a, vertex, kind);
    call_unary_in_place(call, POPOPS_UNARY_LOGICAL_NOT, out, call->name);
    return out;
}
pop_tensor popops_has_nan_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, a, name);
    return has(call, a, "HasNaN");
}
pop_tensor popops_has_nan_or_inf_at(pop_where where, pop_graph *graph, pop_tensor a, pop_program sequence,
                                    const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, a, name);
    return has(call, a, "HasNaNOrInf");
}
