/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of 8-bit floats.  A QUARTER tensor has metadata beside it (quarter.h): one element of type QUARTER_METADATA,
 * which the variable refers to, and which all views of the variable share.  pop_graph_add_variable and pop_graph_clone
 * make an element of its own, on the graph's first tile, without a value; the calls here let variables share one.
 * Copies of QUARTER tensors move elements only: copy the metadata too, or share it.
 *
 * A tensor that is concatenated from several variables has the metadata of the first one. */
#ifndef POPLAR_METADATA_H
#define POPLAR_METADATA_H

#include <poplar/graph.h>
#include <poplar/quarter.h>

POP_BEGIN_DECLS

/* A constant metadata element of shape {}, on tile 0.  scale is -32 to 31; tensor_metadata_error otherwise. */
#define pop_create_constant_metadata_tensor(...) pop_create_constant_metadata_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_create_constant_metadata_tensor_at(pop_where where, pop_graph *graph, pop_quarter_format format,
                                                          int scale, const char *name);
/* A variable metadata element of shape {}, on tile 0, with this initial value. */
#define pop_create_variable_metadata_tensor(...) pop_create_variable_metadata_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_create_variable_metadata_tensor_at(pop_where where, pop_graph *graph, pop_quarter_format format,
                                                          int scale, const char *name);

/* A QUARTER variable that shares a metadata element: a tensor of one element. */
#define pop_graph_add_variable_with_metadata(...) pop_graph_add_variable_with_metadata_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_add_variable_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor metadata,
                                                           pop_shape shape, pop_mapping_method method,
                                                           const char *name);
/* A QUARTER constant: host values of value_type, one for each element, are converted with nanoo by the metadata, which
 * must be a constant or have an initial value; of type QUARTER they are codes. */
#define pop_graph_add_constant_with_metadata(...) pop_graph_add_constant_with_metadata_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_add_constant_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor metadata,
                                                           pop_shape shape, pop_type value_type, const void *values,
                                                           const char *name);
/* The same with one value for all elements. */
#define pop_graph_add_constant_fill_with_metadata(...)                                                                 \
    pop_graph_add_constant_fill_with_metadata_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_add_constant_fill_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor metadata,
                                                                pop_shape shape, pop_type value_type, const void *value,
                                                                const char *name);
/* A QUARTER variable with t's shape and tile mapping that shares a metadata element; t may have any type. */
#define pop_graph_clone_with_metadata(...) pop_graph_clone_with_metadata_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor pop_graph_clone_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor metadata,
                                                    pop_tensor t, pop_clone_method method, const char *name);

POP_END_DECLS
#endif
