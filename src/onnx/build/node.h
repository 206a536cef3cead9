/* SPDX-License-Identifier: Apache-2.0 */
/* A node's inputs, outputs and attributes, for its builder (builder.h). */
#ifndef ONNX_BUILD_NODE_H
#define ONNX_BUILD_NODE_H

#include "onnx/build/builder.h"

/* Fails with the node's name before the text; returns false. */
bool onnx_complain(onnx_builder *b, const char *format, ...) POP_PRINTF(2, 3);
/* Whether nothing has failed, here or in the graph. */
bool onnx_ok(onnx_builder *b);

/* ---- inputs ---- */
size_t onnx_num_inputs(const onnx_builder *b); /* without absent ones at the end */
/* Input i; NULL when it is left out. */
onnx_value *onnx_input(const onnx_builder *b, size_t i);
bool onnx_all_known(const onnx_builder *b);
/* Input i as a tensor of the current IPU; the null tensor after a failure, which an absent input is. */
pop_tensor onnx_tensor(onnx_builder *b, size_t i);
/* A value as a tensor of the current IPU. */
pop_tensor onnx_tensor_of(onnx_builder *b, onnx_value *value);
/* Input i as known elements; NULL and a failure when it is not known when the graph is built. */
const tremula_onnx_tensor *onnx_known(onnx_builder *b, size_t i);
/* The integers of known input i; fails when it is absent. */
const int64_t *onnx_known_ints(onnx_builder *b, size_t i, size_t *count);
tremula_onnx_type onnx_type_of(const onnx_builder *b, size_t i); /* UNDEFINED when it is left out */
/* The shape of an input, known or a tensor. */
pop_shape onnx_shape_of(const onnx_builder *b, size_t i);
size_t onnx_rank_of(const onnx_builder *b, size_t i);
/* Whether input i is an input of the model that no operator has used: its first user may say how it is placed. */
bool onnx_is_unplaced(const onnx_builder *b, size_t i);
void onnx_place(onnx_builder *b, size_t i, pop_tensor tensor);

/* ---- outputs ---- */
bool onnx_wants(const onnx_builder *b, size_t i); /* whether output i has a name */
bool onnx_give(onnx_builder *b, size_t i, pop_tensor tensor, tremula_onnx_type type);
/* Output 0, of the type of input 0; of bool where the tensor is. */
bool onnx_give_like(onnx_builder *b, pop_tensor tensor);
/* Output 0, by an expression of input 0's elements. */
bool onnx_give_map(onnx_builder *b, const char *text);
/* Output 0, by a function of known input 0's elements. */
bool onnx_fold_elements(onnx_builder *b, double (*function)(double));
bool onnx_give_known(onnx_builder *b, size_t i, tremula_onnx_tensor tensor);

/* ---- attributes ---- */
/* Finds an attribute, or NULL. */
const onnx_attribute *onnx_find_attribute(const onnx_node *node, const char *name);
bool onnx_has(const onnx_builder *b, const char *name);
int64_t onnx_int(const onnx_builder *b, const char *name, int64_t otherwise);
double onnx_float(const onnx_builder *b, const char *name, double otherwise);
const char *onnx_text(const onnx_builder *b, const char *name, const char *otherwise);
/* NULL, and 0, when the attribute is absent. */
const int64_t *onnx_ints(const onnx_builder *b, const char *name, size_t *count);
const float *onnx_floats(const onnx_builder *b, const char *name, size_t *count);
/* The attribute "axis" as a dimension of a rank; fails when it is none. */
size_t onnx_axis(onnx_builder *b, int64_t axis, size_t rank);

#endif
