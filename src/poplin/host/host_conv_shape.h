/* SPDX-License-Identifier: Apache-2.0 */
/* The field of a host's convolution, as words of a constant that the graph writes and vertices read.
 *
 * Dimension 0 is the batch, with a kernel of one element; the dimensions of the field follow.  For each output index o
 * and kernel index k of a dimension there is the offset of their input, in elements, or HOST_CONV_NONE for padding or a
 * gap of a dilated input.  An element's offset is the sum over the dimensions.
 *
 * The outputs of a dimension with a dilated input fall into classes, each with some of the kernel indices.
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
