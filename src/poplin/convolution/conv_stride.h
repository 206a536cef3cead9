/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one element meets as many input elements as there are outputs. */
#ifndef POPLIN_CONVOLUTION_CONV_STRIDE_H
#define POPLIN_CONVOLUTION_CONV_STRIDE_H

#include "poplin/convolution/conv_resolve.h"

/* What is taken of the call's input, as a view. */
pop_tensor conv_take_input(const struct conv_call *call, pop_tensor input);
/* A new input for the call: what is used of it has this layout, the rest is beside it. */
pop_tensor conv_new_strided_input(const struct conv_resolved *conv, pop_tensor taken);

#endif
