/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the backward passes of LSTM and GRU. */
#ifndef POPNN_RECURRENT_UNITS_BACKWARD_H
#define POPNN_RECURRENT_UNITS_BACKWARD_H

#include "popnn/recurrent/steps.h"
#include "popnn/recurrent/units.h"

/* Initialises carried, which the loop passes from a step to the previous one, with the gradient of the last output;
 * with 0 when the output is a sequence, whose gradients units_add_output_gradient adds at each step. */
void units_carry_output_gradient(const struct units *units, bool sequence_given, pop_tensor output_gradient,
                                 pop_tensor carried, pop_program sequence);
void units_add_output_gradient(const struct units *units, struct steps *steps, pop_tensor output_gradient,
                               pop_tensor carried);
/* A new sequence for the gradient of the input, with the input's layout. */
pop_tensor units_new_input_gradient(const struct units *units, pop_tensor input);
/* The previous output for each step, {steps, batch, output}: from the output when that is a sequence, else from the
 * last tensor that forward stored for each step. */
pop_tensor units_outputs_before(const struct units *units, bool sequence_given, pop_tensor initial, pop_tensor output,
                                pop_tensor intermediates);

/* Gradients summed over all steps. */
struct units_weights_gradient {
    pop_tensor weights;   /* {input + output, n output} */
    pop_tensor biases[2]; /* {batch, n output}: one, or one for each of two products */
};
/* New sums, set to zero, with the layouts of the weights and of a step's gradients (one or two). */
struct units_weights_gradient units_begin_weights_gradient(const struct units *units, pop_tensor weights,
                                                           pop_tensors sums, pop_program sequence);
/* The rows of x in the weights, or those of h. */
pop_tensor units_input_rows(const struct units *units, pop_tensor weights);
pop_tensor units_output_rows(const struct units *units, pop_tensor weights);
/* Sums over the batch in the layer's type, {n, output}. */
pop_tensor units_biases_gradient(const struct units *units, const struct units_weights_gradient *gradient, size_t which,
                                 pop_program sequence);

#endif
