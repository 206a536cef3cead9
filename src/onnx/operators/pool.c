/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling. */
#include "onnx/operators/window.h"

#include <math.h>
#include <popnn/pooling.h>
#include <popops/pad.h>

static bool kernel_of(onnx_builder *b, onnx_window *window)
{
    size_t count, dims[TREMULA_ONNX_MAX_RANK];
    const int64_t *kernel = onnx_ints(b, "kernel_shape", &count);
    pop_shape shape = onnx_shape_of(b, 0);
    if (shape.rank < 3 || count != shape.rank - 2)
        return onnx_complain(b, "its kernel has %zu dimensions and its input %zu", count, shape.rank);
    for (size_t i = 0; i < count; ++i)
        dims[i] = (size_t)(kernel[i] < 0 ? 0 : kernel[i]);
    return onnx_read_window(b, (pop_shape){ count, shape.dims + 2 }, (pop_shape){ count, dims }, window);
}

/* The padding behind the input with which the last window ends: ceil_mode may need more than the node has. */
static int64_t upper_padding(const onnx_window *w, size_t i)
{
    int64_t reach = (int64_t)w->dilation[i] * ((int64_t)w->kernel[i] - 1) + 1;
    int64_t needed = ((int64_t)w->output[i] - 1) * w->stride[i] + reach - (int64_t)w->input[i] - w->lower[i];
    return needed > w->upper[i] ? needed : w->upper[i];
}

static popnn_pool_params pool_params(onnx_builder *b, const onnx_window *w, popnn_pooling_type type, pop_tensor t)
{
    popnn_pool_params params = { .type = type,
                                 .dims = (unsigned)w->dims,
                                 .channels = pop_tensor_dim(t, 1),
                                 .batch = pop_tensor_dim(t, 0),
                                 .data_type = pop_tensor_type(t) };
    (void)b;
    for (size_t i = 0; i < w->dims; ++i) {
        params.input_field[i] = w->input[i];
        params.kernel[i] = w->kernel[i];
        params.stride[i] = w->stride[i];
        params.padding_lower[i] = (int)w->lower[i];
        params.padding_upper[i] = (int)upper_padding(w, i);
    }
    return params;
}

static bool has_dilation(const onnx_window *w)
{
    for (size_t i = 0; i < w->dims; ++i)
        if (w->dilation[i] != 1)
            return true;
    return false;
}

/* ---- windows as views: for dilation and for indices ---- */

/* The elements of the padded input that element `which` of each window's kernel covers. */
static pop_tensor window_view(onnx_builder *b, const onnx_window *w, pop_tensor padded, size_t which)
{
    for (size_t i = w->dims; i-- > 0; which /= w->kernel[i]) {
        size_t begin = which % w->kernel[i] * w->dilation[i], end = begin + (w->output[i] - 1) * w->stride[i] + 1;
        padded = pop_tensor_slice_at(b->where, padded, begin, end, (unsigned)(i + 2));
        if (w->stride[i] > 1)
            padded = pop_tensor_sub_sample_at(b->where, padded, w->stride[i], (unsigned)(i + 2));
    }
    return padded;
}

static pop_tensor pad_field(onnx_builder *b, const onnx_window *w, pop_tensor t, double value)
{
    for (size_t i = 0; i < w->dims; ++i)
        t = popops_pad_dim_at(b->where, b->graph, t, (ptrdiff_t)w->lower[i], (ptrdiff_t)upper_padding(w, i),
                              (unsigned)(i + 2), value, POPOPS_PADDING_MAPPING_EDGE);
    return t;
}

/* The flat index in the input of each element: by rows, or by columns with storage_order 1. */
static pop_tensor element_indices(onnx_builder *b, pop_tensor t, bool by_columns)
{
    size_t count = pop_tensor_num_elements(t), rank = pop_tensor_rank(t);
    int32_t *indices = onnx_new(b->arena, count + 1, sizeof(*indices));
    size_t rows = pop_tensor_dim(t, rank - 2), columns = pop_tensor_dim(t, rank - 1), field = rows * columns;
    for (size_t i = 0; i < count; ++i) {
        size_t in = i % field, base = i - in;
        indices[i] = (int32_t)(by_columns && rank >= 4 ? base + in % columns * rows + in / columns : i);
    }
    return onnx_int_constant(b, onnx_shape(b, t), indices);
}

static bool build_max_by_views(onnx_builder *b, const onnx_window *w, pop_tensor t)
{
    size_t count = 1;
    for (size_t i = 0; i < w->dims; ++i)
        count *= w->kernel[i];
    bool indexed = onnx_wants(b, 1);
    pop_type type = pop_tensor_type(t);
    double least = type == POP_HALF ? -65504 : pop_type_is_floating_point(type) ? -3.4028234e38 : INT32_MIN;
    pop_tensor padded = pad_field(b, w, t, least), best = window_view(b, w, padded, 0), at = { 0 }, indices = { 0 };
    if (indexed) {
        indices = pad_field(b, w, element_indices(b, t, onnx_int(b, "storage_order", 0)), 0);
        at = window_view(b, w, indices, 0);
    }
    for (size_t i = 1; i < count && onnx_ok(b); ++i) {
        pop_tensor next = window_view(b, w, padded, i);
        if (indexed)
            at = ONNX_TERNARY(b, SELECT, window_view(b, w, indices, i), at, ONNX_BINARY(b, GREATER_THAN, next, best));
        best = ONNX_BINARY(b, MAXIMUM, best, next);
    }
    return onnx_give_like(b, best) && (!indexed || onnx_give(b, 1, at, TREMULA_ONNX_INT64));
}

