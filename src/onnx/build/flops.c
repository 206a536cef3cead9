/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/build/build.h"

#include <string.h>

/* How a node's products are counted, from its inputs x and w. */
enum products { OF_WEIGHTS, OF_INPUT, OF_ROWS, OF_STEPS };
static const struct {
    const char *op;
    enum products products;
    size_t x, w;
} rows[] = {
    { "Conv", OF_WEIGHTS, 0, 1 },        { "ConvInteger", OF_WEIGHTS, 0, 1 }, { "QLinearConv", OF_WEIGHTS, 0, 3 },
    { "ConvTranspose", OF_INPUT, 0, 1 }, { "MatMul", OF_ROWS, 0, 1 },         { "MatMulInteger", OF_ROWS, 0, 1 },
    { "QLinearMatMul", OF_ROWS, 0, 3 },  { "Gemm", OF_ROWS, 0, 1 },           { "LSTM", OF_STEPS, 0, 1 },
    { "GRU", OF_STEPS, 0, 1 },           { "RNN", OF_STEPS, 0, 1 },
};

static double product(pop_shape shape, size_t first)
{
    double count = 1;
    for (size_t i = first; i < shape.rank; ++i)
        count *= (double)shape.dims[i];
    return count;
}

static double count_products(const onnx_builder *b, enum products products, size_t x, size_t w, double outputs)
{
    pop_shape in = onnx_shape_of(b, x), weights = onnx_shape_of(b, w);
    bool across = onnx_int(b, "transA", 0);
    switch (products) {
    case OF_WEIGHTS: /* each output adds up the weights of its channel */
        return outputs * product(weights, 1);
    case OF_INPUT: /* each input goes to the weights of its channel */
        return product(in, 0) * product(weights, 1);
    case OF_ROWS:
        return in.rank ? outputs * (double)in.dims[across ? 0 : in.rank - 1] : 0;
    default: /* for each step and batch, all weights of the input and of the state */
        return in.rank < 2
                   ? 0
                   : (double)(in.dims[0] * in.dims[1]) * (product(weights, 0) + product(onnx_shape_of(b, 2), 0));
    }
}

double onnx_count_flops(const onnx_builder *b)
{
    double outputs = 0, largest = 0;
    for (size_t i = 0; i < b->node->num_outputs; ++i) {
        const onnx_value *value = onnx_wants(b, i) ? &b->values[b->node->outputs[i]] : NULL;
        if (value && value->given && !value->known)
            outputs = outputs > 0 ? outputs : product((pop_shape){ value->host.rank, value->host.dims }, 0);
    }
    if (outputs <= 0 || !b->node->row || b->node->row->fold == onnx_fold_views)
        return 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        if (strcmp(rows[i].op, b->node->op) == 0)
            return 2 * count_products(b, rows[i].products, rows[i].x, rows[i].w, outputs);
    for (size_t i = 0; i < b->node->num_inputs; ++i)
        if (onnx_input(b, i) && !onnx_input(b, i)->known)
            largest = product(onnx_shape_of(b, i), 0) > largest ? product(onnx_shape_of(b, i), 0) : largest;
    return outputs > largest ? outputs : largest;
}
