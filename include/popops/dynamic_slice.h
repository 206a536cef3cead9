/* SPDX-License-Identifier: Apache-2.0 */
/* Slices at places that are known when the program runs: of one place (dynamic slices), and of many rows at once
 * (multi-slices: embeddings).
 *
 * dims are the sliced dimensions, each at most once, and sizes how many elements of each a slice has; offsets are
 * UNSIGNED_INT (or INT, read as UNSIGNED_INT).  Any element type.  A slice has t's rank: dims have their sizes, the
 * others t's.
 *
 * Offsets beyond a dimension never touch memory beyond the tensor.  An offset out of range counts as 0, as in Poplibs,
 * and a slice that reaches beyond the end goes on at 0.  A multi-update with such an index of single rows does nothing.
 *
 * Mistakes (shapes that do not match, dims that t lacks, a tensor of aliases that would be written) are a poplar_error,
 * index_error or type_error. */
#ifndef POPOPS_DYNAMIC_SLICE_H
#define POPOPS_DYNAMIC_SLICE_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* How a matrix of many rows is shared out for multi-slices: a value, {0} is none.  Tiles form a grid of row_splits by
 * lookup_splits by column_splits: each holds a block of rows by columns and looks its share of the indices up in the
 * rows of its block's neighbours along lookups. */
typedef struct popops_slice_plan {
    pop_type type;
    size_t rows, columns, lookups; /* what was planned for */
    size_t row_splits, column_splits, lookup_splits;
    size_t column_grain;   /* columns are split in multiples of this */
    bool validate_indices; /* calls with this plan check their indices: the option "validateIndices" */
} popops_slice_plan;

POP_BEGIN_DECLS

/* ---- tensors that are good to slice ---- */

#define popops_create_sliceable_tensor(...) popops_create_sliceable_tensor_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor whose elements along dims are on one tile, and all other dimensions spread over tiles in whole grains
 * of min_grain_size elements (0: the vector width).  Where a tile would have to hold more than a quarter of its memory,
 * and others nothing, it is spread along dims too. */
POP_API pop_tensor popops_create_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                     pop_dims dims, pop_shape sizes, size_t min_grain_size,
                                                     const char *name);
#define popops_create_sliceable_tensor_from_slice(...)                                                                 \
    popops_create_sliceable_tensor_from_slice_at(POP_HERE, __VA_ARGS__)
/* num_out_indices[i] slices like s beside one another along dims[i]: each is mapped as s. */
POP_API pop_tensor popops_create_sliceable_tensor_from_slice_at(pop_where where, pop_graph *graph, pop_tensor s,
                                                                pop_dims dims, pop_shape num_out_indices,
                                                                const char *name);
#define popops_create_slice_tensor(...) popops_create_slice_tensor_at(POP_HERE, __VA_ARGS__)
/* num_indices slices of t, of shape {num_indices, slice...}, each mapped as the first slice of t. */
POP_API pop_tensor popops_create_slice_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims,
                                                 pop_shape sizes, size_t num_indices, const char *name);

/* ---- one place ---- */

#define popops_dynamic_slice(...) popops_dynamic_slice_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: gives a new tensor with the slice of t at offset, which has an element for each of dims.  Without
 * dims it is a copy. */
POP_API pop_tensor popops_dynamic_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offset,
                                           pop_dims dims, pop_shape sizes, pop_program sequence, const char *name);
#define popops_dynamic_slice_with_output(...) popops_dynamic_slice_with_output_at(POP_HERE, __VA_ARGS__)
/* The same into a tensor that there is: output has the slice's shape, and is mapped. */
POP_API void popops_dynamic_slice_with_output_at(pop_where where, pop_graph *graph, pop_tensor output, pop_tensor t,
                                                 pop_tensor offset, pop_dims dims, pop_shape sizes,
                                                 pop_program sequence, const char *name);
#define popops_create_dynamic_slice_output(...) popops_create_dynamic_slice_output_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor that dynamic_slice could have given. */
POP_API pop_tensor popops_create_dynamic_slice_output_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims,
                                                         pop_shape sizes, const char *name);
