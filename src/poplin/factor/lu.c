/* SPDX-License-Identifier: Apache-2.0 */
/* LU factorisation without pivoting, a row of the upper factor at a time. */
#include "poplibs/log.h"
#include "poplin/factor/rows.h"

#include <poplin/lu_factorization.h>
#include <popops/cast.h>
#include <popops/fill.h>

struct elimination {
    pop_tensor pivot, lower; /* the pivot row, and the column of L, {m, 1} */
    size_t first;
};

static void add_rows(const struct row_work *work, pop_tensor rows, size_t worker, unsigned tile)
{
    const struct call *call = work->call;
    const struct elimination *step = work->operands;
    pop_vertex vertex = call_vertex(call, work->set, "poplin::experimental::EliminateRows", tile);
    call_connect(call, vertex, "pivot", step->pivot);
    call_connect(call, vertex, "rows", pop_tensor_flatten(rows));
    call_connect(call, vertex, "lower", pop_tensor_flatten(rows_of_worker(call, step->lower, step->first, worker)));
}

/* The identity, by rows. */
static pop_tensor new_lower(const struct call *call, size_t size)
{
    pop_tensor lower =
        pop_graph_add_variable(call->graph, POP_FLOAT, POP_SHAPE(size, size), call_path(call, call->name, "L"));
    struct tensor_vec diagonal = { 0 };
    rows_map(call, lower);
    popops_zero(call->graph, lower, call->sequence, call->name);
    for (size_t i = 0; i < size; ++i)
        *poplibs_push(&diagonal) = pop_tensor_slice(pop_tensor_slice(lower, i, i + 1, 0), i, i + 1, 1);
    if (size)
        popops_fill(call->graph, pop_tensor_concat(tensors_of(&diagonal), 0), call->sequence, 1, call->name);
    free(diagonal.list);
    return lower;
}

pop_tensor poplin_lu_factorization_at(pop_where where, pop_graph *graph, pop_tensor input, pop_program sequence,
                                      const char *name, pop_tensor *upper)
{
    POPLIBS_CALL_IN(sequence, graph, input, name);
    pop_tensor none = { 0 };
    *upper = none;
    if (!call_ready(call) || !call_takes(call, "the input", input))
        return none;
    if (pop_tensor_rank(input) != 2) {
        call_fail(call, POP_POPLAR_ERROR, "the input has rank %zu; it must be a matrix", pop_tensor_rank(input));
        return none;
    }
    size_t m = pop_tensor_dim(input, 0), n = pop_tensor_dim(input, 1);
    pop_tensor u = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(m, n), call_path(call, name, "U"));
    rows_map(call, u);
    call_copy(call, pop_tensor_type(input) == POP_FLOAT ? input : popops_cast(graph, input, POP_FLOAT, sequence, name),
              u, name);
    pop_tensor lower = new_lower(call, m);
    for (size_t k = 0; k + 1 < m && k < n && call_ready(call); ++k) {
        pop_tensor rest = pop_tensor_slice(u, k, n, 1);
        struct elimination step = { pop_tensor_at(rest, k), pop_tensor_slice(lower, k, k + 1, 1), k + 1 };
        struct row_work work = { .call = call, .add = add_rows, .operands = &step };
        work.set = pop_graph_add_compute_set(graph, call_path(call, name, "Eliminate"));
        rows_deal(&work, rest, k + 1);
        call_execute(call, work.set, name);
    }
    *upper = call_ready(call) ? u : none;
    return call_ready(call) ? lower : none;
}
