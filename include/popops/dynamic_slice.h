/* SPDX-License-Identifier: Apache-2.0 */
/* Slices at offsets that are known only at run time: one slice (dynamic slices), or many rows at once (multi-slices,
 * used for embeddings).
 *
 * dims are the sliced dimensions, each at most once; sizes gives the extent of a slice along each of them.  Offsets are
 * UNSIGNED_INT (or INT, reinterpreted as UNSIGNED_INT).  Any element type.  A slice has t's rank: its extent is sizes
 * along dims and t's elsewhere.
 *
 * No offset accesses memory beyond the tensor.  An offset out of range counts as 0, as in Poplibs, and a slice that
 * extends beyond the end wraps around to 0.  A multi-update of single rows ignores an index out of range.
 *
 * Errors: poplar_error, index_error or type_error for shapes that do not match, dims that t does not have, and output
 * tensors with aliases. */
#ifndef POPOPS_DYNAMIC_SLICE_H
#define POPOPS_DYNAMIC_SLICE_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* How a multi-slice of a matrix is split over the tiles; {0} is no plan.  Tiles form a grid of row_splits x
 * lookup_splits x column_splits.  A tile looks up its block of the indices in its block of rows and columns; the rows
 * of that block are distributed over the tiles that differ only in their block of lookups. */
typedef struct popops_slice_plan {
    pop_type type;                                   /* type of the matrix */
    size_t rows, columns, lookups;                   /* the sizes that were planned */
    size_t row_splits, column_splits, lookup_splits; /* parts of the rows, of the columns and of the indices */
    size_t column_grain;                             /* each block has a multiple of this many columns */
    bool validate_indices;   /* whether calls with this plan check their indices (option "validateIndices") */
    bool padding_index_used; /* whether slices at the index just beyond the end are 0 (option "paddingIndexUsed") */
} popops_slice_plan;

POP_BEGIN_DECLS

/* ---- operands ---- */

#define popops_create_sliceable_tensor(...) popops_create_sliceable_tensor_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor for slicing: all elements along dims are on one tile, the other dimensions are spread over the tiles
 * in multiples of min_grain_size elements (0: the vector width).  If a tile would need more than a quarter of its
 * memory while others hold nothing, dims are spread too. */
POP_API pop_tensor popops_create_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                     pop_dims dims, pop_shape sizes, size_t min_grain_size,
                                                     const char *name);
#define popops_create_sliceable_tensor_from_slice(...)                                                                 \
    popops_create_sliceable_tensor_from_slice_at(POP_HERE, __VA_ARGS__)
/* A tensor of num_out_indices[i] slices like s along dims[i], each mapped like s. */
POP_API pop_tensor popops_create_sliceable_tensor_from_slice_at(pop_where where, pop_graph *graph, pop_tensor s,
                                                                pop_dims dims, pop_shape num_out_indices,
                                                                const char *name);
#define popops_create_slice_tensor(...) popops_create_slice_tensor_at(POP_HERE, __VA_ARGS__)
/* A tensor {num_indices, slice...}, in which each slice is mapped like the first slice of t. */
POP_API pop_tensor popops_create_slice_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims,
                                                 pop_shape sizes, size_t num_indices, const char *name);

/* ---- one slice ---- */

#define popops_dynamic_slice(...) popops_dynamic_slice_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: copies the slice of t at offset to a new tensor.  offset has one element for each of dims.
 * Without dims the result is a copy of t. */
POP_API pop_tensor popops_dynamic_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offset,
                                           pop_dims dims, pop_shape sizes, pop_program sequence, const char *name);
#define popops_dynamic_slice_with_output(...) popops_dynamic_slice_with_output_at(POP_HERE, __VA_ARGS__)
/* Copies the slice of t at offset to output, which has the slice's shape and is mapped. */
POP_API void popops_dynamic_slice_with_output_at(pop_where where, pop_graph *graph, pop_tensor output, pop_tensor t,
                                                 pop_tensor offset, pop_dims dims, pop_shape sizes,
                                                 pop_program sequence, const char *name);
#define popops_create_dynamic_slice_output(...) popops_create_dynamic_slice_output_at(POP_HERE, __VA_ARGS__)
/* A tensor with the shape and mapping of dynamic_slice's result. */
POP_API pop_tensor popops_create_dynamic_slice_output_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims,
                                                         pop_shape sizes, const char *name);
#define popops_dynamic_update(...) popops_dynamic_update_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: writes s, which has the slice's shape, to the slice of t at offset. */
POP_API void popops_dynamic_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offset,
                                      pop_dims dims, pop_shape sizes, pop_program sequence, const char *name);
#define popops_get_slice_mapping(...) popops_get_slice_mapping_at(POP_HERE, __VA_ARGS__)
/* The tile mapping of dynamic_slice's result: one list of intervals for each tile, which the caller frees.  False when
 * the graph has an error. */
POP_API bool popops_get_slice_mapping_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims dims,
                                         pop_shape sizes, pop_interval_lists *mapping);

