/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions as calls: operands, the convolution, its gradients. */
#ifndef POPLIN_CONVOLUTION_CONVOLUTION_H
#define POPLIN_CONVOLUTION_CONVOLUTION_H

#include "poplin/convolution/conv_call.h"

/* Checks what every call has; false after an error. */
bool conv_call_begin(struct poplin_conv_call *call, struct conv_call_text *text, pop_where where, pop_graph *graph,
                     const char *api, const poplin_conv_params *params, const char *name, pop_options options,
                     poplin_planning_cache *cache);
/* Whether weights are those of the call's parameters, or of the convolution whose gradient that is. */
bool conv_call_check_weights(const struct poplin_conv_call *call, pop_tensor weights, bool transposed);
/* New operands: {batch, channels, field...}, {groups, output channels, input channels, kernel...}. */
pop_tensor conv_call_new_input(const struct poplin_conv_call *call);
pop_tensor conv_call_new_weights(const struct poplin_conv_call *call);
/* Adds the convolution to a program; gives the output. */
pop_tensor conv_call_convolve(struct poplin_conv_call *call, struct conv_call_text *text, pop_tensor in,
                              pop_tensor weights, bool transposed, struct conv_program *program);
/* What a call for weight deltas convolves: the pass of its options, and the parameters. */
poplin_conv_params conv_call_begin_update(const struct poplin_conv_call *call, struct conv_call_text *text);
/* Adds it, begun, to a program; gives the deltas. */
pop_tensor conv_call_weight_deltas(struct poplin_conv_call *call, struct conv_call_text *text,
                                   const poplin_conv_params *update, pop_tensor deltas, pop_tensor activations,
                                   struct conv_program *program);
/* Adds the copy of a forward pass's weights to those of the backward pass, which may be new: nothing refers to them
 * yet. */
void conv_call_transpose_weights(struct conv_program *program, pop_tensor from, pop_tensor to, bool to_is_new);

#endif
