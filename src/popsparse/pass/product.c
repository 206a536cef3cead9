/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/pass/pass.h"

#include <popops/fill.h>
#include <popops/reduce.h>

void sparse_sum(const struct call *call, pop_tensor partials, pop_tensor out)
{
    popops_reduce_params add = { .op = POPOPS_ADD };
    popops_reduce_with_output(call->graph, partials, out, POP_DIMS(0), add, call->sequence,
                              call_path(call, call->name, "sum"), POP_NO_OPTIONS);
}

/* A cell's tile writes partial results for its lines: there are as many of each as cells have the same lines. */
static void connect_product(const struct call *call, const struct sparse_pass *pass, const struct sparse_place *place)
{
    const struct sparse_request *request = pass->request;
    const struct sparse_plan *plan = &request->plan;
    bool transposed = pass->extent != 0;
    enum sparse_lines from = transposed ? SPARSE_ROWS : SPARSE_COLUMNS, to = transposed ? SPARSE_COLUMNS : SPARSE_ROWS;
    size_t partial = transposed ? place->cell / plan->y % plan->x : place->cell % plan->y;
    call_connect(call, place->vertex, "s", sparse_dense_part(call, request, from, pass->in, place->cell, place->z));
    call_connect(call, place->vertex, "q",
                 sparse_dense_part(call, request, to, pop_tensor_at(pass->out, partial), place->cell, place->z));
    call_set(call, place->vertex, "numZ", plan->cell_batch);
}

pop_tensor sparse_partials(const struct call *call, const struct sparse_request *request, enum sparse_lines lines)
{
    const struct sparse_plan *plan = &request->plan;
    size_t count = lines == SPARSE_ROWS ? plan->y : plan->x;
    pop_tensor partials = pop_graph_add_variable(
        call->graph, request->options.sums,
        POP_SHAPE(count, plan->z, request->shape.groups, sparse_num_lines(request, lines), plan->cell_batch),
        call_path(call, call->name, "partials"));
    for (size_t cell = 0; cell < plan->cells && call_ready(call); ++cell)
        for (size_t z = 0; z < plan->z; ++z) {
            size_t partial = lines == SPARSE_ROWS ? cell % plan->y : cell / plan->y % plan->x;
            pop_graph_set_tile_mapping(
                call->graph, sparse_dense_part(call, request, lines, pop_tensor_at(partials, partial), cell, z),
                sparse_plan_tile(plan, pop_graph_target(call->graph), cell, z));
        }
    popops_zero(call->graph, partials, call->sequence, call_path(call, call->name, "zero"));
    return partials;
}

pop_tensor sparse_result(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                         pop_tensor partials)
{
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (pop_tensor_dim(partials, 0) == 1 && sparse_result_type(request) == request->options.sums)
        return sparse_dense_view(call, request, pop_tensor_at(partials, 0));
    struct sparse_request typed = *request;
    typed.shape.type = sparse_result_type(request);
    pop_tensor result = sparse_dense_variable(call, &typed, lines, call_path(call, call->name, "result"));
    sparse_sum(call, partials, result);
    return sparse_dense_view(call, request, result);
}

pop_tensor sparse_product(const struct call *call, const struct sparse_request *request,
                          const struct sparse_cells *cells, pop_tensor dense, bool transposed)
{
    enum sparse_lines from = transposed ? SPARSE_ROWS : SPARSE_COLUMNS, to = transposed ? SPARSE_COLUMNS : SPARSE_ROWS;
    struct sparse_pass pass = { .request = request,
                                .vertex = transposed ? "SparseDenseMatMulElementWiseTranspose"
                                                     : "SparseDenseMatMulElementWise",
                                .block_vertex = transposed ? "SparseDenseMatMulBlockGradA" : "SparseDenseMatMulBlock",
                                .values = "r",
                                .connect = connect_product,
                                .extent = transposed };
    pass.in = sparse_dense_arranged(call, request, from, dense);
    pass.out = sparse_partials(call, request, to);
    sparse_pass_run(call, &pass, cells);
    return sparse_result(call, request, to, pass.out);
}
