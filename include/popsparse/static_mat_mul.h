/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a sparse and a dense matrix whose pattern is known when the graph is built: the program has the pattern,
 * and the host writes values alone.  There is one group.
 *
 *   sparse x dense   sparse {m, k}, dense {1, k, n}, result {1, m, n}
 *   dense x sparse   dense {1, n, k}, sparse {k, m}, result {1, n, m}
 *
 * The sparse matrix is given as CSR (or in another format), whose values are not read.  Blocks can have any size that
 * divides the matrix.  Rows without values give 0.
 *
 * Options, the same for an operand, its products and its partitioner: "availableMemoryProportion" (0.6); "numBands" and
 * "nSplit" (0: as planned), into how many parts k and n are split, where the latter must divide n; "verboseLogging"
 * (false): plans are logged at level INFO instead of DEBUG.  "enablePreprocessing" has no effect, with a warning: rows
 * and columns keep their order.  Errors: poplar_error, type_error, invalid_option. */
#ifndef POPSPARSE_STATIC_MAT_MUL_H
#define POPSPARSE_STATIC_MAT_MUL_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popsparse/mat_mul_params.h>
#include <popsparse/planning_cache.h>
#include <popsparse/sparse_partitioner.h>
#include <popsparse/sparse_storage_formats.h>

/* A sparse operand: the values, and what the call that created it knows of their pattern. */
typedef struct popsparse_static_sparse_tensor {
    pop_tensor nz_values; /* HALF or FLOAT, rank 1: the values */
    pop_tensor pattern;   /* a constant of the library */
    const char *op;       /* the product it was created for: a text that the graph owns */
} popsparse_static_sparse_tensor;

typedef struct popsparse_static_partitioner popsparse_static_partitioner; /* owned by the caller */

POP_BEGIN_DECLS

#define popsparse_static_create_sparse_dense_mat_mul_lhs(...)                                                          \
    popsparse_static_create_sparse_dense_mat_mul_lhs_at(POP_HERE, __VA_ARGS__)
/* A new sparse operand for sparse x dense.  The values are undefined until the host writes what its partitioner makes.
 */
POP_API popsparse_static_sparse_tensor popsparse_static_create_sparse_dense_mat_mul_lhs_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_static_mat_mul_params *params,
    const popsparse_matrix *matrix, const char *name, pop_options options, popsparse_planning_cache *cache);
#define popsparse_static_create_dense_sparse_mat_mul_rhs(...)                                                          \
    popsparse_static_create_dense_sparse_mat_mul_rhs_at(POP_HERE, __VA_ARGS__)
/* A new sparse operand for dense x sparse. */
POP_API popsparse_static_sparse_tensor popsparse_static_create_dense_sparse_mat_mul_rhs_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_static_mat_mul_params *params,
    const popsparse_matrix *matrix, const char *name, pop_options options, popsparse_planning_cache *cache);
#define popsparse_static_create_sparse_dense_mat_mul_rhs(...)                                                          \
    popsparse_static_create_sparse_dense_mat_mul_rhs_at(POP_HERE, __VA_ARGS__)
/* A new dense {1, k, n} for sparse x dense, with the layout that the plan needs; others are copied. */
POP_API pop_tensor popsparse_static_create_sparse_dense_mat_mul_rhs_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_static_mat_mul_params *params,
    const popsparse_matrix *matrix, const char *name, pop_options options, popsparse_planning_cache *cache);
#define popsparse_static_create_dense_sparse_mat_mul_lhs(...)                                                          \
    popsparse_static_create_dense_sparse_mat_mul_lhs_at(POP_HERE, __VA_ARGS__)
/* A new dense {1, n, k} for dense x sparse. */
POP_API pop_tensor popsparse_static_create_dense_sparse_mat_mul_lhs_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_static_mat_mul_params *params,
    const popsparse_matrix *matrix, const char *name, pop_options options, popsparse_planning_cache *cache);

#define popsparse_static_sparse_dense_mat_mul(...) popsparse_static_sparse_dense_mat_mul_at(POP_HERE, __VA_ARGS__)
/* Adds sparse x dense to a sequence; the result is new.  With transpose_rhs the dense operand is {1, n, k}.  The sparse
 * one cannot be transposed: poplar_error. */
POP_API pop_tensor popsparse_static_sparse_dense_mat_mul_at(pop_where where, pop_graph *graph,
                                                            popsparse_static_sparse_tensor lhs, pop_tensor rhs,
                                                            pop_program sequence, bool transpose_lhs,
                                                            bool transpose_rhs, const char *name, pop_options options,
                                                            popsparse_planning_cache *cache);
#define popsparse_static_dense_sparse_mat_mul(...) popsparse_static_dense_sparse_mat_mul_at(POP_HERE, __VA_ARGS__)
/* Adds dense x sparse to a sequence; the result is new.  With transpose_lhs the dense operand is {1, k, n}. */
POP_API pop_tensor popsparse_static_dense_sparse_mat_mul_at(pop_where where, pop_graph *graph, pop_tensor lhs,
                                                            popsparse_static_sparse_tensor rhs, pop_program sequence,
                                                            bool transpose_lhs, bool transpose_rhs, const char *name,
                                                            pop_options options, popsparse_planning_cache *cache);

#define popsparse_static_partitioner_create(...) popsparse_static_partitioner_create_at(POP_HERE, __VA_ARGS__)
/* A partitioner for a product's values.  NULL after an error. */
POP_API popsparse_static_partitioner *
popsparse_static_partitioner_create_at(pop_where where, const popsparse_static_mat_mul_params *params,
                                       pop_type data_type, const pop_target *target, pop_options options,
                                       popsparse_planning_cache *cache, const char *name, pop_error *error);
POP_API void popsparse_static_partitioner_destroy(popsparse_static_partitioner *partitioner); /* NULL is allowed */
#define popsparse_static_partitioner_create_sparsity_data(...)                                                         \
    popsparse_static_partitioner_create_sparsity_data_at(POP_HERE, __VA_ARGS__)
/* What is written to nz_values of an operand that was created with a matrix of this pattern; there is no meta
 * information.  The partitioner keeps the pattern.  Errors are those of a dynamic partitioner. */
POP_API pop_status popsparse_static_partitioner_create_sparsity_data_at(pop_where where,
                                                                        popsparse_static_partitioner *partitioner,
                                                                        const popsparse_matrix *matrix,
                                                                        popsparse_sparsity_data *data,
                                                                        pop_error *error);
#define popsparse_static_partitioner_sparsity_data_to_matrix(...)                                                      \
    popsparse_static_partitioner_sparsity_data_to_matrix_at(POP_HERE, __VA_ARGS__)
/* The matrix of these values, with the pattern of the last matrix that the partitioner was given.  Error, poplar_error:
 * "Sparsity representation does not match" where there are other numbers of values than that pattern has. */
POP_API pop_status popsparse_static_partitioner_sparsity_data_to_matrix_at(
    pop_where where, const popsparse_static_partitioner *partitioner, const popsparse_sparsity_data *data,
    popsparse_format format, popsparse_matrix *matrix, pop_error *error);

POP_END_DECLS
#endif
