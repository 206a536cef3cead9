/* SPDX-License-Identifier: Apache-2.0 */
/* Building the nodes of a graph (builder.h). */
#ifndef ONNX_BUILD_BUILD_H
#define ONNX_BUILD_BUILD_H

#include "onnx/build/builder.h"

#include <popops/reduce.h>

/* Builds the nodes of an inner graph into b->program. */
bool onnx_build_nodes(onnx_builder *b, const onnx_graph *graph);

/* flops.c */

/* Floating-point operations of the current node, which has been built: two for each product of a convolution, of a
 * product of matrices or of a recurrent layer; one for each element that other nodes read or write; none for nodes that
 * only arrange elements or were computed when the graph was built. */
double onnx_count_flops(const onnx_builder *b);

/* host.c: steps of a program that the host computes while it runs. */

/* The node's program calls a function of the host; user stays valid until the model is built again.  The tensors are
 * those of the function, flattened.  Whoever runs the program connects it (tremula_onnx_connect). */
bool onnx_call_host(onnx_builder *b, pop_host_callback function, void *user, pop_tensors inputs, pop_tensors outputs);

/* rows.c: tensors with a dimension whose extent values decide while a program runs (NonMaxSuppression).
 *
 * Such a tensor has the largest extent there can be; what is beyond the true one is padding, which outputs of the
 * model are given without. A node may read such a tensor if what it makes of the padding is padding again: elements
 * stay where they are, or rows are looked up. All other nodes (sums, shapes, sorts) would mix the padding with
 * results, and are refused. */

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

/* node.c: a node's inputs, outputs and attributes, for its builder (builder.h). */

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

/* tensors.c: tensors of the graph, for builders of operators (builder.h). */

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

/* scratch.c: folding of views: the builder of an operator makes its views of variables of a graph that is never
 * run, and the elements that these views select are copied on the host. */

/* A variable of the scratch graph that stands for known elements. */
pop_tensor onnx_scratch_tensor(onnx_builder *b, const tremula_onnx_tensor *known);
/* Gives output i the elements that a view selects. */
bool onnx_scratch_give(onnx_builder *b, size_t i, pop_tensor view, tremula_onnx_type type);

/* The fold of rows whose build makes only views. */
bool onnx_fold_views(onnx_builder *b);

/* elements.c: elements of tensors on the host (builder.h). */
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
