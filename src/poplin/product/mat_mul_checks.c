/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of shapes and types, and the parameters of a product's convolution. */
#include "poplin/product/mat_mul_call.h"
#include "poplin/product/product.h"

static bool are_types(const struct mat_mul_call *request, pop_type input_type, pop_type output_type)
{
    const pop_type types[] = { input_type, output_type };
    for (size_t i = 0; i < 2; ++i)
        if (types[i] != POP_HALF && types[i] != POP_FLOAT && (i || types[i] != POP_QUARTER))
            return call_fail(request->call, POP_TYPE_ERROR, "the %s has type %s; products are of half or float%s",
                             i ? "result" : "operand", pop_type_name(types[i]), i ? "" : ", or of quarter operands");
    return input_type != POP_QUARTER || output_type == POP_HALF ||
           call_fail(request->call, POP_TYPE_ERROR, "the result has type %s; with quarter operands it must be half",
                     pop_type_name(output_type));
}

bool mat_mul_shapes(const struct mat_mul_call *request, pop_type input_type, pop_type output_type, pop_shape a,
                    pop_shape b, size_t rank, poplin_mat_mul_params *params)
{
    const struct call *call = request->call;
    char left[96], right[96];
    if (!are_types(request, input_type, output_type))
        return false;
    poplibs_shape_text(left, sizeof(left), a);
    poplibs_shape_text(right, sizeof(right), b);
    if (a.rank != rank || b.rank != rank)
        return call_fail(call, POP_POPLAR_ERROR, "shapes are %s and %s; both must have rank %zu", left, right, rank);
    for (size_t i = 0; i < rank; ++i)
        if (a.dims[i] > INT32_MAX || b.dims[i] > INT32_MAX)
            return call_fail(call, POP_POPLAR_ERROR, "shapes are %s and %s; a dimension has at most %d elements", left,
                             right, INT32_MAX);
    *params = (poplin_mat_mul_params){ input_type, output_type, { 1, 0, 0 }, { 1, 0, 0 } };
    memcpy(params->a_shape + 3 - rank, a.dims, rank * sizeof(size_t));
    memcpy(params->b_shape + 3 - rank, b.dims, rank * sizeof(size_t));
    if (params->a_shape[0] != params->b_shape[0])
        return call_fail(call, POP_POPLAR_ERROR, "shapes are %s and %s: the numbers of groups must be equal", left,
                         right);
    if (params->a_shape[2] != params->b_shape[1])
        return call_fail(call, POP_POPLAR_ERROR,
                         "shapes are %s and %s: the first must have as many columns as the second has rows", left,
                         right);
    return true;
}

poplin_conv_params poplin_mat_mul_conv_params(const poplin_mat_mul_params *params)
{
    /* the columns are the field, which must not be empty */
    size_t columns = poplibs_max(params->b_shape[2], 1);
    return poplin_conv_params_make(params->input_type, params->output_type, 1, POP_SHAPE(columns), POP_SHAPE(1),
                                   params->a_shape[2], params->a_shape[1], params->a_shape[0]);
}

int poplin_mat_mul_params_compare(const poplin_mat_mul_params *a, const poplin_mat_mul_params *b)
{
    if (a->input_type != b->input_type)
        return a->input_type < b->input_type ? -1 : 1;
    if (a->output_type != b->output_type)
        return a->output_type < b->output_type ? -1 : 1;
    for (size_t i = 0; i < 6; ++i) {
        size_t x = i < 3 ? a->a_shape[i] : a->b_shape[i - 3], y = i < 3 ? b->a_shape[i] : b->b_shape[i - 3];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}
