/* SPDX-License-Identifier: Apache-2.0 */
/* What the backward passes of LSTM and GRU share. */
#ifndef POPNN_UNITS_BACKWARD_H
#define POPNN_UNITS_BACKWARD_H

#include "popnn/steps.h"
#include "popnn/units.h"

/* carried, which the loop hands on from a step to the one before, begins with the gradient of the last output; as 0
 * where the output is a sequence, whose gradients units_add_output_gradient adds step by step. */
void units_carry_output_gradient(const struct units *units, bool sequence_given, pop_tensor output_gradient,
                                 pop_tensor carried, pop_program sequence);
void units_add_output_gradient(const struct units *units, struct steps *steps, pop_tensor output_gradient,
                               pop_tensor carried);
/* A new sequence with the layout of the input, whose gradient it becomes. */
pop_tensor units_new_input_gradient(const struct units *units, pop_tensor input);
/* The outputs before each step, {steps, batch, output}: from the output where that is a sequence, else from the last of
 * what forward kept of each step. */
pop_tensor units_outputs_before(const struct units *units, bool sequence_given, pop_tensor initial, pop_tensor output,
                                pop_tensor intermediates);

/* Sums over all steps. */
struct units_weights_gradient {
    pop_tensor weights;   /* {input + output, n output} */
    pop_tensor biases[2]; /* {batch, n output}: one, or one for each of two products */
};
/* New sums, set to zero, with the layout of the weights and of a step's gradients, of which there are one or two. */
struct units_weights_gradient units_begin_weights_gradient(const struct units *units, pop_tensor weights,
                                                           pop_tensors sums, pop_program sequence);
/* The rows of x, or those of h. */
pop_tensor units_input_rows(const struct units *units, pop_tensor weights);
pop_tensor units_output_rows(const struct units *units, pop_tensor weights);
/* The sum over batches in the layer's type, {n, output}. */
pop_tensor units_biases_gradient(const struct units *units, const struct units_weights_gradient *gradient, size_t which,
                                 pop_program sequence);

#endif
