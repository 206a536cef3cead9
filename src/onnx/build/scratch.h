/* SPDX-License-Identifier: Apache-2.0 */
/* Folding of views: the builder of an operator makes its views of variables of a graph that is never run, and the
 * elements that these views select are copied on the host. */
#ifndef ONNX_BUILD_SCRATCH_H
#define ONNX_BUILD_SCRATCH_H

#include "onnx/build/builder.h"

/* A variable of the scratch graph that stands for known elements. */
pop_tensor onnx_scratch_tensor(onnx_builder *b, const tremula_onnx_tensor *known);
/* Gives output i the elements that a view selects. */
bool onnx_scratch_give(onnx_builder *b, size_t i, pop_tensor view, tremula_onnx_type type);

/* The fold of rows whose build makes only views. */
bool onnx_fold_views(onnx_builder *b);

#endif
