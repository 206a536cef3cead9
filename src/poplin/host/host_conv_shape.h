/* SPDX-License-Identifier: Apache-2.0 */
/* What the graph and the vertices of a host's convolution both know: the field, as words of a constant.
 *
 * Dimension 0 is the batch, with a kernel of one element; the dimensions of the field follow.  For each output index o
 * and kernel index k of a dimension there is the offset, in elements, of the input that they meet, or HOST_CONV_NONE:
 * there is padding, or a gap of a dilated input.  An element's offset is the sum over the dimensions.
 *
 * The outputs of a dimension with a dilated input fall into classes, of which each meets some kernel indices alone.
 * Outputs of one class in every dimension are a phase: a convolution of its own, with a part of the kernel.
 *
 * The words: the number of dimensions, then for each its outputs, kernel indices and classes; its offsets, k fastest;
 * the class of each output; for each class the number of its kernel indices, and these. */
#ifndef POPLIN_HOST_HOST_CONV_SHAPE_H
#define POPLIN_HOST_HOST_CONV_SHAPE_H

#include <limits.h>

enum { HOST_CONV_DIMS = 7 };
#define HOST_CONV_NONE UINT_MAX

#endif
