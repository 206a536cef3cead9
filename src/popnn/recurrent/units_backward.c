/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/recurrent/units_backward.h"

#include <assert.h>

void units_carry_output_gradient(const struct units *units, bool sequence_given, pop_tensor output_gradient,
                                 pop_tensor carried, pop_program sequence)
{
    if (sequence_given)
        units_zero(units, carried, sequence);
    else
        units_copy(units, output_gradient, carried, sequence);
}

void units_add_output_gradient(const struct units *units, struct steps *steps, pop_tensor output_gradient,
                               pop_tensor carried)
{
    units_add_to(units, carried, steps_select(steps, steps_read(steps, output_gradient), (pop_tensor){ 0 }),
                 steps->body, "outputGradient");
}

pop_tensor units_new_input_gradient(const struct units *units, pop_tensor input)
{
    const struct call *call = units->call;
    return steps_new(call, pop_tensor_at(input, 0), units->steps, "inputGradient");
}

pop_tensor units_outputs_before(const struct units *units, bool sequence_given, pop_tensor initial, pop_tensor output,
                                pop_tensor intermediates)
{
    const struct call *call = units->call;
    const size_t kept = pop_tensor_dim(intermediates, 1);
    assert(kept);
    if (!sequence_given)
        output = pop_tensor_squeeze(pop_tensor_slice(intermediates, kept - 1, kept, 1), POP_DIMS(1));
    return steps_before(call, initial, output);
}

struct units_weights_gradient units_begin_weights_gradient(const struct units *units, pop_tensor weights,
                                                           pop_tensors sums, pop_program sequence)
{
    assert(sums.count >= 1 && sums.count <= 2);
    struct units_weights_gradient gradient = { .weights = units_accumulator(units, weights, "weightsGradient") };
    units_zero(units, gradient.weights, sequence);
    for (size_t i = 0; i < sums.count; ++i) {
        gradient.biases[i] = units_accumulator(units, sums.list[i], "biasSum");
        units_zero(units, gradient.biases[i], sequence);
    }
    return gradient;
}

pop_tensor units_input_rows(const struct units *units, pop_tensor weights)
{
    const struct call *call = units->call;
    assert(!call_ready(call) || pop_tensor_dim(weights, 0) == units->input + units->output);
    return pop_tensor_slice(weights, 0, units->input, 0);
}

pop_tensor units_output_rows(const struct units *units, pop_tensor weights)
{
    const struct call *call = units->call;
    return pop_tensor_slice(weights, units->input, units->input + units->output, 0);
}

pop_tensor units_biases_gradient(const struct units *units, const struct units_weights_gradient *gradient, size_t which,
                                 pop_program sequence)
{
    const struct call *call = units->call;
    pop_tensor sum = units_accumulated(units, units_sum(units, gradient->biases[which], sequence), sequence);
    return pop_tensor_reshape(sum, POP_SHAPE(units->count, units->output));
}
