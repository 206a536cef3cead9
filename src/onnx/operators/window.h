/* SPDX-License-Identifier: Apache-2.0 */
/* Windows that convolutions and pooling move over a field. */
#ifndef ONNX_OPERATORS_WINDOW_H
#define ONNX_OPERATORS_WINDOW_H

#include "onnx/build/build.h"

enum { ONNX_MAX_FIELD = 6 };

/* Of each dimension of the field: sizes, and how many elements are added at both ends. */
typedef struct onnx_window {
    size_t dims, input[ONNX_MAX_FIELD], kernel[ONNX_MAX_FIELD], output[ONNX_MAX_FIELD];
    unsigned stride[ONNX_MAX_FIELD], dilation[ONNX_MAX_FIELD];
    int64_t lower[ONNX_MAX_FIELD], upper[ONNX_MAX_FIELD];
} onnx_window;

/* Reads strides, dilations, pads, auto_pad and ceil_mode of a node. */
bool onnx_read_window(onnx_builder *b, pop_shape field, pop_shape kernel, onnx_window *window);

#endif
