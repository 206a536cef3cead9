/* SPDX-License-Identifier: Apache-2.0 */
/* Partial results of several tiles become one: in stages where there are many, so that no tile has to receive too many
 * messages. */
#ifndef POPLIN_CONVOLUTION_CONV_SUMS_H
#define POPLIN_CONVOLUTION_CONV_SUMS_H

#include "poplin/convolution/conv_work.h"

/* The type in which so many partials are added up. */
pop_type conv_sum_type(const struct conv_work *work, size_t depth);
/* Adds up the partials, and earlier (NULL: none), which was summed of other input channels; sums[output] has type. */
void conv_add_sums(const struct conv_work *work, const struct conv_parts *parts, const pop_tensor *earlier,
                   pop_type type, pop_tensor *sums);

#endif
