/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the values of a sparse matrix. */
#include "popsparse/pass/pass.h"

#include <popops/fill.h>

static void connect_grad_w(const struct call *call, const struct sparse_pass *pass, const struct sparse_place *place)
{
    const struct sparse_request *request = pass->request;
    call_connect(call, place->vertex, "qGrad",
                 sparse_dense_part(call, request, SPARSE_ROWS, pass->in, place->cell, place->z));
    call_connect(call, place->vertex, "s",
                 sparse_dense_part(call, request, SPARSE_COLUMNS, pass->other, place->cell, place->z));
    call_set(call, place->vertex, "numZ", request->plan.cell_batch);
}

pop_tensor sparse_value_partials(const struct call *call, const struct sparse_request *request)
{
    const struct sparse_plan *plan = &request->plan;
    pop_tensor partials =
        pop_graph_add_variable(call->graph, request->options.sums, POP_SHAPE(plan->z, plan->cells * plan->nz),
                               call_path(call, call->name, "gradients"));
    for (size_t cell = 0; cell < plan->cells && call_ready(call); ++cell)
        for (size_t z = 0; z < plan->z; ++z)
            pop_graph_set_tile_mapping(
                call->graph, pop_tensor_slice(pop_tensor_at(partials, z), cell * plan->nz, (cell + 1) * plan->nz, 0),
                sparse_plan_tile(plan, pop_graph_target(call->graph), cell, z));
    popops_zero(call->graph, partials, call->sequence, call_path(call, call->name, "zero"));
    return partials;
}

pop_tensor sparse_value_sum(const struct call *call, const struct sparse_request *request, pop_tensor partials,
                            pop_type type)
{
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (request->plan.z == 1 && type == request->options.sums)
        return pop_tensor_at(partials, 0);
    pop_tensor result =
        sparse_bucket_variable(call, request, type, request->plan.nz, call_path(call, call->name, "result"));
    sparse_sum(call, partials, result);
    return result;
}

pop_tensor sparse_grad_w(const struct call *call, const struct sparse_request *request,
                         const struct sparse_cells *cells, pop_tensor grad, pop_tensor dense)
{
    struct sparse_pass pass = { .request = request,
                                .vertex = "SparseDenseMatMulGradWElementWise",
                                .block_vertex = "SparseDenseMatMulBlockGradW",
                                .values = "rGrad",
                                .writes = true,
                                .connect = connect_grad_w };
    pass.in = sparse_dense_arranged(call, request, SPARSE_ROWS, grad);
    pass.other = sparse_dense_arranged(call, request, SPARSE_COLUMNS, dense);
    struct sparse_cells written = *cells;
    written.values = sparse_value_partials(call, request);
    sparse_pass_run(call, &pass, &written);
    return sparse_value_sum(call, request, written.values, sparse_result_type(request));
}
