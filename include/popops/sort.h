/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting along a dimension in ascending order.  HALF, FLOAT, INT and UNSIGNED_INT; NaN come last.  One worker sorts
 * each line, which must fit in its tile's memory.  poplar_error and index_error for shapes, type_error for other
 * types. */
#ifndef POPOPS_SORT_H
#define POPOPS_SORT_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_sort(...) popops_sort_at(POP_HERE, __VA_ARGS__)
/* A new tensor with t's elements sorted along a dimension. */
POP_API pop_tensor popops_sort_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim, pop_program sequence,
                                  const char *name);
#define popops_sort_in_place(...) popops_sort_in_place_at(POP_HERE, __VA_ARGS__)
/* Sorts t in place along a dimension. */
POP_API void popops_sort_in_place_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned dim,
                                     pop_program sequence, const char *name);
#define popops_sort_key_value(...) popops_sort_key_value_at(POP_HERE, __VA_ARGS__)
/* A new tensor with the elements of v in the order of the sorted keys k, which have v's shape.  The order of values
 * with equal keys is unspecified. */
POP_API pop_tensor popops_sort_key_value_at(pop_where where, pop_graph *graph, pop_tensor k, pop_tensor v, unsigned dim,
                                            pop_program sequence, const char *name);
#define popops_sort_key_value_in_place(...) popops_sort_key_value_in_place_at(POP_HERE, __VA_ARGS__)
/* Sorts both k and v in place. */
POP_API void popops_sort_key_value_in_place_at(pop_where where, pop_graph *graph, pop_tensor k, pop_tensor v,
                                               unsigned dim, pop_program sequence, const char *name);

POP_END_DECLS
#endif
