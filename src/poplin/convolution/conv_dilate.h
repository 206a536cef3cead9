/* SPDX-License-Identifier: Apache-2.0 */
/* The backward pass of a strided convolution with a kernel of one element has zeros between its outputs: they are
 * written, not computed. */
#ifndef POPLIN_CONVOLUTION_CONV_DILATE_H
#define POPLIN_CONVOLUTION_CONV_DILATE_H

#include "poplin/convolution/conv_work.h"

/* Whether params is of that kind, and the undilated convolution. */
bool conv_undilated(const poplin_conv_params *params, poplin_conv_params *undilated);
/* The output of params, of that of the undilated convolution. */
pop_tensor conv_dilate_output(const struct poplin_conv_call *call, pop_tensor undilated, struct conv_program *program);
/* A new tensor like this one, {groups, batch, field..., channels}, on the same tiles, whose channels stand together as
 * its do. */
pop_tensor conv_new_like(const struct poplin_conv_call *call, pop_tensor like);

#endif
