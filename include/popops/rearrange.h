/* SPDX-License-Identifier: Apache-2.0 */
/* Transpositions in tile memory and regrouping: changing the dimension along which elements are contiguous in
 * memory. */
#ifndef POPOPS_REARRANGE_H
#define POPOPS_REARRANGE_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <poputil/var_structure.h>

POP_BEGIN_DECLS

/* ---- transpositions ---- */

/* Whether the fast vertex can transpose matrices of rows x columns: elements of two bytes, both sizes multiples of
 * 4. */
POP_API bool popops_can_use_fast_transpose(const pop_target *target, pop_type type, unsigned rows, unsigned columns,
                                           unsigned transpositions);
/* Callback: returns the flat source and destination of transposition index, of rows * columns elements each. */
typedef void (*popops_transposition)(size_t index, pop_tensor *in, pop_tensor *out, void *user);
#define popops_add_transpose_vertices(...) popops_add_transpose_vertices_at(POP_HERE, __VA_ARGS__)
/* Adds vertices to a compute set.  List i of the mapping holds intervals of the indices of the transpositions that tile
 * i executes.  Any element type. */
POP_API void popops_add_transpose_vertices_at(pop_where where, pop_graph *graph, pop_compute_set set, pop_type type,
                                              unsigned rows, unsigned columns, const pop_interval_lists *mapping,
                                              popops_transposition transposition, void *user);
#define popops_partial_transpose(...) popops_partial_transpose_at(POP_HERE, __VA_ARGS__)
/* A new tensor with the two innermost dimensions exchanged, row-major in memory.  The compute set writes it; each
 * matrix is transposed on the tile of its first element.  poplar_error for a rank below 2. */
POP_API pop_tensor popops_partial_transpose_at(pop_where where, pop_graph *graph, pop_tensor in, pop_compute_set set,
                                               const char *name);

/* ---- groupings: elements along a dimension that are contiguous in memory (poputil_detect_dim_groupings) ---- */

/* The smallest group sizes that can be regrouped by moving whole words: multiples of 4 elements of two bytes, 2 of four
 * bytes, 1 of other sizes. */
POP_API unsigned popops_get_minimum_regroup_grain_size(pop_type type);
#define popops_regroup_tensor(...) popops_regroup_tensor_at(POP_HERE, __VA_ARGS__)
/* A tensor of t's shape and values with grouping `to` instead of `from`.  Adds copies to a sequence and transpositions
 * to a compute set, which the caller executes after the copies.  The two groupings are of different dimensions, which
 * are multiples of their group sizes; poplar_error otherwise. */
POP_API pop_tensor popops_regroup_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program copies,
                                            pop_compute_set transpositions, poputil_dim_grouping from,
                                            poputil_dim_grouping to, const char *name);
#define popops_regroup_if_possible(...) popops_regroup_if_possible_at(POP_HERE, __VA_ARGS__)
/* Regroups as popops_regroup_tensor, from the grouping that t has. Returns t itself if the sizes do not allow it, or t
 * has that grouping already. */
POP_API pop_tensor popops_regroup_if_possible_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program copies,
                                                 pop_compute_set transpositions, poputil_dim_grouping to,
                                                 const char *name);
/* Regroups if it saves time: if both group sizes are multiples of the minimum grain. The new grouping is that of
 * another tensor of the same rank, or groups of the given number of elements of the innermost dimension. */
#define popops_regroup_if_possible_now(...) popops_regroup_if_possible_now_at(POP_HERE, __VA_ARGS__)
/* As popops_regroup_if_possible, with a compute set of its own, which is added to the sequence; t itself also where a
 * grouping is no multiple of the minimum grain. */
POP_API pop_tensor popops_regroup_if_possible_now_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                     pop_program sequence, poputil_dim_grouping to, const char *name);
#define popops_regroup_if_beneficial_in(...) popops_regroup_if_beneficial_in_at(POP_HERE, __VA_ARGS__)
/* Regroups if it saves time, as `like` is grouped: copies are added to `copies`, transpositions to the compute set,
 * which the caller executes after them. Returns `in` itself if it saves none. */
POP_API pop_tensor popops_regroup_if_beneficial_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor like,
                                                      pop_program copies, pop_compute_set transpositions,
                                                      const char *name);
#define popops_regroup_if_beneficial(...) popops_regroup_if_beneficial_at(POP_HERE, __VA_ARGS__)
/* Regroups if it saves time, with a compute set that is added to the sequence. */
POP_API pop_tensor popops_regroup_if_beneficial_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor like,
                                                   pop_program sequence, const char *name);
#define popops_regroup_if_beneficial_to(...) popops_regroup_if_beneficial_to_at(POP_HERE, __VA_ARGS__)
/* Regroups if it saves time, to groups of preferred_grouping elements of the innermost dimension. */
POP_API pop_tensor popops_regroup_if_beneficial_to_at(pop_where where, pop_graph *graph, pop_tensor in,
                                                      size_t preferred_grouping, pop_program sequence,
                                                      const char *name);

/* Three of these calls for callers that add the copy themselves, from *source to *destination; both are null if no copy
 * is needed. */
#define popops_regroup_tensor_apart(...) popops_regroup_tensor_apart_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_regroup_tensor_apart_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                  pop_compute_set transpositions, poputil_dim_grouping from,
                                                  poputil_dim_grouping to, const char *name, pop_tensor *source,
                                                  pop_tensor *destination);
/* As popops_regroup_if_possible, for callers that add the copy themselves, from *source to *destination. */
#define popops_regroup_if_possible_apart(...) popops_regroup_if_possible_apart_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_regroup_if_possible_apart_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                       pop_compute_set transpositions, poputil_dim_grouping to,
                                                       const char *name, pop_tensor *source, pop_tensor *destination);
/* As popops_regroup_if_beneficial, for callers that add the copy themselves, from *source to *destination. */
#define popops_regroup_if_beneficial_apart(...) popops_regroup_if_beneficial_apart_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_regroup_if_beneficial_apart_at(pop_where where, pop_graph *graph, pop_tensor in,
                                                         pop_tensor like, pop_compute_set transpositions,
                                                         const char *name, pop_tensor *source, pop_tensor *destination);

POP_END_DECLS
#endif
