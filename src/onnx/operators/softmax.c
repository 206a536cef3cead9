/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax, LogSoftmax, Hardmax: of rows along an axis; before operator set 13, of all dimensions from the axis on. */
#include "onnx/build/build.h"

#include <popnn/log_softmax.h>
#include <popnn/loss.h>
#include <popnn/non_linearity.h>

enum function { SOFTMAX, LOG_SOFTMAX, HARDMAX };

static pop_tensor hardmax(onnx_builder *b, pop_tensor rows)
{
    size_t count = pop_tensor_dim(rows, 0), classes = pop_tensor_dim(rows, 1);
    int32_t *numbers = onnx_new(b->arena, classes + 1, sizeof(*numbers));
    for (size_t i = 0; i < classes; ++i)
        numbers[i] = (int32_t)i;
    pop_tensor best = onnx_cast(b, popnn_arg_max_at(b->where, b->graph, rows, b->program, b->name), POP_INT);
    if (!onnx_ok(b))
        return rows;
    pop_tensor equal = ONNX_BINARY(b, EQUAL, onnx_reshape(b, best, POP_SHAPE(count, 1)),
                                   onnx_int_constant(b, POP_SHAPE(1, classes), numbers));
    return onnx_cast(b, equal, pop_tensor_type(rows));
}

static bool build_softmax(onnx_builder *b)
{
    bool old = b->model->opset < 13;
    size_t rank = onnx_rank_of(b, 0), axis = onnx_axis(b, onnx_int(b, "axis", old ? 1 : -1), rank), columns = 1;
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    if (!old)
        t = pop_tensor_dim_roll_at(b->where, t, (unsigned)axis, (unsigned)(rank ? rank - 1 : 0));
    pop_shape shape = onnx_shape(b, t);
    for (size_t i = old ? axis : rank - 1; i < rank; ++i)
        columns *= shape.dims[i];
    size_t rows = columns ? pop_tensor_num_elements(t) / columns : 0;
    pop_tensor matrix = onnx_reshape(b, t, POP_SHAPE(rows, columns)), result;
    if (b->node->row->op == HARDMAX)
        result = hardmax(b, matrix);
    else if (b->node->row->op == LOG_SOFTMAX)
        result = popnn_log_softmax_at(b->where, b->graph, matrix, b->program, b->name);
    else
        result = popnn_non_linearity_at(b->where, b->graph, POPNN_SOFTMAX_STABLE, matrix, b->program, b->name);
    if (!onnx_ok(b))
        return false;
    result = onnx_reshape(b, result, shape);
    if (!old)
        result = pop_tensor_dim_roll_at(b->where, result, (unsigned)(rank ? rank - 1 : 0), (unsigned)axis);
    return onnx_give_like(b, result);
}

const onnx_operator onnx_softmax_operators[] = {
    { ONNX_ROW("Hardmax", 1), build_softmax, NULL, HARDMAX, NULL },
    { ONNX_ROW("LogSoftmax", 1), build_softmax, NULL, LOG_SOFTMAX, NULL },
    { ONNX_ROW("Softmax", 1), build_softmax, NULL, SOFTMAX, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
