/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised operators: integers of 8 bits are INT on the device, and their products are computed in real numbers, which
 * hold sums of up to 256 products of two bytes exactly; longer sums are added as integers. */
#include "onnx/build/build.h"
#include "onnx/operators/window.h"

#include <poplin/convolution.h>
#include <poplin/mat_mul.h>
#include <popops/reduce.h>

enum { EXACT_PRODUCTS = 256 }; /* 256 * 255 * 255 < 2^24 */

static void limits(tremula_onnx_type type, double *least, double *most)
{
    *least = type == TREMULA_ONNX_UINT8 ? 0 : -128;
    *most = type == TREMULA_ONNX_UINT8 ? 255 : 127;
}

/* A scale or zero point of one element, or one for each element of a dimension of t, in t's rank. */
static pop_tensor along(onnx_builder *b, size_t input, size_t rank, size_t axis)
{
    pop_tensor t = onnx_tensor(b, input);
    if (!onnx_ok(b) || pop_tensor_num_elements(t) == 1)
        return onnx_ok(b) ? onnx_reshape(b, t, POP_SHAPE()) : t;
    size_t dims[TREMULA_ONNX_MAX_RANK];
    for (size_t i = 0; i < rank; ++i)
        dims[i] = i == axis ? pop_tensor_num_elements(t) : 1;
    return onnx_reshape(b, t, (pop_shape){ rank, dims });
}

/* round(real / scale) + zero point, within the type's limits; zero may be null. */
static pop_tensor quantise(onnx_builder *b, pop_tensor real, pop_tensor scale, pop_tensor zero, tremula_onnx_type type)
{
    double least, most;
    limits(type, &least, &most);
    pop_tensor t = ONNX_UNARY(b, NEARBY_INT, ONNX_BINARY(b, DIVIDE, real, scale));
    if (pop_tensor_valid(zero))
        t = ONNX_BINARY(b, ADD, t, onnx_cast(b, zero, pop_tensor_type(t)));
    t = ONNX_TERNARY(b, CLAMP, t, least, most);
    return onnx_cast(b, t, POP_INT);
}

/* A scale for each block of elements: since set 21. */
static bool refuse_blocks(onnx_builder *b)
{
    return !onnx_int(b, "block_size", 0) || onnx_complain(b, "block_size is not supported");
}

static bool build_quantise(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!refuse_blocks(b) || !onnx_ok(b))
        return false;
    size_t rank = pop_tensor_rank(t), axis = rank ? onnx_axis(b, onnx_int(b, "axis", rank > 1), rank) : 0;
    pop_tensor scale = along(b, 1, rank, axis), zero = onnx_input(b, 2) ? along(b, 2, rank, axis) : (pop_tensor){ 0 };
    tremula_onnx_type type = onnx_input(b, 2) ? onnx_type_of(b, 2) : TREMULA_ONNX_UINT8;
    return onnx_ok(b) && onnx_give(b, 0, quantise(b, onnx_cast(b, t, b->real), scale, zero, type), type);
}

static bool build_dequantise(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!refuse_blocks(b) || !onnx_ok(b))
        return false;
    size_t rank = pop_tensor_rank(t), axis = rank ? onnx_axis(b, onnx_int(b, "axis", rank > 1), rank) : 0;
    pop_tensor scale = along(b, 1, rank, axis);
    if (onnx_input(b, 2) && onnx_ok(b))
        t = ONNX_BINARY(b, SUBTRACT, t, along(b, 2, rank, axis));
    return onnx_ok(b) && onnx_give(b, 0, ONNX_BINARY(b, MULTIPLY, onnx_cast(b, t, pop_tensor_type(scale)), scale),
                                   onnx_type_of(b, 1));
}

static pop_tensor extreme(onnx_builder *b, pop_tensor t, popops_operation op)
{
    popops_reduce_params params = { .op = op };
    return popops_reduce_at(b->where, b->graph, pop_tensor_flatten_at(b->where, t), POP_TYPE_NULL, POP_DIMS(0), params,
                            b->program, b->name, POP_NO_OPTIONS);
}

