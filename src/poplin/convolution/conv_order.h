/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between the planner's order of dimensions and that of the public interface. */
#ifndef POPLIN_CONVOLUTION_CONV_ORDER_H
#define POPLIN_CONVOLUTION_CONV_ORDER_H

#include "poplin/convolution/conv_call.h"

/* {batch, groups x channels, field...} to {groups, batch, field..., channels}, and the inverse. */
pop_tensor conv_activations_in(const struct conv_call *request, pop_tensor t);
pop_tensor conv_activations_out(const struct conv_call *request, pop_tensor t);
/* {groups, output channels, input channels, kernel...} to {groups, kernel..., output channels, input channels}, and the
 * inverse. */
pop_tensor conv_weights_in(const struct conv_call *request, pop_tensor t);
pop_tensor conv_weights_out(const struct conv_call *request, pop_tensor t);
/* The index of the last dimension. */
unsigned conv_last_dim(pop_tensor t);

#endif
