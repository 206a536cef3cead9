/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the partial results of several tiles; in stages if there are many, so that no tile has to receive too many
 * messages. */
#ifndef POPLIN_CONVOLUTION_CONV_SUMS_H
#define POPLIN_CONVOLUTION_CONV_SUMS_H

#include "poplin/convolution/conv_work.h"

/* The type of a sum of `depth` partials. */
pop_type conv_sum_type(const struct conv_work *work, size_t depth);
/* Adds the partials and, unless it is NULL, earlier, the sum over other input channels; sums[output] has the given
 * type. */
void conv_add_sums(const struct conv_work *work, const struct conv_parts *parts, const pop_tensor *earlier,
                   pop_type type, pop_tensor *sums);

#endif
