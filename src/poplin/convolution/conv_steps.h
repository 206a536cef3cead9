/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that calls of one convolution (convolution.c) and of several (multi_convolution.c) share, on tensors in the
 * order of the public interface. */
#ifndef POPLIN_CONVOLUTION_CONV_STEPS_H
#define POPLIN_CONVOLUTION_CONV_STEPS_H

#include "poplin/convolution/conv_call.h"
#include "poplin/convolution/conv_program.h"

/* New operands: {batch, channels, field...}, {groups, output channels, input channels, kernel...}. */
pop_tensor conv_make_input(const struct conv_call *request);
pop_tensor conv_make_weights(const struct conv_call *request);
/* Adds the convolution to a program; returns the output. */
pop_tensor conv_convolve(const struct conv_call *request, pop_tensor in, pop_tensor weights, bool transposed,
                         struct conv_program *program);
/* Adds the gradient of the weights to a program, for a call with CONV_WEIGHT_UPDATE; returns it. */
pop_tensor conv_weight_deltas(const struct conv_call *request, pop_tensor deltas, pop_tensor activations,
                              struct conv_program *program);
/* Copies a forward pass's weights to those of the backward pass.  to_is_new: `to` was just created, so its mapping may
 * change. */
void conv_transpose_weights(struct conv_program *program, pop_tensor from, pop_tensor to, bool to_is_new);

#endif
