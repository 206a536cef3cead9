/* SPDX-License-Identifier: Apache-2.0 */
/* A product as a convolution (as in Poplibs): B is the input, with its columns as field and its rows as channels; the
 * rows of A are the weights of the output channels.  On CPU devices operands are plain row-major matrices on the single
 * tile. */
#include "poplin/product/mat_mul_call.h"
#include "poplin/product/product.h"

#include "poplin/convolution/convolution.h"

#include <popops/fill.h>
#include <poputil/tile_mapping.h>

static pop_tensor plain(const struct mat_mul_call *request, pop_type type, const size_t *dims, size_t columns,
                        const char *what)
{
    const struct call *call = request->call;
    pop_tensor t = pop_graph_add_variable(call->graph, type, POP_SHAPE(dims[0], dims[1], columns),
                                          call_path(call, call->name, what));
    poputil_map_tensor_linearly(call->graph, t);
    return t;
}

/* A product without multiplications is not a convolution. */
static bool is_plain(const struct mat_mul_call *request, const poplin_mat_mul_params *params)
{
    return mat_mul_is_for_host(request) || !params->a_shape[0] || !params->a_shape[1] || !params->a_shape[2] ||
           !params->b_shape[2];
}

struct conv_product {
    struct conv_call request;
    struct conv_resolved conv;
};
/* False after an error. */
static bool begin(const struct mat_mul_call *request, const poplin_mat_mul_params *params, struct conv_product *product)
{
    poplin_conv_params conv = poplin_mat_mul_conv_params(params);
    return conv_call_begin(request->call, &product->request, CONV_FORWARD, &conv, request->call->name,
                           mat_mul_options(request), request->cache) &&
           conv_resolve(&product->conv, &product->request, product->request.name);
}

/* {g,m,k} to weights {g,1,m,k} and {g,k,n} to input {g,1,n,k}, and the inverses.  The inverse for the input also
 * converts the output {g,1,n,m}. */
static pop_tensor as_weights(const struct call *call, pop_tensor a)
{
    return pop_tensor_expand(a, POP_DIMS(1));
}
static pop_tensor of_weights(const struct call *call, pop_tensor weights)
{
    return pop_tensor_squeeze(weights, POP_DIMS(1));
}
static pop_tensor as_input(const struct call *call, pop_tensor b)
{
    return pop_tensor_expand(poplin_transpose_grouped_matrix(b), POP_DIMS(1));
}
static pop_tensor of_input(const struct call *call, pop_tensor input)
{
    return poplin_transpose_grouped_matrix(pop_tensor_squeeze(input, POP_DIMS(1)));
}

pop_tensor mat_mul_new_lhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params)
{
    struct conv_product product;
    if (is_plain(request, params))
        return plain(request, params->input_type, params->a_shape, params->a_shape[2], "lhs");
    return begin(request, params, &product) ? of_weights(request->call, conv_new_weights(&product.conv))
                                            : (pop_tensor){ 0 };
}
pop_tensor mat_mul_new_rhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params)
{
    struct conv_product product;
    if (is_plain(request, params))
        return plain(request, params->input_type, params->b_shape, params->b_shape[2], "rhs");
    return begin(request, params, &product) ? of_input(request->call, conv_new_input(&product.conv))
                                            : (pop_tensor){ 0 };
}
pop_tensor mat_mul_new_output(const struct mat_mul_call *request, const poplin_mat_mul_params *params)
{
    return plain(request, params->output_type, params->a_shape, params->b_shape[2], "Out");
}
pop_tensor mat_mul_arranged_rhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params, pop_tensor b)
{
    struct conv_product product;
    if (is_plain(request, params))
        return b;
    return begin(request, params, &product)
               ? of_input(request->call, conv_arranged_input(&product.conv, as_input(request->call, b)))
               : (pop_tensor){ 0 };
}

pop_tensor mat_mul_conv_product(const struct mat_mul_call *request, const poplin_mat_mul_params *params, pop_tensor a,
                                pop_tensor b)
{
    const struct call *call = request->call;
    struct conv_product product;
    if (is_plain(request, params)) {
        pop_tensor zeros = mat_mul_new_output(request, params);
        popops_zero(call->graph, zeros, call->sequence, call->name);
        return zeros;
    }
    if (!begin(request, params, &product))
        return (pop_tensor){ 0 };
    bool arranged =
        request->rhs_is_arranged && params->input_type != POP_QUARTER; /* what is multiplied is a new cast */
    product.request.input_arranged_by = arranged ? "poplin_pre_arrange_mat_mul_input_rhs" : NULL;
    struct conv_program program = conv_program_begin(call, product.request.name);
    conv_take_metadata(&product.conv, b, a);
    a = conv_call_cast(&product.request, a, &program);
    b = conv_call_cast(&product.request, b, &program);
    pop_tensor output = conv_add(&product.conv, as_input(call, b), as_weights(call, a), &program);
    conv_program_end(&program, call->sequence);
    return of_input(call, output);
}
