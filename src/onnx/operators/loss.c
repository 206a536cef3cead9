/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of classes: the negative logarithm of the probability of each label, and its weighted sum or mean. */
#include "onnx/build/build.h"

#include <popnn/log_softmax.h>
#include <popops/reduce.h>
#include <string.h>

static pop_tensor total(onnx_builder *b, pop_tensor t, const unsigned *dims, size_t count)
{
    popops_reduce_params params = { .op = POPOPS_ADD };
    return popops_reduce_at(b->where, b->graph, t, POP_TYPE_NULL, (pop_dims){ count, dims }, params, b->program,
                            b->name, POP_NO_OPTIONS);
}

/* For each row {rows, classes}: what the label selects.  A label that is no class, ignore_index say, selects 0. */
static pop_tensor pick(onnx_builder *b, pop_tensor rows, pop_tensor chosen)
{
    pop_tensor selected = ONNX_TERNARY(b, SELECT, rows, 0.0, chosen);
    return onnx_ok(b) ? total(b, selected, (const unsigned[]){ 1 }, 1) : rows;
}

/* {rows, classes} BOOL: the label of each row, unless it is to be ignored. */
static pop_tensor choose(onnx_builder *b, pop_tensor labels, size_t classes)
{
    int32_t *numbers = onnx_new(b->arena, classes + 1, sizeof(*numbers));
    for (size_t i = 0; i < classes; ++i)
        numbers[i] = (int32_t)i;
    pop_tensor chosen = ONNX_BINARY(b, EQUAL, labels, onnx_int_constant(b, POP_SHAPE(1, classes), numbers));
    if (onnx_has(b, "ignore_index") && onnx_ok(b))
        chosen =
            ONNX_BINARY(b, LOGICAL_AND, chosen, ONNX_BINARY(b, NOT_EQUAL, labels, (int)onnx_int(b, "ignore_index", 0)));
    return chosen;
}

/* From log p {rows, classes}; labels {rows}; shape is the labels'. */
static bool give_loss(onnx_builder *b, pop_tensor logs, pop_shape shape)
{
    size_t rows = pop_tensor_dim(logs, 0), classes = pop_tensor_dim(logs, 1);
    const char *reduction = onnx_text(b, "reduction", "mean");
    pop_tensor labels = onnx_reshape(b, onnx_cast(b, onnx_tensor(b, 1), POP_INT), POP_SHAPE(rows, 1)),
               chosen = choose(b, labels, classes);
    if (!onnx_ok(b))
        return false;
    pop_tensor loss = ONNX_UNARY(b, NEGATE, pick(b, logs, chosen)), weights;
    pop_tensor weight =
        onnx_input(b, 2) ? onnx_tensor(b, 2) : onnx_fill(b, pop_tensor_type(logs), POP_SHAPE(classes), 1);
    if (!onnx_ok(b))
        return false;
    weights =
        pick(b, onnx_broadcast(b, onnx_reshape(b, weight, POP_SHAPE(1, classes)), POP_SHAPE(rows, classes)), chosen);
    loss = ONNX_BINARY(b, MULTIPLY, loss, weights);
    if (!onnx_ok(b))
        return false;
    if (strcmp(reduction, "none") == 0)
        return onnx_give_like(b, onnx_reshape(b, loss, shape));
    pop_tensor sum = total(b, loss, (const unsigned[]){ 0 }, 1);
    if (strcmp(reduction, "mean") == 0 && onnx_ok(b))
        sum = ONNX_BINARY(b, DIVIDE, sum, total(b, weights, (const unsigned[]){ 0 }, 1));
    return onnx_ok(b) && onnx_give_like(b, sum);
}

/* Scores {batch, classes, field...} as rows, the classes last; with softmax they become log p. */
static bool build_loss(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    unsigned last = (unsigned)pop_tensor_rank(t) - 1;
    if (pop_tensor_rank(t) < 2)
        return onnx_complain(b, "its scores have fewer than 2 dimensions");
    t = pop_tensor_dim_roll_at(b->where, t, 1, last);
    pop_shape shape = onnx_shape(b, t);
    size_t classes = shape.dims[last], rows = classes ? pop_tensor_num_elements(t) / classes : 0;
    pop_tensor matrix = onnx_reshape(b, t, POP_SHAPE(rows, classes));
    if (b->node->row->op && onnx_ok(b))
        matrix = popnn_log_softmax_at(b->where, b->graph, matrix, b->program, b->name);
    if (!onnx_ok(b) || !give_loss(b, matrix, onnx_shape_of(b, 1)))
        return false;
    if (!b->node->row->op || !onnx_wants(b, 1))
        return true;
    pop_tensor logs = pop_tensor_dim_roll_at(b->where, onnx_reshape(b, matrix, shape), last, 1);
    return onnx_give(b, 1, logs, onnx_type_of(b, 0));
}

const onnx_operator onnx_loss_operators[] = {
    { ONNX_ROW("NegativeLogLikelihoodLoss", 12), build_loss, NULL, 0, NULL },
    { ONNX_ROW("SoftmaxCrossEntropyLoss", 12), build_loss, NULL, 1, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
