/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of the graph, for builders of operators (builder.h). */
#ifndef ONNX_BUILD_TENSORS_H
#define ONNX_BUILD_TENSORS_H

#include "onnx/build/builder.h"

#include <popops/reduce.h>

/* The type on the device of a type of ONNX; POP_TYPE_NULL when there is none. */
pop_type onnx_device_type(const onnx_builder *b, tremula_onnx_type type);
/* A variable, spread over the tiles. */
pop_tensor onnx_variable(onnx_builder *b, pop_type type, pop_shape shape, const char *name);
/* Gives a variable the elements of a known tensor as initial value. */
void onnx_set_initial(onnx_builder *b, pop_tensor variable, const tremula_onnx_tensor *known);
/* A constant of one value, of any shape. */
pop_tensor onnx_fill(onnx_builder *b, pop_type type, pop_shape shape, double value);
/* Integers as an INT constant of a shape. */
pop_tensor onnx_int_constant(onnx_builder *b, pop_shape shape, const int32_t *values);
/* Reals as a constant. */
pop_tensor onnx_real_constant(onnx_builder *b, pop_type type, pop_shape shape, const double *values);
/* t in another type; t itself when it has that type. */
pop_tensor onnx_cast(onnx_builder *b, pop_tensor t, pop_type type);
/* Reduces dimensions.  Sums of halves are floats, since they may exceed the largest half: onnx_cast brings what is made
 * of them back to halves, and so does onnx_give. */
pop_tensor onnx_reduce(onnx_builder *b, pop_tensor t, pop_dims dims, popops_operation op);
/* A new variable with t's contents, when t is a view that cannot be written or repeats elements. */
pop_tensor onnx_copy(onnx_builder *b, pop_tensor t);
/* An expression of popops_map. */
pop_tensor onnx_map(onnx_builder *b, const char *text, pop_tensors tensors);
pop_options onnx_poplin_options(const onnx_builder *b);
/* The dims of a tensor, kept in the arena. */
pop_shape onnx_shape(onnx_builder *b, pop_tensor t);
pop_tensor onnx_reshape(onnx_builder *b, pop_tensor t, pop_shape shape);
/* t with dimensions in another order. */
pop_tensor onnx_permute(onnx_builder *b, pop_tensor t, const unsigned *order);
/* t broadcast to a shape by NumPy's rules: a view; fails when it does not match. */
pop_tensor onnx_broadcast(onnx_builder *b, pop_tensor t, pop_shape shape);

#endif
