/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/log.h"
#include "popsparse/dynamic/dynamic.h"
#include "popsparse/fixed/fixed.h"
#include "popsparse/pass/pass.h"

#include <popsparse/static_mat_mul.h>

/* The request of a call that creates an operand for a product of this kind. */
static bool make(const struct call *call, const struct sparse_fixed *fixed, const popsparse_matrix *matrix,
                 bool transposed, struct sparse_request *request)
{
    if (!call_ready(call) || !sparse_fixed_request(call, fixed, matrix, request))
        return false;
    return fixed->params->transposed == transposed || call_fail(call, POP_POPLAR_ERROR, "params are those of %s",
                                                                transposed ? "sparse x dense" : "dense x sparse");
}

/* ---- sparse operands ---- */

static popsparse_static_sparse_tensor create_sparse(const struct call *call, const struct sparse_fixed *fixed,
                                                    const popsparse_matrix *matrix, bool transposed)
{
    popsparse_static_sparse_tensor made = { 0 };
    struct sparse_request request;
    struct sparse_buckets buckets;
    if (!make(call, fixed, matrix, transposed, &request) || !sparse_fixed_fill(call, &request, matrix, &buckets))
        return made;
    made.pattern = sparse_pattern_constant(call, &request, &buckets);
    made.nz_values =
        sparse_bucket_variable(call, &request, fixed->type, request.plan.nz, call_path(call, call->name, "nzValues"));
    made.op = sparse_request_key(call, &request);
    sparse_buckets_free(&buckets);
    return made;
}

popsparse_static_sparse_tensor popsparse_static_create_sparse_dense_mat_mul_lhs_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_static_mat_mul_params *params,
    const popsparse_matrix *matrix, const char *name, pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), name, options);
    struct sparse_fixed fixed = { params, input_type, NULL, pop_graph_target(graph), cache };
    return create_sparse(call, &fixed, matrix, false);
}
popsparse_static_sparse_tensor popsparse_static_create_dense_sparse_mat_mul_rhs_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_static_mat_mul_params *params,
    const popsparse_matrix *matrix, const char *name, pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), name, options);
    struct sparse_fixed fixed = { params, input_type, NULL, pop_graph_target(graph), cache };
    return create_sparse(call, &fixed, matrix, true);
}

/* ---- dense operands ---- */

pop_tensor popsparse_static_create_sparse_dense_mat_mul_rhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                               const popsparse_static_mat_mul_params *params,
                                                               const popsparse_matrix *matrix, const char *name,
                                                               pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), name, options);
    struct sparse_fixed fixed = { params, input_type, NULL, pop_graph_target(graph), cache };
    struct sparse_request request;
    if (!make(call, &fixed, matrix, false, &request))
        return (pop_tensor){ 0 };
    return sparse_dense_view(call, &request, sparse_dense_variable(call, &request, SPARSE_COLUMNS, name));
}
pop_tensor popsparse_static_create_dense_sparse_mat_mul_lhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                               const popsparse_static_mat_mul_params *params,
                                                               const popsparse_matrix *matrix, const char *name,
                                                               pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), name, options);
    struct sparse_fixed fixed = { params, input_type, NULL, pop_graph_target(graph), cache };
    struct sparse_request request;
    if (!make(call, &fixed, matrix, true, &request))
        return (pop_tensor){ 0 };
    pop_tensor dense = sparse_dense_variable(call, &request, SPARSE_ROWS, name);
    return pop_tensor_dim_shuffle(sparse_dense_view(call, &request, dense), POP_DIMS(0, 2, 1));
}

/* ---- products ---- */

/* The request of an operand, and its buckets. */
static bool take(const struct call *call, popsparse_static_sparse_tensor operand, bool transposed,
                 popsparse_planning_cache *cache, struct sparse_request *request, struct sparse_cells *cells)
{
    struct sparse_question asked = { .set = SPARSE_OF_STATIC, .transposed = transposed, .cache = cache };
    if (!call_ready(call))
        return false;
    if (!sparse_request_read_key(operand.op, &asked.shape) || !pop_tensor_valid(operand.pattern))
        return call_fail(call, POP_POPLAR_ERROR,
                         "the sparse operand has no meta-data of its operation: give that of an operand that a static "
                         "call has created");
    if (!sparse_request_make(call, &asked, request) || !call_takes(call, "the pattern", operand.pattern))
        return false;
    size_t cells_of_plan = request->plan.cells, values = pop_tensor_num_elements(operand.nz_values);
    if (!sparse_request_check_key(call, request, operand.op))
        return false;
    request->plan.meta_info = cells_of_plan ? pop_tensor_num_elements(operand.pattern) / cells_of_plan : 0;
    request->plan.nz = cells_of_plan ? values / cells_of_plan : 0;
    if (!call_takes_shape(call, "the tensor of non-zero values", operand.nz_values, request->shape.type,
                          POP_SHAPE(values)))
        return false;
    *cells = (struct sparse_cells){ operand.pattern, operand.nz_values, { 0 } };
    return true;
}

/* Sparse by dense {1,k,n}, or dense {1,n,k} by sparse; a transposed dense operand has its last two dimensions
 * exchanged. */
static pop_tensor product(const struct call *call, popsparse_static_sparse_tensor sparse, bool sparse_first,
                          bool transpose_sparse, pop_tensor dense, bool transpose_dense,
                          popsparse_planning_cache *cache)
{
    struct sparse_request request;
    struct sparse_cells cells;
    if (!take(call, sparse, !sparse_first, cache, &request, &cells))
        return (pop_tensor){ 0 };
    if (transpose_sparse) {
        call_fail(call, POP_POPLAR_ERROR, "the sparse operand of a static product cannot be transposed");
        return (pop_tensor){ 0 };
    }
    size_t k = sparse_first ? request.shape.columns : request.shape.rows, n = request.shape.batch;
    bool lines_last = sparse_first == transpose_dense; /* {1,n,k} */
    if (!call_takes_shape(call, "the dense operand", dense, request.shape.type,
                          lines_last ? POP_SHAPE(1, n, k) : POP_SHAPE(1, k, n)))
        return (pop_tensor){ 0 };
    pop_tensor lines = lines_last ? pop_tensor_dim_shuffle(dense, POP_DIMS(0, 2, 1)) : dense;
    pop_tensor result = sparse_product(call, &request, &cells, lines, !sparse_first);
    return sparse_first || !call_ready(call) ? result : pop_tensor_dim_shuffle(result, POP_DIMS(0, 2, 1));
}

pop_tensor popsparse_static_sparse_dense_mat_mul_at(pop_where where, pop_graph *graph,
                                                    popsparse_static_sparse_tensor lhs, pop_tensor rhs,
                                                    pop_program sequence, bool transpose_lhs, bool transpose_rhs,
                                                    const char *name, pop_options options,
                                                    popsparse_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, lhs.nz_values, rhs, transpose_lhs, transpose_rhs, name, options);
    return product(call, lhs, true, transpose_lhs, rhs, transpose_rhs, cache);
}

pop_tensor popsparse_static_dense_sparse_mat_mul_at(pop_where where, pop_graph *graph, pop_tensor lhs,
                                                    popsparse_static_sparse_tensor rhs, pop_program sequence,
                                                    bool transpose_lhs, bool transpose_rhs, const char *name,
                                                    pop_options options, popsparse_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, lhs, rhs.nz_values, transpose_lhs, transpose_rhs, name, options);
    return product(call, rhs, false, transpose_rhs, lhs, transpose_lhs, cache);
}
