/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a tensor at many places, as XLA's Gather: and the simple form, elements along one axis. */
#ifndef POPOPS_GATHER_H
#define POPOPS_GATHER_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Of the simple form. */
typedef struct popops_gather_params {
    size_t max_elements_per_tile; /* of an input that is created; more only where all tiles have some.  0: any number */
} popops_gather_params;
#define POPOPS_GATHER_PARAMS ((popops_gather_params){ 65535 })

POP_BEGIN_DECLS

#define popops_create_gather_input(...) popops_create_gather_input_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor from which slices are taken as popops_gather takes them. */
POP_API pop_tensor popops_create_gather_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                 pop_shape slice_sizes, pop_dims start_index_map, const char *name);
#define popops_gather(...) popops_gather_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence; a new tensor of slices of input.
 *
 * indices is INT or UNSIGNED_INT; its dimension index_vector_dim holds index vectors (when that is its rank, each
 * element is one): component k is where dimension start_index_map[k] of the input is sliced.  Beginnings that are too
 * large, or negative, are those nearest that fit.  slice_sizes has a size for each dimension of the input; those in
 * collapsed_slice_dims are 1 and left out of the result.  The result's dimensions offset_dims are those of a slice, the
 * others those of indices without index_vector_dim.  poplar_error, index_error and type_error for what does not fit
 * together.
 *
 * options: validateIndices ends the run with an error where an index vector is that of no slice; indicesAreSorted has
 * no effect (docs/options.md). */
POP_API pop_tensor popops_gather_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor indices,
                                    size_t index_vector_dim, pop_dims offset_dims, pop_shape slice_sizes,
                                    pop_dims collapsed_slice_dims, pop_dims start_index_map, pop_program sequence,
                                    const char *name, pop_options options);

#define popops_create_gather_input_axis(...) popops_create_gather_input_axis_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_create_gather_input_axis_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                      unsigned axis, popops_gather_params params, const char *name);
#define popops_gather_axis(...) popops_gather_axis_at(POP_HERE, __VA_ARGS__)
/* The elements of input along axis at indices of any shape, which take the axis' place in the result's shape. */
POP_API pop_tensor popops_gather_axis_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor indices,
                                         unsigned axis, pop_program sequence, popops_gather_params params,
                                         const char *name);

POP_END_DECLS
#endif
