/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky factorisation of symmetric positive definite matrices: a {..., n, n}, HALF or FLOAT, is L L' (lower) or U'
 * U. Leading dimensions are a batch of independent matrices.  Only the named triangle of a is read; the other triangle
 * of the factor is zero.  A matrix that is not positive definite gives NaN.
 *
 * Options are those of poplin/mat_mul.h, and blockSize (8): the number of rows that are factored at once; the rest are
 * matrix products. */
#ifndef POPLIN_CHOLESKY_H
#define POPLIN_CHOLESKY_H

#include <poplin/mat_mul.h>

enum { POPLIN_CHOLESKY_BLOCK_SIZE = 8 }; /* default of option blockSize */

POP_BEGIN_DECLS

#define poplin_cholesky(...) poplin_cholesky_at(POP_HERE, __VA_ARGS__)
/* Returns the factor in a new tensor. */
POP_API pop_tensor poplin_cholesky_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, pop_program sequence,
                                      const char *name, pop_options options, poplin_planning_cache *cache);
#define poplin_cholesky_in_place(...) poplin_cholesky_in_place_at(POP_HERE, __VA_ARGS__)
/* Replaces a by its factor. */
POP_API void poplin_cholesky_in_place_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower,
                                         pop_program sequence, const char *name, pop_options options,
                                         poplin_planning_cache *cache);
#define poplin_create_cholesky_input(...) poplin_create_cholesky_input_at(POP_HERE, __VA_ARGS__)
/* A variable for a, of this shape, with the layout that the factorisation to this factor needs. */
POP_API pop_tensor poplin_create_cholesky_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                   bool lower, const char *name, pop_options options,
                                                   poplin_planning_cache *cache);

/* The matrix products of a factorisation, for poplin_preplan_mat_muls with the call's options but blockSize, and
 * remapOutputTensor false before them.  Writes at most capacity of them and returns
 * their number; 0 for a shape that cannot be factored. */
POP_API size_t poplin_get_cholesky_mat_mul_pre_plan_parameters(pop_type type, pop_shape shape, bool lower,
                                                               size_t block_size, poplin_mat_mul_params *list,
                                                               size_t capacity);

POP_END_DECLS
#endif
