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
    return steps_new(units->where, units->graph, pop_tensor_at_at(units->where, input, 0), units->steps,
                     "inputGradient");
}

pop_tensor units_outputs_before(const struct units *units, bool sequence_given, pop_tensor initial, pop_tensor output,
                                pop_tensor intermediates)
{
    const size_t kept = pop_tensor_dim(intermediates, 1);
    assert(kept);
    if (!sequence_given)
        output = pop_tensor_squeeze_at(
            units->where, pop_tensor_slice_at(units->where, intermediates, kept - 1, kept, 1), POP_DIMS(1));
    return steps_before(units->where, initial, output);
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
    assert(!poplibs_ready(units->graph) || pop_tensor_dim(weights, 0) == units->input + units->output);
    return pop_tensor_slice_at(units->where, weights, 0, units->input, 0);
}

pop_tensor units_output_rows(const struct units *units, pop_tensor weights)
{
    return pop_tensor_slice_at(units->where, weights, units->input, units->input + units->output, 0);
}

pop_tensor units_biases_gradient(const struct units *units, const struct units_weights_gradient *gradient, size_t which,
                                 pop_program sequence)
{
    pop_tensor sum = units_accumulated(units, units_sum(units, gradient->biases[which], sequence), sequence);
    return pop_tensor_reshape_at(units->where, sum, POP_SHAPE(units->count, units->output));
}