#define popops_dynamic_update(...) popops_dynamic_update_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: the slice of t at offset becomes s, which has the slice's shape. */
POP_API void popops_dynamic_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offset,
                                      pop_dims dims, pop_shape sizes, pop_program sequence, const char *name);
#define popops_get_slice_mapping(...) popops_get_slice_mapping_at(POP_HERE, __VA_ARGS__)
/* The mapping of the slice that dynamic_slice gives: a list for each tile; the caller frees them.  False when the graph
 * has an error. */
POP_API bool popops_get_slice_mapping_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims,
                                         pop_shape sizes, pop_interval_lists *mapping);

/* ---- many rows: embeddings ---- */

#define popops_embedding_plan(...) popops_embedding_plan_at(POP_HERE, __VA_ARGS__)
/* The plan for a matrix of rows by columns from which so many rows are looked up (the largest of a list counts).
 * Options: "planMinimisationTarget" memory|cycles (memory); "usedForSlice", "usedForUpdate" (true),
 * "operationForUpdate" none|add|mul|max (add); "availableMemoryProportion" (0.6), of a tile, for what a call needs and
 * gives back, where that is possible; "planConstraints", JSON with any of "slicedDimSplit", "unslicedDimSplit",
 * "lookupSplit" and "unslicedGrainSize"; "validateIndices" (false), see below.  No plan for a matrix or list without
 * elements. */
POP_API popops_slice_plan popops_embedding_plan_at(pop_where where, pop_graph *graph, pop_type type, size_t rows,
                                                   size_t columns, pop_shape lookups, pop_options options);
/* Less than 0, 0 or more than 0: an order over all fields. */
POP_API int popops_slice_plan_compare(const popops_slice_plan *a, const popops_slice_plan *b);

/* Tensors for multi-slices by a plan: of {rows, columns} with dims {0} and sizes {1}, poplar_error otherwise.  plan may
 * be NULL or none: then any dims and sizes. */
#define popops_create_sliceable_tensor_planned(...) popops_create_sliceable_tensor_planned_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_create_sliceable_tensor_planned_at(pop_where where, pop_graph *graph, pop_type type,
                                                             pop_shape shape, pop_dims dims, pop_shape sizes,
                                                             const popops_slice_plan *plan, const char *name,
                                                             pop_options options);
#define popops_create_slice_tensor_planned(...) popops_create_slice_tensor_planned_at(POP_HERE, __VA_ARGS__)
/* {num_indices, slice...} of a tensor of this type and shape. */
POP_API pop_tensor popops_create_slice_tensor_planned_at(pop_where where, pop_graph *graph, pop_type type,
                                                         pop_shape shape, pop_dims dims, pop_shape sizes,
                                                         size_t num_indices, const popops_slice_plan *plan,
                                                         const char *name, pop_options options);
#define popops_create_indices_tensor(...) popops_create_indices_tensor_at(POP_HERE, __VA_ARGS__)
/* UNSIGNED_INT {num_indices, dims}. */
POP_API pop_tensor popops_create_indices_tensor_at(pop_where where, pop_graph *graph, pop_dims dims, size_t num_indices,
                                                   const popops_slice_plan *plan, const char *name,
                                                   pop_options options);

/* All add to a sequence; offsets is {n, dims}, s is {n, slice...}.  With one dimension and size 1 all rows are treated
 * at once, otherwise one place after the other.  With the option "validateIndices" of the call or of the plan an index
 * out of range ends the run with application_runtime_error, which names the call. */
#define popops_multi_slice(...) popops_multi_slice_at(POP_HERE, __VA_ARGS__)
/* A new tensor {n, slice...}. */
POP_API pop_tensor popops_multi_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offsets,
                                         pop_dims dims, pop_shape sizes, pop_program sequence,
                                         const popops_slice_plan *plan, const char *name, pop_options options);
#define popops_multi_update(...) popops_multi_update_at(POP_HERE, __VA_ARGS__)
/* The slices become s.  Of equal offsets any one counts. */
POP_API void popops_multi_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offsets,
                                    pop_dims dims, pop_shape sizes, pop_program sequence, const popops_slice_plan *plan,
                                    const char *name, pop_options options);
