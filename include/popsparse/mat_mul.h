/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a sparse and a dense matrix whose pattern the host gives at run time.
 *
 * Options are those of popsparse/fully_connected.h without doGradAPass, doGradWPass and
 * enableStructuredRearrangements.  Errors are the same. */
#ifndef POPSPARSE_MAT_MUL_H
#define POPSPARSE_MAT_MUL_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popsparse/mat_mul_params.h>
#include <popsparse/planning_cache.h>
#include <popsparse/sparse_tensor.h>

POP_BEGIN_DECLS

#define popsparse_dynamic_create_sparse_dense_mat_mul_lhs(...)                                                         \
    popsparse_dynamic_create_sparse_dense_mat_mul_lhs_at(POP_HERE, __VA_ARGS__)
/* New variables for the sparse matrix, mapped as planned, without contents. */
POP_API popsparse_dynamic_sparse_tensor popsparse_dynamic_create_sparse_dense_mat_mul_lhs_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_dynamic_mat_mul_params *params,
    const char *name, pop_options options, popsparse_planning_cache *cache);
#define popsparse_dynamic_create_sparse_dense_mat_mul_rhs(...)                                                         \
    popsparse_dynamic_create_sparse_dense_mat_mul_rhs_at(POP_HERE, __VA_ARGS__)
/* A new dense {groups, k, n} with the layout that the plan needs; others are copied. */
POP_API pop_tensor popsparse_dynamic_create_sparse_dense_mat_mul_rhs_at(pop_where where, pop_graph *graph,
                                                                        pop_type input_type,
                                                                        const popsparse_dynamic_mat_mul_params *params,
                                                                        const char *name, pop_options options,
                                                                        popsparse_planning_cache *cache);
#define popsparse_dynamic_sparse_dense_mat_mul(...) popsparse_dynamic_sparse_dense_mat_mul_at(POP_HERE, __VA_ARGS__)
/* Adds a product to a sequence: sparse {groups, m, k} times rhs {groups, k, n} gives a new {groups, m, n}; with
 * transpose_lhs, the transposed sparse matrix times {groups, m, n} gives {groups, k, n}.  With transpose_rhs, rhs is
 * given with its last two dimensions exchanged.  lhs must say for which product it was created (its op). */
POP_API pop_tensor popsparse_dynamic_sparse_dense_mat_mul_at(pop_where where, pop_graph *graph,
                                                             popsparse_dynamic_sparse_tensor lhs, pop_tensor rhs,
                                                             pop_program sequence, bool transpose_lhs,
                                                             bool transpose_rhs, const char *name, pop_options options,
                                                             popsparse_planning_cache *cache);

POP_END_DECLS
#endif
