/* SPDX-License-Identifier: Apache-2.0 */
/* Systems of equations with triangular matrices.
 *
 * a is {..., n, n}; b is {..., n, m}, or {..., m, n} for solutions from the right; leading dimensions are equal and
 * count independent systems.  HALF or FLOAT, both of one type.  Only the named triangle of a is read, and with
 * unit_diagonal not its diagonal, which counts as ones.  Options and cache are those of poplin/mat_mul.h; mistakes are
 * poplar_error (shapes) and type_error. */
#ifndef POPLIN_TRIANGULAR_SOLVE_H
#define POPLIN_TRIANGULAR_SOLVE_H

#include <poplin/mat_mul.h>

POP_BEGIN_DECLS

#define poplin_triangular_solve(...) poplin_triangular_solve_at(POP_HERE, __VA_ARGS__)
/* x of b's shape, with a x = b, or x a = b unless left_side.  Blocks of block_size rows (0: a size chosen here) are
 * solved one after the other, the rest by products.  A diagonal element that is 0 gives infinities and NaN, as the
 * division does. */
POP_API pop_tensor poplin_triangular_solve_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                              bool left_side, bool lower, bool unit_diagonal, size_t block_size,
                                              pop_program sequence, const char *name, pop_options options,
                                              poplin_planning_cache *cache);
#define poplin_triangular_mask(...) poplin_triangular_mask_at(POP_HERE, __VA_ARGS__)
/* A new tensor: a's named triangle, zeros elsewhere, and with unit_diagonal ones on the diagonal. */
POP_API pop_tensor poplin_triangular_mask_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower,
                                             bool unit_diagonal, pop_program sequence, const char *name);

/* Variables for a and b, laid out for the call. */
#define poplin_create_triangular_solve_input_lhs(...) poplin_create_triangular_solve_input_lhs_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_create_triangular_solve_input_lhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                               pop_type output_type, pop_shape a_shape,
                                                               pop_shape b_shape, bool left_side, const char *name,
                                                               pop_options options, poplin_planning_cache *cache);
#define poplin_create_triangular_solve_input_rhs(...) poplin_create_triangular_solve_input_rhs_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_create_triangular_solve_input_rhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                               pop_type output_type, pop_shape a_shape,
                                                               pop_shape b_shape, bool left_side, const char *name,
                                                               pop_options options, poplin_planning_cache *cache);

/* The products of a solution, for poplin_preplan_mat_muls: writes at most capacity, returns how many there are; 0 for
 * shapes that do not fit. */
POP_API size_t poplin_get_triangular_solve_mat_mul_pre_plan_parameters(pop_type input_type, pop_type output_type,
                                                                       pop_shape a_shape, pop_shape b_shape,
                                                                       bool left_side, size_t block_size,
                                                                       poplin_mat_mul_params *list, size_t capacity);

POP_END_DECLS
#endif
