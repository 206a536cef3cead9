/* SPDX-License-Identifier: Apache-2.0 */
/* Gathering slices of a tensor at a list of indices: the general form follows XLA's Gather, the simple form takes
 * elements along one axis. */
#ifndef POPOPS_GATHER_H
#define POPOPS_GATHER_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Parameters of the simple form. */
typedef struct popops_gather_params {
    size_t
        max_elements_per_tile; /* limit for a created input, exceeded only when all tiles have elements; 0: no limit */
} popops_gather_params;
/* The default parameters: at most 65,535 elements on a tile. */
#define POPOPS_GATHER_PARAMS ((popops_gather_params){ 65535 })

POP_BEGIN_DECLS

#define popops_create_gather_input(...) popops_create_gather_input_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor for use as the input of popops_gather. */
POP_API pop_tensor popops_create_gather_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                 pop_shape slice_sizes, pop_dims start_index_map, const char *name);
#define popops_gather(...) popops_gather_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: gathers slices of input into a new tensor.
 *
 * indices is INT or UNSIGNED_INT; its dimension index_vector_dim holds index vectors (if that equals its rank, each
 * element is a vector).  Component k of a vector is the offset of the slice in dimension start_index_map[k] of the
 * input.  Offsets that are too large, or negative, are clamped to the nearest one at which the slice fits.  slice_sizes
 * has a size for each dimension of the input; the dimensions in collapsed_slice_dims have size 1 and are dropped from
 * the result.  The result's dimensions offset_dims are those of a slice, the others are those of indices without
 * index_vector_dim.  poplar_error, index_error and type_error for arguments that do not match.
 *
 * Options are those of slices (docs/reference/options.md).  validateIndices: the run ends with an error if a slice
 * would not fit; paddingIndexUsed, for slices of one element of one dimension: those at the index just beyond the end
 * are 0. */
POP_API pop_tensor popops_gather_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor indices,
                                    size_t index_vector_dim, pop_dims offset_dims, pop_shape slice_sizes,
                                    pop_dims collapsed_slice_dims, pop_dims start_index_map, pop_program sequence,
                                    const char *name, pop_options options);

#define popops_create_gather_input_axis(...) popops_create_gather_input_axis_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor for use as the input of popops_gather_axis. */
POP_API pop_tensor popops_create_gather_input_axis_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                      unsigned axis, popops_gather_params params, const char *name);
#define popops_gather_axis(...) popops_gather_axis_at(POP_HERE, __VA_ARGS__)
/* The elements of input along axis at indices of any shape; the indices' shape replaces the axis in the result's
 * shape.  Options as of popops_gather. */
POP_API pop_tensor popops_gather_axis_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor indices,
                                         unsigned axis, pop_program sequence, popops_gather_params params,
                                         const char *name, pop_options options);

POP_END_DECLS
#endif
