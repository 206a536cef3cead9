/* SPDX-License-Identifier: Apache-2.0 */
/* Building the nodes of a graph (builder.h). */
#ifndef ONNX_BUILD_BUILD_H
#define ONNX_BUILD_BUILD_H

#include "onnx/build/builder.h"

/* Builds the nodes of an inner graph into b->program. */
bool onnx_build_nodes(onnx_builder *b, const onnx_graph *graph);

#endif
