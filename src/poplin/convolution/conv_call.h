/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are convolutions, in this interface's order of dimensions: one of them (convolution.c) or several
 * (multi_convolution.c). */
#ifndef POPLIN_CONVOLUTION_CONV_CALL_H
#define POPLIN_CONVOLUTION_CONV_CALL_H

#include "poplin/convolution/conv_build.h"

/* A call's options and name, which its struct poplin_conv_call borrows. */
struct conv_call_text {
    struct poplin_conv_options options;
    poplin_conv_params with_field; /* where the given ones have no field dimension: the same with one of 1 element */
    char name[256];
};

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
