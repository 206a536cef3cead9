/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ONNX_BUILD_FLOPS_H
#define ONNX_BUILD_FLOPS_H

#include "onnx/build/builder.h"

/* Floating-point operations of the current node, which has been built: two for each product of a convolution, of a
 * product of matrices or of a recurrent layer; one for each element that other nodes read or write; none for nodes that
 * only arrange elements or were computed when the graph was built. */
double onnx_count_flops(const onnx_builder *b);

#endif
