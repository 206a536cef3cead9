/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/recurrent/layer_backward.h"

#include <assert.h>

void layer_carry_output_gradient(const struct layer *layer, bool sequence_given, pop_tensor output_gradient,
                                 pop_tensor carried, pop_program sequence)
{
    if (sequence_given)
        layer_zero(layer, carried, sequence);
    else
        layer_copy(layer, output_gradient, carried, sequence);
}

void layer_add_output_gradient(const struct layer *layer, struct steps *steps, pop_tensor output_gradient,
                               pop_tensor carried)
{
    layer_add_to(layer, carried, steps_select(steps, steps_read(steps, output_gradient), (pop_tensor){ 0 }),
                 steps->body, "outputGradient");
}

pop_tensor layer_new_input_gradient(const struct layer *layer, pop_tensor input)
{
    const struct call *call = layer->call;
    return steps_new(call, pop_tensor_at(input, 0), layer->steps, "inputGradient");
}

pop_tensor layer_outputs_before(const struct layer *layer, bool sequence_given, pop_tensor initial, pop_tensor output,
                                pop_tensor intermediates)
{
    const struct call *call = layer->call;
    const size_t kept = pop_tensor_dim(intermediates, 1);
    assert(kept);
    if (!sequence_given)
        output = pop_tensor_squeeze(pop_tensor_slice(intermediates, kept - 1, kept, 1), POP_DIMS(1));
    return steps_before(call, initial, output);
}

struct layer_weights_gradient layer_begin_weights_gradient(const struct layer *layer, pop_tensor weights,
                                                           pop_tensors sums, pop_program sequence)
{
    assert(sums.count >= 1 && sums.count <= 2);
    struct layer_weights_gradient gradient = { .weights = layer_new_gradient_sum(layer, weights, "weightsGradient") };
    layer_zero(layer, gradient.weights, sequence);
    for (size_t i = 0; i < sums.count; ++i) {
        gradient.biases[i] = layer_new_gradient_sum(layer, sums.list[i], "biasSum");
        layer_zero(layer, gradient.biases[i], sequence);
    }
    return gradient;
}

pop_tensor layer_input_rows(const struct layer *layer, pop_tensor weights)
{
    const struct call *call = layer->call;
    assert(!call_ready(call) || pop_tensor_dim(weights, 0) == layer->input + layer->output);
    return pop_tensor_slice(weights, 0, layer->input, 0);
}

pop_tensor layer_output_rows(const struct layer *layer, pop_tensor weights)
{
    const struct call *call = layer->call;
    return pop_tensor_slice(weights, layer->input, layer->input + layer->output, 0);
}

pop_tensor layer_biases_gradient(const struct layer *layer, const struct layer_weights_gradient *gradient, size_t which,
                                 pop_program sequence)
{
    const struct call *call = layer->call;
    pop_tensor sum = layer_gradient_of_sum(layer, layer_sum(layer, gradient->biases[which], sequence), sequence);
    return pop_tensor_reshape(sum, POP_SHAPE(layer->gates, layer->output));
}