static bool build_dynamic_quantise(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    pop_tensor least = extreme(b, t, POPOPS_MIN), most = extreme(b, t, POPOPS_MAX);
    if (!onnx_ok(b))
        return false;
    pop_tensor scale = onnx_map(b, "(max(_2, 0) - min(_1, 0)) / 255", POP_TENSORS(least, most));
    pop_tensor zero = onnx_map(b, "clamp(nearbyint(-min(_1, 0) / _2), 0, 255)", POP_TENSORS(least, scale));
    pop_tensor zero_point = onnx_cast(b, zero, POP_INT);
    return onnx_ok(b) && onnx_give(b, 0, quantise(b, t, scale, zero_point, TREMULA_ONNX_UINT8), TREMULA_ONNX_UINT8) &&
           onnx_give(b, 1, scale, TREMULA_ONNX_FLOAT) && onnx_give(b, 2, zero_point, TREMULA_ONNX_UINT8);
}

/* ---- products ---- */

/* Input i less its zero point, in float: differences of bytes are exact. */
static pop_tensor centred(onnx_builder *b, size_t i, size_t zero, size_t axis)
{
    pop_tensor t = onnx_tensor(b, i);
    if (onnx_input(b, zero) && onnx_ok(b))
        t = ONNX_BINARY(b, SUBTRACT, t, along(b, zero, pop_tensor_rank(t), axis));
    return onnx_ok(b) ? onnx_cast(b, t, POP_FLOAT) : t;
}

/* The product of matrices as INT; the sum over the inner dimension in parts that are exact. */
static pop_tensor integer_product(onnx_builder *b, pop_tensor x, pop_tensor y)
{
    size_t rank = pop_tensor_rank(x), rows = pop_tensor_dim(x, rank - 2), depth = pop_tensor_dim(x, rank - 1),
           columns = pop_tensor_dim(y, pop_tensor_rank(y) - 1), dims[TREMULA_ONNX_MAX_RANK], groups = 1;
    for (size_t i = 0; i < rank; ++i)
        dims[i] = pop_tensor_dim(x, i);
    for (size_t i = 0; i + 2 < rank; ++i)
        groups *= dims[i];
    dims[rank - 2] = depth;
    dims[rank - 1] = columns;
    y = onnx_reshape(b, onnx_broadcast(b, y, (pop_shape){ rank, dims }), POP_SHAPE(groups, depth, columns));
    x = onnx_reshape(b, x, POP_SHAPE(groups, rows, depth));
    pop_tensor sum = { 0 };
    for (size_t from = 0; from < depth && onnx_ok(b); from += EXACT_PRODUCTS) {
        size_t to = from + EXACT_PRODUCTS < depth ? from + EXACT_PRODUCTS : depth;
        pop_tensor part = poplin_mat_mul_grouped_at(b->where, b->graph, pop_tensor_slice_at(b->where, x, from, to, 2),
                                                    pop_tensor_slice_at(b->where, y, from, to, 1), b->program,
                                                    POP_FLOAT, b->name, onnx_poplin_options(b), b->cache);
        part = onnx_cast(b, part, POP_INT);
        sum = from && onnx_ok(b) ? ONNX_BINARY(b, ADD, sum, part) : part;
    }
    dims[rank - 2] = rows;
    return onnx_ok(b) ? onnx_reshape(b, sum, (pop_shape){ rank, dims }) : sum;
}

static bool is_matrix(onnx_builder *b, pop_tensor x, pop_tensor y)
{
    size_t p = pop_tensor_rank(x), q = pop_tensor_rank(y);
    return (p >= 2 && q >= 2 && pop_tensor_dim(x, p - 1) && pop_tensor_dim(x, p - 1) == pop_tensor_dim(y, q - 2) &&
            p >= q) ||
           onnx_complain(b, "its operands are no matrices that can be multiplied");
}

static bool build_mat_mul_integer(onnx_builder *b)
{
    pop_tensor x = centred(b, 0, 2, onnx_rank_of(b, 0) - 2), y = centred(b, 1, 3, onnx_rank_of(b, 1) - 1);
    return onnx_ok(b) && is_matrix(b, x, y) && onnx_give(b, 0, integer_product(b, x, y), TREMULA_ONNX_INT32);
}

/* real = sum * the scales of both operands / the result's scale, rounded, plus its zero point. */
static pop_tensor requantise(onnx_builder *b, pop_tensor sum, const size_t scales[3], size_t zero, size_t axis)
{
    size_t rank = pop_tensor_rank(sum);
    pop_tensor real = onnx_cast(b, sum, POP_FLOAT);
    for (size_t i = 0; i < 2 && onnx_ok(b); ++i)
        real = ONNX_BINARY(b, MULTIPLY, real, onnx_cast(b, along(b, scales[i], rank, axis), POP_FLOAT));
    return onnx_ok(b) ? quantise(b, real, onnx_cast(b, along(b, scales[2], rank, axis), POP_FLOAT),
                                 along(b, zero, rank, axis), onnx_type_of(b, zero))
                      : real;
}

