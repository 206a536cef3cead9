/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors with a dimension whose extent values decide while a program runs (NonMaxSuppression).
 *
 * Such a tensor has the largest extent there can be; what is beyond the true one is padding, which outputs of the model
 * are given without.  A node may read such a tensor if what it makes of the padding is padding again: elements stay
 * where they are, or rows are looked up.  All other nodes (sums, shapes, sorts) would mix the padding with results, and
 * are refused. */
#ifndef ONNX_BUILD_ROWS_H
#define ONNX_BUILD_ROWS_H

#include "onnx/build/builder.h"

/* A new extent, at most `most`. */
onnx_rows *onnx_new_rows(onnx_builder *b, size_t most);
/* For host functions: the extent of the next batch. */
void onnx_add_row_count(onnx_rows *rows, size_t count);
/* Dimension dim of output i, which has been given, has that extent. */
bool onnx_give_rows(onnx_builder *b, size_t i, const onnx_rows *rows, size_t dim);
/* Builds the current node by its row; hands on extents of its inputs to its output, or refuses the node. */
bool onnx_build_with_rows(onnx_builder *b, const onnx_value *input);
/* The first input of the node that has such a dimension; NULL when there is none. */
const onnx_value *onnx_input_with_rows(const onnx_builder *b);

#endif