/* Those below take one dimension and size 1, and HALF, FLOAT, INT or UNSIGNED_INT.  Each of equal offsets counts. */
#define popops_multi_update_add(...) popops_multi_update_add_at(POP_HERE, __VA_ARGS__)
/* t[offset] += scale * s; scale is one element of t's type, or FLOAT for HALF.  HALF is rounded after each
 * addition; by a plan that splits the lookups it is summed in FLOAT, and rounded once. */
POP_API void popops_multi_update_add_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_tensor scale, pop_dims dims, pop_shape sizes,
                                        pop_program sequence, const popops_slice_plan *plan, const char *name,
                                        pop_options options);
#define popops_multi_update_max(...) popops_multi_update_max_at(POP_HERE, __VA_ARGS__)
POP_API void popops_multi_update_max_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_dims dims, pop_shape sizes, pop_program sequence,
                                        const popops_slice_plan *plan, const char *name, pop_options options);
#define popops_multi_update_mul(...) popops_multi_update_mul_at(POP_HERE, __VA_ARGS__)
POP_API void popops_multi_update_mul_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_dims dims, pop_shape sizes, pop_program sequence,
                                        const popops_slice_plan *plan, const char *name, pop_options options);

/* ---- groups: the same for each element of a dimension 0 that t, s, offsets and results have before all others; dims
 * and shape do not count it ---- */

#define popops_create_grouped_sliceable_tensor(...) popops_create_grouped_sliceable_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_create_grouped_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type,
                                                             size_t groups, pop_shape shape, pop_dims dims,
                                                             pop_shape sizes, const popops_slice_plan *plan,
                                                             const char *name, pop_options options);
#define popops_create_grouped_slice_tensor(...) popops_create_grouped_slice_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_create_grouped_slice_tensor_at(pop_where where, pop_graph *graph, pop_type type,
                                                         size_t groups, pop_shape shape, pop_dims dims, pop_shape sizes,
                                                         size_t num_indices, const popops_slice_plan *plan,
                                                         const char *name, pop_options options);
#define popops_create_grouped_indices_tensor(...) popops_create_grouped_indices_tensor_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_create_grouped_indices_tensor_at(pop_where where, pop_graph *graph, size_t groups,
                                                           pop_dims dims, size_t num_indices,
                                                           const popops_slice_plan *plan, const char *name,
                                                           pop_options options);
#define popops_grouped_multi_slice(...) popops_grouped_multi_slice_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_grouped_multi_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offsets,
                                                 pop_dims dims, pop_shape sizes, pop_program sequence,
                                                 const popops_slice_plan *plan, const char *name, pop_options options);
#define popops_grouped_multi_update(...) popops_grouped_multi_update_at(POP_HERE, __VA_ARGS__)
POP_API void popops_grouped_multi_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                            pop_tensor offsets, pop_dims dims, pop_shape sizes, pop_program sequence,
                                            const popops_slice_plan *plan, const char *name, pop_options options);
#define popops_grouped_multi_update_add(...) popops_grouped_multi_update_add_at(POP_HERE, __VA_ARGS__)
POP_API void popops_grouped_multi_update_add_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                                pop_tensor offsets, pop_tensor scale, pop_dims dims, pop_shape sizes,
                                                pop_program sequence, const popops_slice_plan *plan, const char *name,
                                                pop_options options);
#define popops_grouped_multi_update_max(...) popops_grouped_multi_update_max_at(POP_HERE, __VA_ARGS__)
POP_API void popops_grouped_multi_update_max_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                                pop_tensor offsets, pop_dims dims, pop_shape sizes,
                                                pop_program sequence, const popops_slice_plan *plan, const char *name,
                                                pop_options options);
#define popops_grouped_multi_update_mul(...) popops_grouped_multi_update_mul_at(POP_HERE, __VA_ARGS__)
POP_API void popops_grouped_multi_update_mul_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                                pop_tensor offsets, pop_dims dims, pop_shape sizes,
                                                pop_program sequence, const popops_slice_plan *plan, const char *name,
                                                pop_options options);

POP_END_DECLS
#endif
