/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions built from what is resolved, for the operations that are convolutions: convolution.c and the matrix
 * products.  Any view will do as an operand; an operand in another layout than the plan's is copied first. */
#ifndef POPLIN_CONVOLUTION_CONV_BUILD_H
#define POPLIN_CONVOLUTION_CONV_BUILD_H

#include "poplin/convolution/conv_program.h"
#include "poplin/convolution/conv_resolve.h"

/* Adds the convolution to a program; gives the output, of the parameters' output type. */
pop_tensor conv_add(const struct conv_resolved *conv, pop_tensor input, pop_tensor weights,
                    struct conv_program *program);
/* Copies an input to a new one unless the convolution copies it in any case. */
pop_tensor conv_arranged_input(const struct conv_resolved *conv, pop_tensor input, pop_program sequence);

#endif
