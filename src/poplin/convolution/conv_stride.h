/* SPDX-License-Identifier: Apache-2.0 */
/* With a kernel of one element, each output uses one input element, and a stride skips the others. */
#ifndef POPLIN_CONVOLUTION_CONV_STRIDE_H
#define POPLIN_CONVOLUTION_CONV_STRIDE_H

#include "poplin/convolution/conv_resolve.h"

/* A view of the elements of the call's input that are used. */
pop_tensor conv_take_input(const struct conv_call *request, pop_tensor input);
/* A new input for the call: the elements that are used have the layout of `taken`, the others are next to them. */
pop_tensor conv_new_strided_input(const struct conv_resolved *conv, pop_tensor taken);

#endif
