/* SPDX-License-Identifier: Apache-2.0 */
/* Slices at places that are known when the program runs: of one place (dynamic slices), and of many rows at once (multi-slices: embeddings).
 *
 * dims are the sliced dimensions, each at most once, and sizes how many elements of each a slice has; offsets are UNSIGNED_INT (or INT, read as
 * UNSIGNED_INT).  Any element type.  A slice has t's rank: dims have their sizes, the others t's.
 *
 * Offsets beyond a dimension never touch memory beyond the tensor.  In dynamic slices an offset counts modulo the dimension's extent, and a slice that
 * reaches beyond the end goes on at 0.  In multi-slices the result of such an index is undefined, and an update with it does nothing.
 *
 * Mistakes (shapes that do not match, dims that t lacks, a tensor of aliases that would be written) are a poplar_error, index_error or type_error. */
#ifndef POPOPS_DYNAMIC_SLICE_H
#define POPOPS_DYNAMIC_SLICE_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

/* ---- tensors that are good to slice ---- */

#define popops_create_sliceable_tensor(...) popops_create_sliceable_tensor_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor whose elements along dims lie on one tile, and all other dimensions spread over tiles in whole grains of min_grain_size elements (0: the
 * vector width). */
POP_API pop_tensor popops_create_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape, pop_dims dims, pop_shape sizes,
                                                     size_t min_grain_size, const char *name);
#define popops_create_sliceable_tensor_from_slice(...) popops_create_sliceable_tensor_from_slice_at(POP_HERE, __VA_ARGS__)
/* num_out_indices[i] slices like s beside one another along dims[i]: each lies where s lies. */
POP_API pop_tensor popops_create_sliceable_tensor_from_slice_at(pop_where where, pop_graph *graph, pop_tensor s, pop_dims dims,
                                                                pop_shape num_out_indices, const char *name);
#define popops_create_slice_tensor(...) popops_create_slice_tensor_at(POP_HERE, __VA_ARGS__)
/* num_indices slices of t, of shape {num_indices, slice...}, each lying where the first slice of t lies. */
POP_API pop_tensor popops_create_slice_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims, pop_shape sizes, size_t num_indices,
                                                 const char *name);

/* ---- one place ---- */

#define popops_dynamic_slice(...) popops_dynamic_slice_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: gives a new tensor with the slice of t at offset, which has an element for each of dims.  Without dims it is a copy. */
POP_API pop_tensor popops_dynamic_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offset, pop_dims dims, pop_shape sizes,
                                           pop_program sequence, const char *name);
#define popops_dynamic_slice_with_output(...) popops_dynamic_slice_with_output_at(POP_HERE, __VA_ARGS__)
/* The same into a tensor that there is: output has the slice's shape, and is mapped. */
POP_API void popops_dynamic_slice_with_output_at(pop_where where, pop_graph *graph, pop_tensor output, pop_tensor t, pop_tensor offset, pop_dims dims,
                                                 pop_shape sizes, pop_program sequence, const char *name);
#define popops_create_dynamic_slice_output(...) popops_create_dynamic_slice_output_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor that dynamic_slice could have given. */
POP_API pop_tensor popops_create_dynamic_slice_output_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims, pop_shape sizes,
                                                         const char *name);
#define popops_dynamic_update(...) popops_dynamic_update_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: the slice of t at offset becomes s, which has the slice's shape. */
POP_API void popops_dynamic_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offset, pop_dims dims, pop_shape sizes,
                                      pop_program sequence, const char *name);
#define popops_get_slice_mapping(...) popops_get_slice_mapping_at(POP_HERE, __VA_ARGS__)
/* Where the slice that dynamic_slice gives lies: a list for each tile; the caller frees them.  False when the graph has an error. */
POP_API bool popops_get_slice_mapping_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims, pop_shape sizes, pop_interval_lists *mapping);

POP_END_DECLS
#endif
