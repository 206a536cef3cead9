/* SPDX-License-Identifier: Apache-2.0 */
/* The k largest or smallest elements of each line along the innermost dimension.  Keys and values are HALF, FLOAT, INT
 * or UNSIGNED_INT; a NaN is larger than every number.  type_error and poplar_error otherwise. */
#ifndef POPOPS_TOP_K_H
#define POPOPS_TOP_K_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/sort_order.h>

/* The number of elements (0 gives empty results), whether the largest or the smallest, and their order.  stable: among
 * equal keys, those with the smaller index are chosen and come first. */
typedef struct popops_top_k_params {
    unsigned k;                   /* elements of each result */
    bool largest;                 /* true: the largest; false: the smallest */
    popops_sort_order sort_order; /* order of the results */
    bool stable;                  /* whether the order of equal keys is that of their indices */
} popops_top_k_params;

POP_BEGIN_DECLS

#define popops_create_top_k_input(...) popops_create_top_k_input_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor for use as the input of these calls. */
POP_API pop_tensor popops_create_top_k_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                popops_top_k_params params, const char *name);
#define popops_top_k(...) popops_top_k_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: the result is a new tensor of t's shape, with k elements along the last dimension. */
POP_API pop_tensor popops_top_k_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor t,
                                   popops_top_k_params params, const char *name);
#define popops_top_k_key_value(...) popops_top_k_key_value_at(POP_HERE, __VA_ARGS__)
/* popops_top_k of keys, with values of their shape: returns the keys; *chosen_values receives the values that belong to
 * them. */
POP_API pop_tensor popops_top_k_key_value_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor keys,
                                             pop_tensor values, popops_top_k_params params, pop_tensor *chosen_values,
                                             const char *name);
#define popops_top_k_with_permutation(...) popops_top_k_with_permutation_at(POP_HERE, __VA_ARGS__)
/* popops_top_k; *indices receives the elements' indices along the dimension, UNSIGNED_INT. */
POP_API pop_tensor popops_top_k_with_permutation_at(pop_where where, pop_graph *graph, pop_program sequence,
                                                    pop_tensor t, popops_top_k_params params, pop_tensor *indices,
                                                    const char *name);

POP_END_DECLS
#endif