static bool build_max_pool(onnx_builder *b)
{
    onnx_window w;
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b) || !kernel_of(b, &w))
        return false;
    if (onnx_wants(b, 1) || has_dilation(&w) || !pop_type_is_floating_point(pop_tensor_type(t)))
        return build_max_by_views(b, &w, t);
    popnn_pool_params params = pool_params(b, &w, POPNN_POOL_MAX, t);
    pop_tensor result = popnn_pool_at(b->where, b->graph, &params, t, b->program, b->name, POP_NO_OPTIONS);
    return onnx_give_like(b, result);
}

static bool build_average_pool(onnx_builder *b)
{
    onnx_window w;
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b) || !kernel_of(b, &w))
        return false;
    bool whole = onnx_int(b, "count_include_pad", 0);
    size_t count = 1;
    for (size_t i = 0; i < w.dims; ++i)
        count *= w.kernel[i];
    if (whole) /* before they are added, since a sum of halves may exceed the largest half */
        t = ONNX_BINARY(b, MULTIPLY, t, 1.0 / (double)count);
    popnn_pool_params params = pool_params(b, &w, whole ? POPNN_POOL_SUM : POPNN_POOL_AVG, t);
    return onnx_give_like(b, popnn_pool_at(b->where, b->graph, &params, t, b->program, b->name, POP_NO_OPTIONS));
}

/* The p-norm of each window. */
static bool build_lp_pool(onnx_builder *b)
{
    onnx_window w;
    double p = onnx_has(b, "p") ? (double)onnx_int(b, "p", 2) : 2;
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b) || !kernel_of(b, &w))
        return false;
    pop_tensor powers = p == 2 ? ONNX_UNARY(b, SQUARE, t) : ONNX_BINARY(b, POWER, ONNX_UNARY(b, ABSOLUTE, t), p);
    popnn_pool_params params = pool_params(b, &w, POPNN_POOL_SUM, t);
    pop_tensor sum = popnn_pool_at(b->where, b->graph, &params, powers, b->program, b->name, POP_NO_OPTIONS);
    return onnx_ok(b) && onnx_give_like(b, p == 2 ? ONNX_UNARY(b, SQRT, sum) : ONNX_BINARY(b, POWER, sum, 1 / p));
}

/* ---- of whole fields ---- */

static bool build_global_pool(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    unsigned dims[TREMULA_ONNX_MAX_RANK];
    size_t rank = pop_tensor_rank(t), shape[TREMULA_ONNX_MAX_RANK], field = 1;
    if (rank < 3)
        return onnx_complain(b, "its input has %zu dimensions; 3 or more are needed", rank);
    for (size_t i = 0; i < rank; ++i) {
        shape[i] = i < 2 ? pop_tensor_dim(t, i) : 1;
        if (i >= 2) {
            dims[i - 2] = (unsigned)i;
            field *= pop_tensor_dim(t, i);
        }
    }
    popops_operation op = (popops_operation)b->node->row->op;
    pop_tensor result = onnx_reduce(b, t, (pop_dims){ rank - 2, dims }, op);
    if (op == POPOPS_ADD && onnx_ok(b))
        result = ONNX_BINARY(b, MULTIPLY, result, 1.0 / (double)field);
    else if (op == POPOPS_SQUARE_ADD && onnx_int(b, "p", 2) != 2)
        return onnx_complain(b, "p is %lld; only 2 is supported", (long long)onnx_int(b, "p", 2));
    else if (op == POPOPS_SQUARE_ADD && onnx_ok(b))
        result = ONNX_UNARY(b, SQRT, result);
    return onnx_ok(b) && onnx_give_like(b, onnx_reshape(b, result, (pop_shape){ rank, shape }));
}

const onnx_operator onnx_pool_operators[] = {
    { ONNX_ROW("AveragePool", 1), build_average_pool, NULL, 0, NULL },
    { ONNX_ROW("GlobalAveragePool", 1), build_global_pool, NULL, POPOPS_ADD, NULL },
    { ONNX_ROW("GlobalLpPool", 2), build_global_pool, NULL, POPOPS_SQUARE_ADD, NULL },
    { ONNX_ROW("GlobalMaxPool", 1), build_global_pool, NULL, POPOPS_MAX, NULL },
    { ONNX_ROW("LpPool", 2), build_lp_pool, NULL, 0, NULL },
    { ONNX_ROW("MaxPool", 1), build_max_pool, NULL, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
