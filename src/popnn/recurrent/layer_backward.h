/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the backward passes of LSTM and GRU. */
#ifndef POPNN_RECURRENT_LAYER_BACKWARD_H
#define POPNN_RECURRENT_LAYER_BACKWARD_H

#include "popnn/recurrent/layer.h"
#include "popnn/recurrent/steps.h"

/* Initialises carried, which the loop passes from a step to the previous one, with the gradient of the last output;
 * with 0 when the output is a sequence, whose gradients layer_add_output_gradient adds at each step. */
void layer_carry_output_gradient(const struct layer *layer, bool sequence_given, pop_tensor output_gradient,
                                 pop_tensor carried, pop_program sequence);
void layer_add_output_gradient(const struct layer *layer, struct steps *steps, pop_tensor output_gradient,
                               pop_tensor carried);
/* A new sequence for the gradient of the input, with the input's layout. */
pop_tensor layer_new_input_gradient(const struct layer *layer, pop_tensor input);
/* The previous output for each step, {steps, batch, output}: from the output when that is a sequence, else from the
 * last tensor that forward stored for each step. */
pop_tensor layer_outputs_before(const struct layer *layer, bool sequence_given, pop_tensor initial, pop_tensor output,
                                pop_tensor intermediates);

/* Gradients summed over all steps. */
struct layer_weights_gradient {
    pop_tensor weights;   /* {input + output, n output} */
    pop_tensor biases[2]; /* {batch, n output}: one, or one for each of two products */
};
/* New sums, set to zero, with the layouts of the weights and of a step's gradients (one or two). */
struct layer_weights_gradient layer_begin_weights_gradient(const struct layer *layer, pop_tensor weights,
                                                           pop_tensors sums, pop_program sequence);
/* The rows of x in the weights, or those of h. */
pop_tensor layer_input_rows(const struct layer *layer, pop_tensor weights);
pop_tensor layer_output_rows(const struct layer *layer, pop_tensor weights);
/* Sums over the batch in the layer's type, {n, output}. */
pop_tensor layer_biases_gradient(const struct layer *layer, const struct layer_weights_gradient *gradient, size_t which,
                                 pop_program sequence);

#endif
