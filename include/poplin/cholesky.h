/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky's factors of symmetric positive definite matrices: a {..., n, n}, HALF or FLOAT, is L L' (lower) or U' U;
 * leading dimensions count independent matrices.  Only the named triangle of a is read; the factor has zeros in the
 * other.  A matrix that is not positive definite gives NaN.
 *
 * Options are those of poplin/mat_mul.h, and blockSize (64): rows that are factored at once, the rest are products. */
#ifndef POPLIN_CHOLESKY_H
#define POPLIN_CHOLESKY_H

#include <poplin/mat_mul.h>

enum { POPLIN_CHOLESKY_BLOCK_SIZE = 64 }; /* unless an option says otherwise */

POP_BEGIN_DECLS

#define poplin_cholesky(...) poplin_cholesky_at(POP_HERE, __VA_ARGS__)
/* The factor, a new tensor. */
POP_API pop_tensor poplin_cholesky_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, pop_program sequence,
                                      const char *name, pop_options options, poplin_planning_cache *cache);
#define poplin_cholesky_in_place(...) poplin_cholesky_in_place_at(POP_HERE, __VA_ARGS__)
/* a becomes its factor. */
POP_API void poplin_cholesky_in_place_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower,
                                         pop_program sequence, const char *name, pop_options options,
                                         poplin_planning_cache *cache);
#define poplin_create_cholesky_input(...) poplin_create_cholesky_input_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_create_cholesky_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                   const char *name, pop_options options, poplin_planning_cache *cache);

/* The products of a factorisation, for poplin_preplan_mat_muls: writes at most capacity, returns how many there are; 0
 * for a shape that has no factor. */
POP_API size_t poplin_get_cholesky_mat_mul_pre_plan_parameters(pop_type type, pop_shape shape, size_t block_size,
                                                               poplin_mat_mul_params *list, size_t capacity);

POP_END_DECLS
#endif
