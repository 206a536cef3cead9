/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto messages as tensors in host memory. */
#ifndef ONNX_MODEL_TENSOR_FILE_H
#define ONNX_MODEL_TENSOR_FILE_H

#include "onnx/model/model.h"

/* Reads a message: its elements from whichever field has them, or from a file in directory (NULL: not allowed).  what
 * names the tensor in errors. */
struct Onnx__TensorProto;
bool onnx_read_tensor(const struct Onnx__TensorProto *message, const char *directory, onnx_arena *arena,
                      tremula_onnx_tensor *tensor, const char *what, pop_error *error);
/* The number of elements of a shape; false when their bytes do not fit a size_t or exceed ONNX_MAX_BYTES. */
#define ONNX_MAX_BYTES ((size_t)1 << 40)
bool onnx_count_elements(size_t rank, const size_t *dims, size_t element_size, size_t *count);
/* Reads a whole file; the caller frees *data with pop_memory_free. */
bool onnx_read_file(const char *path, void **data, size_t *size, pop_error *error);

#endif
