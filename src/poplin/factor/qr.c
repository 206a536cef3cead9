/* SPDX-License-Identifier: Apache-2.0 */
/* QR factorisation by Householder reflections, a column at a time: each reflects the columns of A that are left, and
 * all rows of Q. */
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplin/factor/rows.h"

#include <poplin/qr_factorization.h>

pop_tensor poplin_create_qr_factorization_matrices_at(pop_where where, pop_graph *graph, pop_type type, size_t m,
                                                      size_t n, const char *name, pop_tensor *q)
{
    POPLIBS_CALL(graph, log_type(type), m, n, name);
    *q = (pop_tensor){ 0 };
    if (!call_ready(call))
        return *q;
    if (m < n) {
        call_fail(call, POP_POPLAR_ERROR, "a matrix of %zu rows and %zu columns; it must have as many rows or more", m,
                  n);
        return *q;
    }
    pop_tensor columns = pop_graph_add_variable(graph, type, POP_SHAPE(n, m), call_path(call, name, "A"));
    pop_tensor rows = pop_graph_add_variable(graph, type, POP_SHAPE(m, m), call_path(call, name, "Q"));
    rows_map(call, pop_tensor_concat(POP_TENSORS(columns, rows), 0));
    *q = rows;
    return pop_tensor_transpose(columns);
}

static bool check(const struct call *call, pop_tensor a, pop_tensor q)
{
    struct qr_options {
        unsigned rows_per_iteration;
    } taken = { 0 };
    static const struct poplibs_option table[] = {
#define QR_OPTION(...) POPLIBS_ROW(struct qr_options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    if (!call_ready(call) || !call_takes(call, "A", a) || !call_takes(call, "Q", q) ||
        !call_read_options(call, call->options, table, sizeof(table) / sizeof(table[0]), &taken))
        return false;
    if (pop_tensor_type(a) != POP_FLOAT || pop_tensor_type(q) != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "A is %s and Q %s; they must be float",
                         pop_type_name(pop_tensor_type(a)), pop_type_name(pop_tensor_type(q)));
    if (pop_tensor_rank(a) != 2 || pop_tensor_rank(q) != 2)
        return call_fail(call, POP_POPLAR_ERROR, "A has rank %zu and Q %zu; they must be matrices", pop_tensor_rank(a),
                         pop_tensor_rank(q));
    size_t m = pop_tensor_dim(a, 0), n = pop_tensor_dim(a, 1);
    if (m < n || pop_tensor_dim(q, 0) != m || pop_tensor_dim(q, 1) != m)
        return call_fail(call, POP_POPLAR_ERROR,
                         "A is {%zu,%zu} and Q {%zu,%zu}; A must have as many rows as columns or more, and Q must be "
                         "{%zu,%zu}",
                         m, n, pop_tensor_dim(q, 0), pop_tensor_dim(q, 1), m, m);
    return true;
}

static void add_rows(const struct row_work *work, pop_tensor rows, size_t worker, unsigned tile)
{
    const struct call *call = work->call;
    const pop_tensor *reflection = work->operands;
    (void)worker;
    pop_vertex vertex = call_vertex(call, work->set, "poplin::experimental::ReflectRows", tile);
    call_connect(call, vertex, "v", *reflection);
    call_connect(call, vertex, "rows", pop_tensor_flatten(rows));
}

void poplin_qr_factorization_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor q, pop_program sequence,
                                const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, q, name, options);
    if (!check(call, a, q))
        return;
    size_t m = pop_tensor_dim(a, 0), n = pop_tensor_dim(a, 1);
    pop_tensor all = pop_tensor_concat(POP_TENSORS(pop_tensor_transpose(a), q), 0);
    pop_tensor reflection = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(m), call_path(call, name, "reflection"));
    pop_graph_set_tile_mapping(graph, reflection, 0);
    for (size_t k = 0; k < n && call_ready(call); ++k) {
        pop_tensor v = pop_tensor_slice(reflection, k, m, 0), rest = pop_tensor_slice(all, k, m, 1);
        pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "Householder"));
        pop_vertex vertex = call_vertex(call, set, "poplin::experimental::Householder", 0);
        call_connect(call, vertex, "column", pop_tensor_at(rest, k));
        call_connect(call, vertex, "v", v);
        call_execute(call, set, name);
        struct row_work work = { .call = call, .add = add_rows, .operands = &v };
        work.set = pop_graph_add_compute_set(graph, call_path(call, name, "Reflect"));
        rows_deal(&work, rest, k);
        call_execute(call, work.set, name);
    }
}
