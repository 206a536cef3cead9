/* SPDX-License-Identifier: Apache-2.0 */
/* The backward pass of a strided convolution with a kernel of one element has zeros between its outputs: the zeros are
 * written, not computed. */
#ifndef POPLIN_CONVOLUTION_CONV_DILATE_H
#define POPLIN_CONVOLUTION_CONV_DILATE_H

#include "poplin/convolution/conv_program.h"
#include "poplin/convolution/conv_resolve.h"

/* Converts the output of the undilated convolution to that of the call. */
pop_tensor conv_dilate_output(const struct conv_resolved *conv, pop_tensor undilated, struct conv_program *program);

#endif
