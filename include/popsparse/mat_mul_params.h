/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of products of a sparse and a dense matrix. */
#ifndef POPSPARSE_MAT_MUL_PARAMS_H
#define POPSPARSE_MAT_MUL_PARAMS_H

#include <poplar/error.h>
#include <popsparse/sparsity_params.h>

#include <stdbool.h>

/* sparse {num_groups, m, k} times dense {num_groups, k, n}, with a pattern that the host gives at run time. */
typedef struct popsparse_dynamic_mat_mul_params {
    popsparse_sparsity_params sparsity_params; /* blocks of the sparse matrix */
    double nz_ratio;                           /* share of its elements that is stored, 0 to 1 */
    size_t num_non_zero_values;                /* elements that are stored, of all groups */
    size_t num_groups, m, k, n;                /* sizes */
} popsparse_dynamic_mat_mul_params;

/* A product with a pattern that is known when the graph is built: sparse {1, m, k} times dense {1, k, n}; transposed:
 * dense {1, n, k} times sparse {1, k, m}. */
typedef struct popsparse_static_mat_mul_params {
    size_t num_groups, m, k, n; /* sizes */
    bool transposed;            /* whether the dense matrix is on the left */
} popsparse_static_mat_mul_params;

POP_BEGIN_DECLS

/* A product whose sparse matrix stores a share of its elements, rounded up. */
POP_API popsparse_dynamic_mat_mul_params popsparse_dynamic_mat_mul_params_create_with_nz_ratio(
    popsparse_sparsity_params sparsity_params, double nz_ratio, size_t num_groups, size_t m, size_t k, size_t n);
/* A product whose sparse matrix stores a number of elements, of all groups. */
POP_API popsparse_dynamic_mat_mul_params popsparse_dynamic_mat_mul_params_create_with_num_non_zero_values(
    popsparse_sparsity_params sparsity_params, size_t num_non_zero_elems, size_t num_groups, size_t m, size_t k,
    size_t n);

#define popsparse_dynamic_mat_mul_params_validate(...)                                                                 \
    popsparse_dynamic_mat_mul_params_validate_at(POP_HERE, __VA_ARGS__)
/* Checks the parameters, as popsparse_dynamic_fully_connected_params_validate. */
POP_API pop_status popsparse_dynamic_mat_mul_params_validate_at(pop_where where,
                                                                const popsparse_dynamic_mat_mul_params *params,
                                                                pop_error *error);

/* sparse {num_groups, m, k} times dense {num_groups, k, n}. */
POP_API popsparse_static_mat_mul_params popsparse_static_mat_mul_params_create_for_sparse_dense(size_t num_groups,
                                                                                                size_t m, size_t k,
                                                                                                size_t n);
/* dense {num_groups, n, k} times sparse {num_groups, k, m}. */
POP_API popsparse_static_mat_mul_params popsparse_static_mat_mul_params_create_for_dense_sparse(size_t num_groups,
                                                                                                size_t n, size_t k,
                                                                                                size_t m);

POP_END_DECLS
#endif