static bool build_qlinear_mat_mul(onnx_builder *b)
{
    pop_tensor x = centred(b, 0, 2, onnx_rank_of(b, 0) - 2), y = centred(b, 3, 5, onnx_rank_of(b, 3) - 1);
    if (!onnx_ok(b) || !is_matrix(b, x, y))
        return false;
    pop_tensor sum = integer_product(b, x, y);
    return onnx_ok(b) && onnx_give(b, 0, requantise(b, sum, (const size_t[]){ 1, 4, 6 }, 7, pop_tensor_rank(sum) - 1),
                                   onnx_type_of(b, 7));
}

/* ---- convolutions ---- */

static pop_tensor integer_conv(onnx_builder *b, pop_tensor x, pop_tensor w)
{
    onnx_window window;
    pop_shape in = onnx_shape(b, x), weights = onnx_shape(b, w);
    size_t groups = (size_t)onnx_int(b, "group", 1), dims[TREMULA_ONNX_MAX_RANK + 1];
    if (in.rank < 3 || weights.rank != in.rank || !groups || in.dims[1] != weights.dims[1] * groups ||
        weights.dims[0] % groups) {
        onnx_complain(b, "its input and its weights do not match");
        return x;
    }
    if (!onnx_read_window(b, (pop_shape){ in.rank - 2, in.dims + 2 }, (pop_shape){ in.rank - 2, weights.dims + 2 },
                          &window))
        return x;
    poplin_conv_params params = poplin_conv_params_make(
        POP_FLOAT, POP_FLOAT, in.dims[0], (pop_shape){ window.dims, in.dims + 2 },
        (pop_shape){ window.dims, window.kernel }, weights.dims[1], weights.dims[0] / groups, groups);
    for (size_t i = 0; i < window.dims; ++i) {
        params.kernel_transform.dilation[i] = window.dilation[i];
        params.output_transform.stride[i] = window.stride[i];
        params.input_transform.padding_lower[i] = (unsigned)window.lower[i];
        params.input_transform.padding_upper[i] = (unsigned)window.upper[i];
        dims[i + 3] = window.kernel[i];
    }
    dims[0] = groups;
    dims[1] = weights.dims[0] / groups;
    dims[2] = weights.dims[1];
    w = onnx_reshape(b, w, (pop_shape){ weights.rank + 1, dims });
    return poplin_convolution_at(b->where, b->graph, x, w, &params, false, b->program, b->name, onnx_poplin_options(b),
                                 b->cache);
}

static bool build_conv_integer(onnx_builder *b)
{
    pop_tensor x = centred(b, 0, 2, 1), w = centred(b, 1, 3, 0);
    if (!onnx_ok(b))
        return false;
    pop_tensor sum = integer_conv(b, x, w);
    return onnx_ok(b) && onnx_give(b, 0, onnx_cast(b, ONNX_UNARY(b, NEARBY_INT, sum), POP_INT), TREMULA_ONNX_INT32);
}

static bool build_qlinear_conv(onnx_builder *b)
{
    pop_tensor x = centred(b, 0, 2, 1), w = centred(b, 3, 5, 0);
    if (!onnx_ok(b))
        return false;
    pop_tensor sum = integer_conv(b, x, w);
    if (onnx_input(b, 8) && onnx_ok(b))
        sum = ONNX_BINARY(b, ADD, sum, onnx_cast(b, along(b, 8, pop_tensor_rank(sum), 1), POP_FLOAT));
    return onnx_ok(b) && onnx_give(b, 0, requantise(b, sum, (const size_t[]){ 1, 4, 6 }, 7, 1), onnx_type_of(b, 7));
}

const onnx_operator onnx_quantise_operators[] = {
    { ONNX_ROW("ConvInteger", 10), build_conv_integer, NULL, 0, NULL },
    { ONNX_ROW("DequantizeLinear", 10), build_dequantise, NULL, 0, NULL },
    { ONNX_ROW("DynamicQuantizeLinear", 11), build_dynamic_quantise, NULL, 0, NULL },
    { ONNX_ROW("MatMulInteger", 10), build_mat_mul_integer, NULL, 0, NULL },
    { ONNX_ROW("QLinearConv", 10), build_qlinear_conv, NULL, 0, NULL },
    { ONNX_ROW("QLinearMatMul", 10), build_qlinear_mat_mul, NULL, 0, NULL },
    { ONNX_ROW("QuantizeLinear", 10), build_quantise, NULL, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
