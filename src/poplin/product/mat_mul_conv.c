/* SPDX-License-Identifier: Apache-2.0 */
/* A product as a convolution (poplibs.md 3.1): B is the input, its columns the field, its rows the channels; the rows
 * of A are the weights of as many output channels.  Operands of CPU devices are plain matrices on their one tile. */
#include "poplin/product/mat_mul_conv.h"
#include "poplin/product/mat_mul_call.h"

#include "poplin/convolution/conv_build.h"

#include <popops/fill.h>
#include <poputil/tile_mapping.h>

static pop_tensor plain(const struct mat_mul_call *call, pop_type type, const size_t *dims, size_t columns,
                        const char *what)
{
    char path[256];
    pop_tensor t = pop_graph_add_variable_at(call->where, call->graph, type, POP_SHAPE(dims[0], dims[1], columns),
                                             poplibs_path(path, sizeof(path), call->name, what));
    poputil_map_tensor_linearly_at(call->where, call->graph, t);
    return t;
}

/* A product without a multiplication has no convolution. */
static bool is_plain(const struct mat_mul_call *call, const poplin_mat_mul_params *params)
{
    return mat_mul_is_for_host(call) || !params->a_shape[0] || !params->a_shape[1] || !params->a_shape[2] ||
           !params->b_shape[2];
}

struct conv {
    poplin_conv_params params;
    struct poplin_conv_options options;
    struct poplin_conv_call call;
};
static bool begin_conv(const struct mat_mul_call *call, const poplin_mat_mul_params *params, struct conv *conv)
{
    conv->params = poplin_mat_mul_conv_params(params);
    conv->call = (struct poplin_conv_call){ call->where, call->graph, call->api, &conv->params, &conv->options,
                                            call->cache, call->name,  NULL,      false };
    return poplin_conv_options_parse(call->where, call->graph, call->api, mat_mul_options(call), &conv->options);
}

/* {g,m,k} as weights {g,1,m,k}, {g,k,n} as input {g,1,n,k}; and back.  The output {g,1,n,m} goes back as the input
 * does. */
static pop_tensor as_weights(pop_where where, pop_tensor a)
{
    return pop_tensor_expand_at(where, a, POP_DIMS(1));
}
static pop_tensor of_weights(pop_where where, pop_tensor weights)
{
    return pop_tensor_squeeze_at(where, weights, POP_DIMS(1));
}
static pop_tensor as_input(pop_where where, pop_tensor b)
{
    return pop_tensor_expand_at(where, poplin_transpose_grouped_matrix_at(where, b), POP_DIMS(1));
}
static pop_tensor of_input(pop_where where, pop_tensor input)
{
    return poplin_transpose_grouped_matrix_at(where, pop_tensor_squeeze_at(where, input, POP_DIMS(1)));
}

pop_tensor mat_mul_new_lhs(const struct mat_mul_call *call, const poplin_mat_mul_params *params)
{
    struct conv conv;
    if (is_plain(call, params))
        return plain(call, params->input_type, params->a_shape, params->a_shape[2], "lhs");
    return begin_conv(call, params, &conv) ? of_weights(call->where, poplin_conv_new_weights(&conv.call))
                                           : (pop_tensor){ 0 };
}
pop_tensor mat_mul_new_rhs(const struct mat_mul_call *call, const poplin_mat_mul_params *params)
{
    struct conv conv;
    if (is_plain(call, params))
        return plain(call, params->input_type, params->b_shape, params->b_shape[2], "rhs");
    return begin_conv(call, params, &conv) ? of_input(call->where, poplin_conv_new_input(&conv.call))
                                           : (pop_tensor){ 0 };
}
pop_tensor mat_mul_new_output(const struct mat_mul_call *call, const poplin_mat_mul_params *params)
{
    return plain(call, params->output_type, params->a_shape, params->b_shape[2], "Out");
}
pop_tensor mat_mul_arranged_rhs(const struct mat_mul_call *call, const poplin_mat_mul_params *params, pop_tensor b,
                                pop_program sequence)
{
    struct conv conv;
    if (is_plain(call, params))
        return b;
    if (!begin_conv(call, params, &conv))
        return (pop_tensor){ 0 };
    return of_input(call->where, poplin_conv_arranged_input(&conv.call, as_input(call->where, b), sequence));
}

pop_tensor mat_mul_conv_product(const struct mat_mul_call *call, const poplin_mat_mul_params *params, pop_tensor a,
                                pop_tensor b, pop_program sequence)
{
    struct conv conv;
    if (is_plain(call, params)) {
        pop_tensor zeros = mat_mul_new_output(call, params);
        popops_zero_at(call->where, call->graph, zeros, sequence, call->name);
        return zeros;
    }
    if (!begin_conv(call, params, &conv))
        return (pop_tensor){ 0 };
    conv.call.input_arranged_by = call->rhs_is_arranged ? "poplin_pre_arrange_mat_mul_input_rhs" : NULL;
    return of_input(call->where,
                    poplin_conv_build(&conv.call, as_input(call->where, b), as_weights(call->where, a), sequence));
}
