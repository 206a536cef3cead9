/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one element meets as many input elements as there are outputs. */
#ifndef POPLIN_CONVOLUTION_CONV_STRIDE_H
#define POPLIN_CONVOLUTION_CONV_STRIDE_H

#include "poplin/convolution/conv_work.h"

/* Whether params is of that kind, and the convolution of what is taken. */
bool conv_unstrided(const poplin_conv_params *params, poplin_conv_params *unstrided);
/* What is taken of params' input, as a view. */
pop_tensor conv_take_input(const struct poplin_conv_call *call, pop_tensor input);
/* A new input for params: what is taken of it lies like this, the rest beside. */
pop_tensor conv_new_strided_input(const struct poplin_conv_call *call, pop_tensor taken);

#endif
