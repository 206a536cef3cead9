/* SPDX-License-Identifier: Apache-2.0 */
/* Creates operands and results in the layout of a product's plan. */
#include "poplibs/log.h"
#include "poplin/product/mat_mul_call.h"
#include "poplin/product/product.h"

enum role { LHS, RHS, OUTPUT };

static pop_tensor create(const struct mat_mul_call *request, pop_type input_type, pop_type output_type, pop_shape a,
                         pop_shape b, size_t rank, enum role role)
{
    const struct call *call = request->call;
    poplin_mat_mul_params params;
    if (!mat_mul_shapes(request, input_type, output_type, a, b, rank, &params))
        return (pop_tensor){ 0 };
    pop_tensor t = role == LHS   ? mat_mul_new_lhs(request, &params)
                   : role == RHS ? mat_mul_new_rhs(request, &params)
                                 : mat_mul_new_output(request, &params);
    if (input_type == POP_QUARTER && role != OUTPUT && pop_tensor_valid(t) && pop_tensor_type(t) != POP_QUARTER)
        t = pop_graph_clone(call->graph, POP_QUARTER, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, call->name);
    return rank == 3 ? t : pop_tensor_reshape_partial(t, 0, 1, POP_SHAPE());
}

#define CREATE_PARAMETERS                                                                                              \
    pop_where where, pop_graph *graph, pop_type input_type, pop_type output_type, pop_shape a_shape,                   \
        pop_shape b_shape, const char *name, pop_options options, poplin_planning_cache *cache
#define CREATE(function, role, rank)                                                                                   \
    pop_tensor function##_at(CREATE_PARAMETERS)                                                                        \
    {                                                                                                                  \
        POPLIBS_CALL(graph, log_type(input_type), log_type(output_type), a_shape, b_shape, name, options);             \
        struct mat_mul_call request;                                                                                   \
        bool begun = mat_mul_begin(call, &request, cache);                                                             \
        return begun ? create(&request, input_type, output_type, a_shape, b_shape, rank, role) : (pop_tensor){ 0 };    \
    }
CREATE(poplin_create_mat_mul_input_lhs, LHS, 2)
CREATE(poplin_create_mat_mul_input_rhs, RHS, 2)
CREATE(poplin_create_mat_mul_output, OUTPUT, 2)
CREATE(poplin_create_mat_mul_grouped_input_lhs, LHS, 3)
CREATE(poplin_create_mat_mul_grouped_input_rhs, RHS, 3)
CREATE(poplin_create_mat_mul_grouped_output, OUTPUT, 3)

static pop_tensor pre_arrange(const struct mat_mul_call *request, pop_shape a, pop_tensor b, pop_type output_type,
                              size_t rank)
{
    const struct call *call = request->call;
    poplin_mat_mul_params params;
    struct mat_mul_dims dims;
    if (!mat_mul_is_operand(request, "the operand", b) ||
        !mat_mul_shapes(request, pop_tensor_type(b), output_type, a, mat_mul_shape_of(b, &dims), rank, &params))
        return (pop_tensor){ 0 };
    if (params.input_type == POP_QUARTER) /* its cast is what is arranged */
        return b;
    pop_tensor t = mat_mul_arranged_rhs(request, &params, mat_mul_grouped(request, b));
    return rank == 3 ? t : pop_tensor_reshape_partial(t, 0, 1, POP_SHAPE());
}
pop_tensor poplin_pre_arrange_mat_mul_input_rhs_at(pop_where where, pop_graph *graph, pop_shape a_shape, pop_tensor b,
                                                   pop_program sequence, pop_type output_type, const char *name,
                                                   pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a_shape, b, log_type(output_type), name, options);
    struct mat_mul_call request;
    if (!mat_mul_begin(call, &request, cache))
        return (pop_tensor){ 0 };
    return pre_arrange(&request, a_shape, b, output_type, 2);
}
pop_tensor poplin_pre_arrange_mat_mul_grouped_input_rhs_at(pop_where where, pop_graph *graph, pop_shape a_shape,
                                                           pop_tensor b, pop_program sequence, pop_type output_type,
                                                           const char *name, pop_options options,
                                                           poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a_shape, b, log_type(output_type), name, options);
    struct mat_mul_call request;
    if (!mat_mul_begin(call, &request, cache))
        return (pop_tensor){ 0 };
    return pre_arrange(&request, a_shape, b, output_type, 3);
}
pop_tensor poplin_transpose_grouped_matrix_at(pop_where where, pop_tensor a)
{
    POPLIBS_CALL(NULL, a);
    return pop_tensor_dim_shuffle(a, POP_DIMS(0, 2, 1));
}
