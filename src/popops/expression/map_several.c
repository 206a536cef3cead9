/* SPDX-License-Identifier: Apache-2.0 */
/* Several expressions over the same tensors, one after another; no vertex is shared. */
#include "poplibs/log.h"

#include <popops/expr.h>

static bool check_counts(const struct call *call, const char *what, size_t expressions, size_t tensors, bool more)
{
    if (!call_ready(call))
        return false;
    if (expressions == tensors || (more && expressions < tensors))
        return true;
    return call_fail(call, POP_POPLAR_ERROR, "%zu expressions for %zu %s", expressions, tensors, what);
}

void popops_map_exprs_at(pop_where where, pop_graph *graph, const popops_expr *exprs, size_t count, pop_tensors tensors,
                         pop_program sequence, const char *name, pop_options options, pop_tensor *results)
{
    POPLIBS_CALL_IN(sequence, graph, count, tensors, name, options);
    for (size_t i = 0; i < count; ++i)
        results[i] = popops_map_expr(graph, exprs[i], tensors, sequence, name, options);
}

void popops_map_exprs_in_place_at(pop_where where, pop_graph *graph, const popops_expr *exprs, size_t count,
                                  pop_tensors tensors, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, count, tensors, name, options);
    if (!check_counts(call, "tensors", count, tensors.count, true))
        return;
    pop_tensor *results = poplibs_new(count, sizeof(*results));
    popops_map_exprs(graph, exprs, count, tensors, sequence, name, options, results);
    for (size_t i = 0; i < count && call_ready(call); ++i)
        call_copy(call, results[i], tensors.list[i], name);
    free(results);
}

void popops_map_exprs_with_output_at(pop_where where, pop_graph *graph, const popops_expr *exprs, size_t count,
                                     pop_tensors tensors, pop_tensors outs, pop_program sequence, const char *name,
                                     pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, count, tensors, outs, name, options);
    if (!check_counts(call, "outputs", count, outs.count, false))
        return;
    for (size_t i = 0; i < count; ++i)
        popops_map_expr_with_output(graph, exprs[i], tensors, outs.list[i], sequence, name, options);
}