/* ---- many rows: embeddings ---- */

#define popops_embedding_plan(...) popops_embedding_plan_at(POP_HERE, __VA_ARGS__)
/* The plan for a matrix {rows, columns} and a number of lookups (the largest of a list counts).  Without rows, columns
 * or lookups the result is no plan.  Options:
 *   - "planMinimisationTarget" memory|cycles (memory);
 *   - "usedForSlice", "usedForUpdate" (true); "operationForUpdate" none|add|mul|max (add);
 *   - "availableMemoryProportion" (0.6): the share of a tile's memory that a call may use temporarily, where possible;
 *   - "planConstraints": JSON with any of "slicedDimSplit", "unslicedDimSplit", "lookupSplit" and "unslicedGrainSize";
 *   - "validateIndices" (false): see below. */
POP_API popops_slice_plan popops_embedding_plan_at(pop_where where, pop_graph *graph, pop_type type, size_t rows,
                                                   size_t columns, pop_shape lookups, pop_options options);
/* A total order over all fields: less than 0, 0, or greater than 0. */
POP_API int popops_slice_plan_compare(const popops_slice_plan *a, const popops_slice_plan *b);

/* Operands for multi-slices by a plan: shape {rows, columns}, dims {0} and sizes {1}, poplar_error otherwise.  plan may
 * be NULL or {0}: then any dims and sizes are allowed. */
#define popops_create_sliceable_tensor_planned(...) popops_create_sliceable_tensor_planned_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_create_sliceable_tensor_planned_at(pop_where where, pop_graph *graph, pop_type type,
                                                             pop_shape shape, pop_dims dims, pop_shape sizes,
                                                             const popops_slice_plan *plan, const char *name,
                                                             pop_options options);
#define popops_create_slice_tensor_planned(...) popops_create_slice_tensor_planned_at(POP_HERE, __VA_ARGS__)
/* A tensor {num_indices, slice...} for slices of a tensor of this type and shape. */
POP_API pop_tensor popops_create_slice_tensor_planned_at(pop_where where, pop_graph *graph, pop_type type,
                                                         pop_shape shape, pop_dims dims, pop_shape sizes,
                                                         size_t num_indices, const popops_slice_plan *plan,
                                                         const char *name, pop_options options);
#define popops_create_indices_tensor(...) popops_create_indices_tensor_at(POP_HERE, __VA_ARGS__)
/* A tensor {num_indices, dims} of UNSIGNED_INT. */
POP_API pop_tensor popops_create_indices_tensor_at(pop_where where, pop_graph *graph, pop_dims dims, size_t num_indices,
                                                   const popops_slice_plan *plan, const char *name,
                                                   pop_options options);

/* All calls below add to a sequence; offsets is {n, dims}, s is {n, slice...}.  With one dimension and size 1 all rows
 * are processed at once, otherwise one slice after the other.  With the option "validateIndices" of the call or of its
 * plan, an index out of range ends the run with an application_runtime_error that names the call. */
#define popops_multi_slice(...) popops_multi_slice_at(POP_HERE, __VA_ARGS__)
/* Copies n slices to a new tensor {n, slice...}. */
POP_API pop_tensor popops_multi_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offsets,
                                         pop_dims dims, pop_shape sizes, pop_program sequence,
                                         const popops_slice_plan *plan, const char *name, pop_options options);
#define popops_multi_slice_static(...) popops_multi_slice_static_at(POP_HERE, __VA_ARGS__)
/* Slices of size 1 in one dimension at offsets that are known now, copied to a new tensor {n, t's shape with 1 for
 * dim}. index_error for an offset beyond the end; with option remapOutOfBoundIndices it counts as 0, with
 * paddingIndexUsed the offset just beyond the end gives zeros.
 */
POP_API pop_tensor popops_multi_slice_static_at(pop_where where, pop_graph *graph, pop_tensor t, pop_dims offsets,
                                                size_t dim, pop_program sequence, const char *name,
                                                pop_options options);
#define popops_multi_update_add_static(...) popops_multi_update_add_static_at(POP_HERE, __VA_ARGS__)
/* t[offsets[i]] += scale * s[i], in this order where offsets are equal; s has the shape of popops_multi_slice_static's
 * result, scale is one element. With option paddingIndexUsed, slices for the offset just beyond the end are ignored. */
POP_API void popops_multi_update_add_static_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                               pop_dims offsets, pop_tensor scale, size_t dim, pop_program sequence,
                                               const char *name, pop_options options);
#define popops_multi_update(...) popops_multi_update_at(POP_HERE, __VA_ARGS__)
/* Writes the slices of s to t.  When offsets are equal, any one of their slices remains. */
POP_API void popops_multi_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s, pop_tensor offsets,
                                    pop_dims dims, pop_shape sizes, pop_program sequence, const popops_slice_plan *plan,
                                    const char *name, pop_options options);
