/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a result that later operations read. */
#ifndef POPLIN_CONVOLUTION_CONV_RESULT_H
#define POPLIN_CONVOLUTION_CONV_RESULT_H

#include "poplin/convolution/conv_program.h"
#include "poplin/convolution/conv_resolve.h"

/* The result {groups, batch, field..., channels}, copied where options ask for it.  remapOutputTensor (by default): of
 * a pass that is no update, if no two of its elements are always together and its channels are a multiple of 4, to
 * groups of 16, 8 or 4 channels that are mapped linearly.  Otherwise gatherConvOutput: to one variable in which each
 * tile's part is contiguous. */
pop_tensor conv_laid_out(const struct conv_resolved *conv, pop_tensor output, struct conv_program *program);

#endif
