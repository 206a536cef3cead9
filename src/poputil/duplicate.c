/* SPDX-License-Identifier: Apache-2.0 */
/* Clones with copies of the original's values. */
#include "poputil/duplicate.h"
#include "poplibs/log.h"
#include "poplibs/support.h"

#include <poputil/util.h>

static pop_tensor joined(pop_where where, pop_tensor t, const pop_interval_lists *lists)
{
    size_t count = lists->first[lists->count];
    pop_tensor *parts = poplibs_new(count, sizeof(*parts));
    pop_tensor result = { 0 };
    if (pop_tensor_slices_at(where, t, (pop_interval_list){ count, lists->intervals }, 0, parts))
        result = pop_tensor_concat_at(where, (pop_tensors){ count, parts }, 0);
    free(parts);
    return result;
}

void poputil_copy_views(pop_where where, pop_graph *graph, pop_tensor from, pop_tensor to, pop_tensor *source,
                        pop_tensor *destination)
{
    *source = pop_tensor_flatten_at(where, from);
    *destination = pop_tensor_flatten_at(where, to);
    if (!pop_tensor_contains_aliases(*destination))
        return;
    pop_interval_lists groups;
    pop_interval_list all = POP_INTERVALS({ 0, pop_tensor_num_elements(to) });
    if (!pop_graph_get_sorted_contiguous_regions_at(where, graph, *destination, all, true, NULL, &groups))
        return;
    *source = joined(where, *source, &groups);
    *destination = joined(where, *destination, &groups);
    pop_interval_lists_free(&groups);
}

pop_tensor poputil_duplicate_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                pop_clone_method method, const char *name)
{
    POPLIBS_CALL(graph, t, name);
    if (!poplibs_ready(graph))
        return (pop_tensor){ 0 };
    pop_tensor copy = pop_graph_clone_at(where, graph, POP_TYPE_NULL, t, method, name), source, destination;
    if (!pop_tensor_valid(copy))
        return copy;
    poputil_copy_views(where, graph, t, copy, &source, &destination);
    pop_sequence_add_at(where, sequence, pop_copy_at(where, source, destination, false, name));
    return copy;
}

pop_tensor poputil_clone_n_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned n, pop_clone_method method,
                              const char *name)
{
    POPLIBS_CALL(graph, t, n, name);
    size_t elements = pop_tensor_num_elements(t), all = n && elements > SIZE_MAX / n ? SIZE_MAX : n * elements;
    if (!poplibs_ready(graph) ||
        !poplibs_fits_memory(graph, where, "poputil_clone_n", "the list of clones", all, pop_tensor_type(t)))
        return (pop_tensor){ 0 };
    return pop_graph_clone_n_at(where, graph, POP_TYPE_NULL, t, n, method, POP_DUPLICATE_BY_OUTER_DIMENSION, name);
}
