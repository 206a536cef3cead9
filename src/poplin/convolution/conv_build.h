/* SPDX-License-Identifier: Apache-2.0 */
/* Builds resolved convolutions, for convolution.c and matrix products.  An operand may be any view; if its layout is
 * not the plan's, it is copied first. */
#ifndef POPLIN_CONVOLUTION_CONV_BUILD_H
#define POPLIN_CONVOLUTION_CONV_BUILD_H

#include "poplin/convolution/conv_program.h"
#include "poplin/convolution/conv_resolve.h"

/* Adds the convolution to a program; returns the output, of the parameters' output type. */
pop_tensor conv_add(const struct conv_resolved *conv, pop_tensor input, pop_tensor weights,
                    struct conv_program *program);
/* Copies an input to the plan's layout, unless the convolution will copy it in any case. */
pop_tensor conv_arranged_input(const struct conv_resolved *conv, pop_tensor input);

#endif
