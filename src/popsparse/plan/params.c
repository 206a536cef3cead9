/* SPDX-License-Identifier: Apache-2.0 */
/* The public parameters of sparse operations. */
#include "poplibs/log.h"
#include "popsparse/plan/shape.h"

#include <math.h>

popsparse_sparsity_params popsparse_sparsity_params_make(size_t block_rows, size_t block_columns)
{
    return (popsparse_sparsity_params){ block_rows * block_columns == 1 ? POPSPARSE_SPARSITY_ELEMENT
                                                                        : POPSPARSE_SPARSITY_BLOCK,
                                        POPSPARSE_SPARSITY_UNSTRUCTURED,
                                        { block_rows, block_columns } };
}

/* The share of elements as a number, and back; 0 elements have the share 0. */
static size_t count_of(double ratio, size_t groups, size_t rows, size_t columns)
{
    double count = ceil(ratio * ((double)groups * (double)rows * (double)columns));
    return count > 0 && count < 1e18 ? (size_t)count : 0;
}
static double ratio_of(size_t count, size_t groups, size_t rows, size_t columns)
{
    double all = (double)groups * (double)rows * (double)columns;
    return all > 0 ? (double)count / all : 0;
}

popsparse_dynamic_fully_connected_params
popsparse_dynamic_fully_connected_params_create_with_nz_ratio(popsparse_sparsity_params sparsity_params,
                                                              double nz_ratio, size_t batch_size, size_t num_groups,
                                                              size_t input_channels, size_t output_channels)
{
    size_t count = count_of(nz_ratio, num_groups, input_channels, output_channels);
    return (popsparse_dynamic_fully_connected_params){ sparsity_params, nz_ratio,       count,          batch_size,
                                                       num_groups,      input_channels, output_channels };
}
popsparse_dynamic_fully_connected_params popsparse_dynamic_fully_connected_params_create_with_num_non_zero_values(
    popsparse_sparsity_params sparsity_params, size_t num_non_zero_elems, size_t batch_size, size_t num_groups,
    size_t input_channels, size_t output_channels)
{
    double ratio = ratio_of(num_non_zero_elems, num_groups, input_channels, output_channels);
    return (popsparse_dynamic_fully_connected_params){ sparsity_params, ratio,          num_non_zero_elems, batch_size,
                                                       num_groups,      input_channels, output_channels };
}
popsparse_dynamic_mat_mul_params
popsparse_dynamic_mat_mul_params_create_with_nz_ratio(popsparse_sparsity_params sparsity_params, double nz_ratio,
                                                      size_t num_groups, size_t m, size_t k, size_t n)
{
    return (popsparse_dynamic_mat_mul_params){
        sparsity_params, nz_ratio, count_of(nz_ratio, num_groups, m, k), num_groups, m, k, n
    };
}
popsparse_dynamic_mat_mul_params
popsparse_dynamic_mat_mul_params_create_with_num_non_zero_values(popsparse_sparsity_params sparsity_params,
                                                                 size_t num_non_zero_elems, size_t num_groups, size_t m,
                                                                 size_t k, size_t n)
{
    return (popsparse_dynamic_mat_mul_params){
        sparsity_params, ratio_of(num_non_zero_elems, num_groups, m, k), num_non_zero_elems, num_groups, m, k, n
    };
}
popsparse_static_mat_mul_params popsparse_static_mat_mul_params_create_for_sparse_dense(size_t num_groups, size_t m,
                                                                                        size_t k, size_t n)
{
    return (popsparse_static_mat_mul_params){ num_groups, m, k, n, false };
}
popsparse_static_mat_mul_params popsparse_static_mat_mul_params_create_for_dense_sparse(size_t num_groups, size_t n,
                                                                                        size_t k, size_t m)
{
    return (popsparse_static_mat_mul_params){ num_groups, m, k, n, true };
}

static pop_status validate(const struct call *call, const struct sparse_shape *shape, double ratio, pop_error *error)
{
    char text[400];
    const char *wrong = sparse_shape_wrong(shape, ratio, text, sizeof(text));
    if (!wrong)
        return POP_OK;
    if (error) {
        *error = (pop_error){ .status = POP_POPLAR_ERROR, .where = call->where };
        snprintf(error->api, sizeof(error->api), "%s", call->api);
        snprintf(error->text, sizeof(error->text), "%s", wrong);
    }
    return POP_POPLAR_ERROR;
}
pop_status popsparse_dynamic_fully_connected_params_validate_at(pop_where where,
                                                                const popsparse_dynamic_fully_connected_params *params,
                                                                pop_error *error)
{
    POPLIBS_CALL(NULL, log_none());
    struct sparse_shape shape = sparse_shape_of_fully_connected(params, POP_FLOAT);
    return validate(call, &shape, params->nz_ratio, error);
}
pop_status popsparse_dynamic_mat_mul_params_validate_at(pop_where where, const popsparse_dynamic_mat_mul_params *params,
                                                        pop_error *error)
{
    POPLIBS_CALL(NULL, log_none());
    struct sparse_shape shape = sparse_shape_of_mat_mul(params, POP_FLOAT);
    return validate(call, &shape, params->nz_ratio, error);
}
