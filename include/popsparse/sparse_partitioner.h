/* SPDX-License-Identifier: Apache-2.0 */
/* Converts sparse matrices of the host to the contents of an operation's sparse tensors, and back.
 *
 * A partitioner is made with the parameters and options of the operation: then both have the same plan, and the sizes
 * of its results are those of the tensors.  The matrix of an operation with several groups has the groups' rows one
 * after the other: {groups x rows, columns}.  Its entries can be in any order; two at one place are an error. */
#ifndef POPSPARSE_SPARSE_PARTITIONER_H
#define POPSPARSE_SPARSE_PARTITIONER_H

#include <poplar/options.h>
#include <poplar/target.h>
#include <popsparse/fully_connected_params.h>
#include <popsparse/mat_mul_params.h>
#include <popsparse/planning_cache.h>
#include <popsparse/sparse_storage_formats.h>

/* What is written to the tensors of a sparse operand.  The arrays are the caller's (popsparse_sparsity_data_free). */
typedef struct popsparse_sparsity_data {
    size_t num_meta_info, num_nz_values; /* lengths of the arrays */
    size_t *meta_info;                   /* the pattern; each number fits into 16 bits.  Static: none */
    double *nz_values;                   /* the values, with zeros where buckets are not full */
} popsparse_sparsity_data;

typedef struct popsparse_dynamic_partitioner popsparse_dynamic_partitioner; /* owned by the caller */

POP_BEGIN_DECLS

#define popsparse_dynamic_partitioner_create(...) popsparse_dynamic_partitioner_create_at(POP_HERE, __VA_ARGS__)
/* A partitioner for a fully connected layer.  data_type: HALF or FLOAT, that of the operation.  Options are those of
 * popsparse/fully_connected.h.  NULL after an error. */
POP_API popsparse_dynamic_partitioner *
popsparse_dynamic_partitioner_create_at(pop_where where, const popsparse_dynamic_fully_connected_params *params,
                                        pop_type data_type, const pop_target *target, pop_options options,
                                        popsparse_planning_cache *cache, const char *name, pop_error *error);
#define popsparse_dynamic_partitioner_create_mat_mul(...)                                                              \
    popsparse_dynamic_partitioner_create_mat_mul_at(POP_HERE, __VA_ARGS__)
/* A partitioner for a product (popsparse/mat_mul.h). */
POP_API popsparse_dynamic_partitioner *
popsparse_dynamic_partitioner_create_mat_mul_at(pop_where where, const popsparse_dynamic_mat_mul_params *params,
                                                pop_type data_type, const pop_target *target, pop_options options,
                                                popsparse_planning_cache *cache, const char *name, pop_error *error);
POP_API void popsparse_dynamic_partitioner_destroy(popsparse_dynamic_partitioner *partitioner); /* NULL is allowed */

#define popsparse_dynamic_partitioner_create_sparsity_data(...)                                                        \
    popsparse_dynamic_partitioner_create_sparsity_data_at(POP_HERE, __VA_ARGS__)
/* Divides a matrix into buckets.  Errors, poplar_error: "CSR Validation failed" (CSC, COO) for a matrix that is not
 * consistent, two entries at one place, another block size than the operation's; "Overflow in buckets" for more values
 * than there is place for.  Values are rounded by whoever converts them to the operation's type. */
POP_API pop_status popsparse_dynamic_partitioner_create_sparsity_data_at(
    pop_where where, const popsparse_dynamic_partitioner *partitioner, const popsparse_matrix *matrix,
    popsparse_sparsity_data *data, pop_error *error);
#define popsparse_dynamic_partitioner_sparsity_data_to_matrix(...)                                                     \
    popsparse_dynamic_partitioner_sparsity_data_to_matrix_at(POP_HERE, __VA_ARGS__)
/* The matrix whose buckets these are, in a format, sorted by rows (CSC: by columns); that of COO has no size.  Error,
 * poplar_error: arrays of another length, or numbers that are no pattern. */
POP_API pop_status popsparse_dynamic_partitioner_sparsity_data_to_matrix_at(
    pop_where where, const popsparse_dynamic_partitioner *partitioner, const popsparse_sparsity_data *data,
    popsparse_format format, popsparse_matrix *matrix, pop_error *error);
/* Frees the arrays, and makes the data empty.  NULL is allowed. */
POP_API void popsparse_sparsity_data_free(popsparse_sparsity_data *data);

/* The first row (dimension 0), column (1) or batch element (2) of each of the plan's partitions.  Writes at most
 * capacity numbers and returns how many there are. */
POP_API size_t popsparse_dynamic_partitioner_get_plan_partitions(const popsparse_dynamic_partitioner *partitioner,
                                                                 unsigned dimension, size_t *starts, size_t capacity);
/* Elements of a bucket's pattern. */
POP_API size_t
popsparse_dynamic_partitioner_get_meta_info_bucket_elements(const popsparse_dynamic_partitioner *partitioner);

POP_END_DECLS
#endif
