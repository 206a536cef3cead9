/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of tensors on the host (builder.h). */
#ifndef ONNX_BUILD_ELEMENTS_H
#define ONNX_BUILD_ELEMENTS_H

#include "onnx/build/builder.h"

double onnx_number(const tremula_onnx_tensor *tensor, size_t i);
int64_t onnx_integer(const tremula_onnx_tensor *tensor, size_t i);
void onnx_set_number(tremula_onnx_tensor *tensor, size_t i, double value);
void onnx_set_integer(tremula_onnx_tensor *tensor, size_t i, int64_t value);
bool onnx_is_real(tremula_onnx_type type);
/* A new tensor of zeros. */
tremula_onnx_tensor onnx_new_tensor(onnx_builder *b, tremula_onnx_type type, pop_shape shape);
/* A tensor of int64 of rank 1. */
tremula_onnx_tensor onnx_int_list(onnx_builder *b, const int64_t *list, size_t count);

#endif
