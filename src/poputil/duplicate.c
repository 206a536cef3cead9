/* SPDX-License-Identifier: Apache-2.0 */
/* Clones with copies of the original's values. */
#include "poplibs/codes.h"
#include "poplibs/log.h"
#include "poputil/support.h"

#include <poputil/util.h>

static pop_tensor joined(const struct call *call, pop_tensor t, const pop_interval_lists *lists)
{
    size_t count = lists->first[lists->count];
    pop_tensor *parts = poplibs_new(count, sizeof(*parts));
    pop_tensor result = { 0 };
    if (pop_tensor_slices(t, (pop_interval_list){ count, lists->intervals }, 0, parts))
        result = pop_tensor_concat((pop_tensors){ count, parts }, 0);
    free(parts);
    return result;
}

void copy_views(const struct call *call, pop_tensor from, pop_tensor to, pop_tensor *source, pop_tensor *destination)
{
    *source = pop_tensor_flatten(from);
    *destination = pop_tensor_flatten(to);
    if (!pop_tensor_contains_aliases(*destination))
        return;
    pop_interval_lists groups;
    pop_interval_list all = POP_INTERVALS({ 0, pop_tensor_num_elements(to) });
    if (!pop_graph_get_sorted_contiguous_regions(call->graph, *destination, all, true, NULL, &groups))
        return;
    *source = joined(call, *source, &groups);
    *destination = joined(call, *destination, &groups);
    pop_interval_lists_free(&groups);
}

void copy_values(const struct call *call, pop_tensor from, pop_tensor to)
{
    pop_tensor source, destination;
    copy_views(call, from, to, &source, &destination);
    call_copy(call, source, destination, call->name);
    poplibs_copy_metadata(call, from, to);
}

pop_tensor poputil_duplicate_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                pop_clone_method method, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    pop_tensor copy = pop_graph_clone(graph, POP_TYPE_NULL, t, method, name);
    if (pop_tensor_valid(copy))
        copy_values(call, t, copy);
    return copy;
}

pop_tensor poputil_clone_n_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned n, pop_clone_method method,
                              const char *name)
{
    POPLIBS_CALL(graph, t, n, name);
    size_t elements = pop_tensor_num_elements(t), all = n && elements > SIZE_MAX / n ? SIZE_MAX : n * elements;
    if (!call_ready(call) || !call_fits_memory(call, "the list of clones", all, pop_tensor_type(t)))
        return (pop_tensor){ 0 };
    return pop_graph_clone_n(graph, POP_TYPE_NULL, t, n, method, POP_DUPLICATE_BY_OUTER_DIMENSION, name);
}
