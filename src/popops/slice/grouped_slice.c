/* SPDX-License-Identifier: Apache-2.0 */
/* Grouped slices and updates: the calls for all groups, one after the other. */
#include "poplibs/codes.h"
#include "poplibs/log.h"
#include "popops/slice/slicing.h"

#include <popops/dynamic_slice.h>

/* Each group has its own variables and vertices. */
enum { MAX_GROUPS = 1 << 20 };

/* Concatenates the groups' results and frees the list. */
static pop_tensor join(const struct call *call, pop_tensor *list, size_t groups)
{
    pop_tensor joined = { 0 };
    for (size_t i = 0; i < groups && call_ready(call); ++i)
        list[i] = pop_tensor_expand(list[i], POP_DIMS(0));
    if (call_ready(call))
        joined = pop_tensor_concat((pop_tensors){ groups, list }, 0);
    if (call_ready(call) && pop_tensor_has_metadata(joined)) /* one element for all groups */
        joined = pop_tensor_associate_metadata(joined, pop_tensor_get_metadata(list[0]));
    free(list);
    return joined;
}

/* The number of groups, which all tensors of the call must have. */
static bool count_groups(const struct call *call, pop_tensors tensors, size_t *groups)
{
    if (!call_ready(call))
        return false;
    *groups = pop_tensor_dim(tensors.list[0], 0);
    for (size_t i = 0; i < tensors.count; ++i)
        if (!pop_tensor_rank(tensors.list[i]) || pop_tensor_dim(tensors.list[i], 0) != *groups)
            return call_fail(call, POP_POPLAR_ERROR, "%zu groups and %zu groups: all tensors must have the same number",
                             *groups, pop_tensor_dim(tensors.list[i], 0));
    return true;
}
static bool check_groups(const struct call *call, size_t groups)
{
    if (!call_ready(call))
        return false;
    return (groups > 0 && groups <= MAX_GROUPS) ||
           call_fail(call, POP_POPLAR_ERROR, "%zu groups: from 1 to %d are allowed", groups, MAX_GROUPS);
}

pop_tensor popops_create_grouped_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type, size_t groups,
                                                     pop_shape shape, pop_dims dims, pop_shape sizes,
                                                     const popops_slice_plan *plan, const char *name,
                                                     pop_options options)
{
    POPLIBS_CALL(graph, log_type(type), groups, shape, dims, sizes, name, options);
    if (!check_groups(call, groups))
        return (pop_tensor){ 0 };
    pop_tensor *list = poplibs_new(groups, sizeof(*list));
    for (size_t i = 0; i < groups && call_ready(call); ++i)
        list[i] = popops_create_sliceable_tensor_planned(graph, type, shape, dims, sizes, plan, name, options);
    return join(call, list, groups);
}

pop_tensor popops_create_grouped_slice_tensor_at(pop_where where, pop_graph *graph, pop_type type, size_t groups,
                                                 pop_shape shape, pop_dims dims, pop_shape sizes, size_t num_indices,
                                                 const popops_slice_plan *plan, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, log_type(type), groups, shape, dims, sizes, num_indices, name, options);
    if (!check_groups(call, groups))
        return (pop_tensor){ 0 };
    pop_tensor *list = poplibs_new(groups, sizeof(*list));
    for (size_t i = 0; i < groups && call_ready(call); ++i)
        list[i] = popops_create_slice_tensor_planned(graph, type, shape, dims, sizes, num_indices, plan, name, options);
    return join(call, list, groups);
}

pop_tensor popops_create_grouped_indices_tensor_at(pop_where where, pop_graph *graph, size_t groups, pop_dims dims,
                                                   size_t num_indices, const popops_slice_plan *plan, const char *name,
                                                   pop_options options)
{
    POPLIBS_CALL(graph, groups, dims, num_indices, name, options);
    if (!check_groups(call, groups))
        return (pop_tensor){ 0 };
    pop_tensor *list = poplibs_new(groups, sizeof(*list));
    for (size_t i = 0; i < groups && call_ready(call); ++i)
        list[i] = popops_create_indices_tensor(graph, dims, num_indices, plan, name, options);
    return join(call, list, groups);
}

pop_tensor popops_grouped_multi_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offsets,
                                         pop_dims dims, pop_shape sizes, pop_program sequence,
                                         const popops_slice_plan *plan, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, offsets, dims, sizes, name, options);
    size_t groups;
    if (!count_groups(call, POP_TENSORS(t, offsets), &groups) || !check_groups(call, groups))
        return (pop_tensor){ 0 };
    pop_tensor *list = poplibs_new(groups, sizeof(*list));
    for (size_t i = 0; i < groups && call_ready(call); ++i)
        list[i] = popops_multi_slice(graph, pop_tensor_at(t, i), pop_tensor_at(offsets, i), dims, sizes, sequence, plan,
                                     name, options);
    return join(call, list, groups);
}

typedef void (*update)(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offsets, pop_dims dims,
                       pop_shape sizes, pop_program sequence, const popops_slice_plan *plan, const char *name,
                       pop_options options);

static void update_groups(const struct call *call, update one, pop_tensor t, pop_tensor s, pop_tensor offsets,
                          pop_dims dims, pop_shape sizes, const popops_slice_plan *plan)
{
    size_t groups;
    if (!count_groups(call, POP_TENSORS(t, s, offsets), &groups))
        return;
    for (size_t i = 0; i < groups && call_ready(call); ++i)
        one(call->where, call->graph, pop_tensor_at(t, i), pop_tensor_at(s, i), pop_tensor_at(offsets, i), dims, sizes,
            call->sequence, plan, call->name, call->options);
}

void popops_grouped_multi_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offsets,
                                    pop_dims dims, pop_shape sizes, pop_program sequence, const popops_slice_plan *plan,
                                    const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, dims, sizes, name, options);
    update_groups(call, popops_multi_update_at, t, s, offsets, dims, sizes, plan);
}
void popops_grouped_multi_update_max_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_dims dims, pop_shape sizes, pop_program sequence,
                                        const popops_slice_plan *plan, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, dims, sizes, name, options);
    update_groups(call, popops_multi_update_max_at, t, s, offsets, dims, sizes, plan);
}
void popops_grouped_multi_update_mul_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_dims dims, pop_shape sizes, pop_program sequence,
                                        const popops_slice_plan *plan, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, dims, sizes, name, options);
    update_groups(call, popops_multi_update_mul_at, t, s, offsets, dims, sizes, plan);
}
void popops_grouped_multi_update_add_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_tensor scale, pop_dims dims, pop_shape sizes,
                                        pop_program sequence, const popops_slice_plan *plan, const char *name,
                                        pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, t, s, offsets, scale, dims, sizes, name, options);
    size_t groups;
    if (!count_groups(call, POP_TENSORS(t, s, offsets), &groups))
        return;
    for (size_t i = 0; i < groups && call_ready(call); ++i)
        popops_multi_update_add(graph, pop_tensor_at(t, i), pop_tensor_at(s, i), pop_tensor_at(offsets, i), scale, dims,
                                sizes, sequence, plan, name, options);
}
