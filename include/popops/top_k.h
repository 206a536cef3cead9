/* SPDX-License-Identifier: Apache-2.0 */
/* The largest or smallest elements of each line along the innermost dimension.  Keys are HALF, FLOAT, INT or
 * UNSIGNED_INT, values these too; a NaN is larger than every number.  type_error and poplar_error otherwise. */
#ifndef POPOPS_TOP_K_H
#define POPOPS_TOP_K_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/sort_order.h>

/* How many, whether they are the largest, and in which order they come.  stable: of equal keys those with the smaller
 * index are chosen, and come first. */
typedef struct popops_top_k_params {
    unsigned k;
    bool largest;
    popops_sort_order sort_order;
    bool stable;
} popops_top_k_params;

POP_BEGIN_DECLS

#define popops_create_top_k_input(...) popops_create_top_k_input_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor that is good to choose from. */
POP_API pop_tensor popops_create_top_k_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                popops_top_k_params params, const char *name);
#define popops_top_k(...) popops_top_k_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a new tensor of t's shape, but k elements along the last dimension. */
POP_API pop_tensor popops_top_k_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor t,
                                   popops_top_k_params params, const char *name);
#define popops_top_k_key_value(...) popops_top_k_key_value_at(POP_HERE, __VA_ARGS__)
/* The same for keys, and for the values of the same shape that go with them: the result is the keys, *values gets the
 * values. */
POP_API pop_tensor popops_top_k_key_value_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor keys,
                                             pop_tensor values, popops_top_k_params params, pop_tensor *chosen_values,
                                             const char *name);
#define popops_top_k_with_permutation(...) popops_top_k_with_permutation_at(POP_HERE, __VA_ARGS__)
/* The same with the elements' indices along the dimension, UNSIGNED_INT. */
POP_API pop_tensor popops_top_k_with_permutation_at(pop_where where, pop_graph *graph, pop_program sequence,
                                                    pop_tensor t, popops_top_k_params params, pop_tensor *indices,
                                                    const char *name);

POP_END_DECLS
#endif
