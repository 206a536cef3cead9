/* SPDX-License-Identifier: Apache-2.0 */
/* Systems of linear equations with triangular matrices.
 *
 * a is {..., n, n}; b is {..., n, m}, or {..., m, n} for x a = b.  Leading dimensions are equal and are a batch of
 * independent systems.  Both are HALF or both FLOAT.  Only the named triangle of a is read; with unit_diagonal its
 * diagonal is not read and counts as ones.  Options and cache are those of poplin/mat_mul.h, but that
 * remapOutputTensor is false unless given (docs/concepts/accuracy.md).  Errors: poplar_error for shapes, type_error. */
#ifndef POPLIN_TRIANGULAR_SOLVE_H
#define POPLIN_TRIANGULAR_SOLVE_H

#include <poplin/mat_mul.h>

enum { POPLIN_TRIANGULAR_BLOCK_SIZE = 64 }; /* default of option blockSize */

POP_BEGIN_DECLS

#define poplin_triangular_solve(...) poplin_triangular_solve_at(POP_HERE, __VA_ARGS__)
/* Returns x, of b's shape, with a x = b, or x a = b if left_side is false.  Blocks of block_size rows (0: the library
 * chooses) are solved one after the other, the rest are matrix products.  A diagonal element of 0 gives infinities and
 * NaN, as the division does. */
POP_API pop_tensor poplin_triangular_solve_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                              bool left_side, bool lower, bool unit_diagonal, size_t block_size,
                                              pop_program sequence, const char *name, pop_options options,
                                              poplin_planning_cache *cache);
#define poplin_triangular_mask(...) poplin_triangular_mask_at(POP_HERE, __VA_ARGS__)
/* A new tensor with the named triangle of a, zeros elsewhere and, with unit_diagonal, ones on the diagonal. */
POP_API pop_tensor poplin_triangular_mask_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower,
                                             bool unit_diagonal, pop_program sequence, const char *name);

/* Variables for a and b with the layout that the call needs. */
#define poplin_create_triangular_solve_input_lhs(...) poplin_create_triangular_solve_input_lhs_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_create_triangular_solve_input_lhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                               pop_type output_type, pop_shape a_shape,
                                                               pop_shape b_shape, bool left_side, const char *name,
                                                               pop_options options, poplin_planning_cache *cache);
#define poplin_create_triangular_solve_input_rhs(...) poplin_create_triangular_solve_input_rhs_at(POP_HERE, __VA_ARGS__)
/* The right-hand sides b. */
POP_API pop_tensor poplin_create_triangular_solve_input_rhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                               pop_type output_type, pop_shape a_shape,
                                                               pop_shape b_shape, bool left_side, const char *name,
                                                               pop_options options, poplin_planning_cache *cache);

/* The matrix products of a solution, for poplin_preplan_mat_muls with the call's options but blockSize, and
 * remapOutputTensor false before them.  Writes at most capacity of them and returns their
 * number; 0 for shapes that do not match. */
POP_API size_t poplin_get_triangular_solve_mat_mul_pre_plan_parameters(pop_type input_type, pop_type output_type,
                                                                       pop_shape a_shape, pop_shape b_shape,
                                                                       bool left_side, size_t block_size,
                                                                       poplin_mat_mul_params *list, size_t capacity);

POP_END_DECLS
#endif
