/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/log.h"
#include "popsparse/dynamic/dynamic.h"
#include "popsparse/pass/pass.h"

#include <popsparse/mat_mul.h>

static bool make(const struct call *call, const popsparse_dynamic_mat_mul_params *params, pop_type type,
                 popsparse_planning_cache *cache, struct sparse_request *request)
{
    if (!params)
        return call_ready(call) && call_fail(call, POP_POPLAR_ERROR, "params is NULL");
    struct sparse_question asked = { .shape = sparse_shape_of_mat_mul(params, type),
                                     .ratio = params->nz_ratio,
                                     .set = SPARSE_OF_MAT_MUL,
                                     .cache = cache };
    return sparse_request_make(call, &asked, request);
}

popsparse_dynamic_sparse_tensor
popsparse_dynamic_create_sparse_dense_mat_mul_lhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                     const popsparse_dynamic_mat_mul_params *params, const char *name,
                                                     pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), name, options);
    struct sparse_request request;
    if (!make(call, params, input_type, cache, &request))
        return (popsparse_dynamic_sparse_tensor){ 0 };
    return sparse_operand_create(call, &request);
}

pop_tensor popsparse_dynamic_create_sparse_dense_mat_mul_rhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                                const popsparse_dynamic_mat_mul_params *params,
                                                                const char *name, pop_options options,
                                                                popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), name, options);
    struct sparse_request request;
    if (!make(call, params, input_type, cache, &request))
        return (pop_tensor){ 0 };
    return sparse_dense_view(call, &request, sparse_dense_variable(call, &request, SPARSE_COLUMNS, name));
}

pop_tensor popsparse_dynamic_sparse_dense_mat_mul_at(pop_where where, pop_graph *graph,
                                                     popsparse_dynamic_sparse_tensor lhs, pop_tensor rhs,
                                                     pop_program sequence, bool transpose_lhs, bool transpose_rhs,
                                                     const char *name, pop_options options,
                                                     popsparse_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, lhs.nz_values, rhs, transpose_lhs, transpose_rhs, name, options);
    struct sparse_question asked = { .set = SPARSE_OF_MAT_MUL, .cache = cache };
    struct sparse_request request;
    struct sparse_cells cells;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (!sparse_request_read_key(lhs.op, &asked.shape)) {
        call_fail(call, POP_POPLAR_ERROR,
                  "the sparse operand has no meta-data of its operation: give that of an operand that "
                  "createSparseDenseMatMulLHS has created");
        return (pop_tensor){ 0 };
    }
    if (!sparse_request_make(call, &asked, &request) || !sparse_operand_take(call, &request, lhs, &cells))
        return (pop_tensor){ 0 };
    const struct sparse_shape *shape = &request.shape;
    size_t lines = transpose_lhs ? shape->rows : shape->columns;
    pop_shape wanted =
        transpose_rhs ? POP_SHAPE(shape->groups, shape->batch, lines) : POP_SHAPE(shape->groups, lines, shape->batch);
    if (!call_takes_shape(call, "the dense operand", rhs, request.shape.type, wanted))
        return (pop_tensor){ 0 };
    pop_tensor dense = transpose_rhs ? pop_tensor_dim_shuffle(rhs, POP_DIMS(0, 2, 1)) : rhs;
    return sparse_product(call, &request, &cells, dense, transpose_lhs);
}
