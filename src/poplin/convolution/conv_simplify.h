/* SPDX-License-Identifier: Apache-2.0 */
/* Simplifies convolutions in which the kernel has one element: neither gaps in the input nor a stride are computed. */
#ifndef POPLIN_CONVOLUTION_CONV_SIMPLIFY_H
#define POPLIN_CONVOLUTION_CONV_SIMPLIFY_H

#include "poplin/params/params.h"

struct conv_simple {
    poplin_conv_params params; /* the convolution that is planned and built */
    bool is_empty;             /* nothing is multiplied: there is no plan, and params are the given ones */
    /* Its output is dilated afterwards (conv_dilate.c); its input is sampled with a stride before (conv_stride.c). */
    bool dilates, strides;
};
struct conv_simple conv_simplify(const poplin_conv_params *params);
/* Whether the simplification applies to a dimension.  A dilated input is convolved undilated, and the output dilated; a
 * strided convolution is computed on the elements of the input that it uses. */
bool conv_dilates(const poplin_conv_params *params, size_t dim);
bool conv_strides(const poplin_conv_params *params, size_t dim);

#endif
