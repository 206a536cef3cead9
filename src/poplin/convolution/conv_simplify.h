/* SPDX-License-Identifier: Apache-2.0 */
/* What is convolved in the place of a convolution: without gaps in the input and without a stride, where the kernel has
 * one element. */
#ifndef POPLIN_CONVOLUTION_CONV_SIMPLIFY_H
#define POPLIN_CONVOLUTION_CONV_SIMPLIFY_H

#include "poplin/params/params.h"

struct conv_simple {
    poplin_conv_params params; /* what is planned and built */
    bool is_empty;             /* nothing is multiplied: there is no plan, and params are those given */
    bool dilates, strides;     /* its output is dilated (conv_dilate.h), its input is taken of one with a stride
                                  (conv_stride.h) */
};
struct conv_simple conv_simplify(const poplin_conv_params *params);
/* The dimensions that this is about: a dilated input with a kernel of one element is convolved undilated, and its
 * output dilated; a strided convolution with a kernel of one element takes some elements of its input. */
bool conv_dilates(const poplin_conv_params *params, size_t dim);
bool conv_strides(const poplin_conv_params *params, size_t dim);

#endif