/* The calls below take one dimension and size 1, and HALF, FLOAT, INT or UNSIGNED_INT.  Equal offsets accumulate. */
#define popops_multi_update_add(...) popops_multi_update_add_at(POP_HERE, __VA_ARGS__)
/* t[offset] += scale * s; scale is one element of t's type, or FLOAT when t is HALF.  HALF is rounded after each
 * addition, or, with a plan that splits the lookups, summed in FLOAT and rounded once. */
POP_API void popops_multi_update_add_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_tensor scale, pop_dims dims, pop_shape sizes,
                                        pop_program sequence, const popops_slice_plan *plan, const char *name,
                                        pop_options options);
#define popops_multi_update_max(...) popops_multi_update_max_at(POP_HERE, __VA_ARGS__)
/* t[offset] = max(t[offset], s). */
POP_API void popops_multi_update_max_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_dims dims, pop_shape sizes, pop_program sequence,
                                        const popops_slice_plan *plan, const char *name, pop_options options);
#define popops_multi_update_mul(...) popops_multi_update_mul_at(POP_HERE, __VA_ARGS__)
/* t[offset] *= s. */
POP_API void popops_multi_update_mul_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                        pop_tensor offsets, pop_dims dims, pop_shape sizes, pop_program sequence,
                                        const popops_slice_plan *plan, const char *name, pop_options options);

/* ---- grouped forms: t, s, offsets and results have the groups as an additional outermost dimension, which dims and
 * shape do not count ---- */

#define popops_create_grouped_sliceable_tensor(...) popops_create_grouped_sliceable_tensor_at(POP_HERE, __VA_ARGS__)
/* A tensor {groups, shape...} for slicing. */
POP_API pop_tensor popops_create_grouped_sliceable_tensor_at(pop_where where, pop_graph *graph, pop_type type,
                                                             size_t groups, pop_shape shape, pop_dims dims,
                                                             pop_shape sizes, const popops_slice_plan *plan,
                                                             const char *name, pop_options options);
#define popops_create_grouped_slice_tensor(...) popops_create_grouped_slice_tensor_at(POP_HERE, __VA_ARGS__)
/* A tensor {groups, num_indices, slice...}. */
POP_API pop_tensor popops_create_grouped_slice_tensor_at(pop_where where, pop_graph *graph, pop_type type,
                                                         size_t groups, pop_shape shape, pop_dims dims, pop_shape sizes,
                                                         size_t num_indices, const popops_slice_plan *plan,
                                                         const char *name, pop_options options);
#define popops_create_grouped_indices_tensor(...) popops_create_grouped_indices_tensor_at(POP_HERE, __VA_ARGS__)
/* A tensor {groups, num_indices, dims} of UNSIGNED_INT. */
POP_API pop_tensor popops_create_grouped_indices_tensor_at(pop_where where, pop_graph *graph, size_t groups,
                                                           pop_dims dims, size_t num_indices,
                                                           const popops_slice_plan *plan, const char *name,
                                                           pop_options options);
#define popops_grouped_multi_slice(...) popops_grouped_multi_slice_at(POP_HERE, __VA_ARGS__)
/* popops_multi_slice for each group: a new tensor {groups, n, slice...}. */
POP_API pop_tensor popops_grouped_multi_slice_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor offsets,
                                                 pop_dims dims, pop_shape sizes, pop_program sequence,
                                                 const popops_slice_plan *plan, const char *name, pop_options options);
#define popops_grouped_multi_update(...) popops_grouped_multi_update_at(POP_HERE, __VA_ARGS__)
/* popops_multi_update for each group. */
POP_API void popops_grouped_multi_update_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                            pop_tensor offsets, pop_dims dims, pop_shape sizes, pop_program sequence,
                                            const popops_slice_plan *plan, const char *name, pop_options options);
#define popops_grouped_multi_update_add(...) popops_grouped_multi_update_add_at(POP_HERE, __VA_ARGS__)
/* popops_multi_update_add for each group. */
POP_API void popops_grouped_multi_update_add_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                                pop_tensor offsets, pop_tensor scale, pop_dims dims, pop_shape sizes,
                                                pop_program sequence, const popops_slice_plan *plan, const char *name,
                                                pop_options options);
#define popops_grouped_multi_update_max(...) popops_grouped_multi_update_max_at(POP_HERE, __VA_ARGS__)
/* popops_multi_update_max for each group. */
POP_API void popops_grouped_multi_update_max_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                                pop_tensor offsets, pop_dims dims, pop_shape sizes,
                                                pop_program sequence, const popops_slice_plan *plan, const char *name,
                                                pop_options options);
#define popops_grouped_multi_update_mul(...) popops_grouped_multi_update_mul_at(POP_HERE, __VA_ARGS__)
/* popops_multi_update_mul for each group. */
POP_API void popops_grouped_multi_update_mul_at(pop_where where, pop_graph *graph, pop_tensor t, pop_tensor s,
                                                pop_tensor offsets, pop_dims dims, pop_shape sizes,
                                                pop_program sequence, const popops_slice_plan *plan, const char *name,
                                                pop_options options);

POP_END_DECLS
#endif
