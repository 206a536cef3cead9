/* SPDX-License-Identifier: Apache-2.0 */
/* Creates operands in the layout and mapping of a plan. */
#ifndef POPLIN_CONVOLUTION_CONV_NEW_H
#define POPLIN_CONVOLUTION_CONV_NEW_H

#include "poplin/convolution/conv_resolve.h"

pop_tensor conv_new_input(const struct conv_resolved *conv);
pop_tensor conv_new_weights(const struct conv_resolved *conv);
/* A variable with the shape of the transformed and grouped operand. */
pop_tensor conv_new_grouped(const struct conv_resolved *conv, bool weights, const char *name);

#endif
