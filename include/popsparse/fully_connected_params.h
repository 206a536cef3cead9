/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a fully connected layer with sparse weights. For each group the weights are an {output channels,
 * input channels} matrix, of which only a part is stored. */
#ifndef POPSPARSE_FULLY_CONNECTED_PARAMS_H
#define POPSPARSE_FULLY_CONNECTED_PARAMS_H

#include <poplar/error.h>
#include <popsparse/sparsity_params.h>

/* A layer. All channels are those of one group. */
typedef struct popsparse_dynamic_fully_connected_params {
    popsparse_sparsity_params sparsity_params; /* blocks of the weights */
    double nz_ratio;                           /* share of the weights that is stored, 0 to 1 */
    size_t num_non_zero_values;                /* elements that are stored, of all groups */
    size_t batch_size;                         /* rows of the input */
    size_t num_groups;                         /* independent matrices */
    size_t input_channels_per_group;           /* columns of a group's weights */
    size_t output_channels_per_group;          /* rows of a group's weights */
} popsparse_dynamic_fully_connected_params;

POP_BEGIN_DECLS

/* A layer whose weights store a share of all elements; both numbers of channels are those of one group.  The number of
 * values is the share of all elements, rounded up. */
POP_API popsparse_dynamic_fully_connected_params popsparse_dynamic_fully_connected_params_create_with_nz_ratio(
    popsparse_sparsity_params sparsity_params, double nz_ratio, size_t batch_size, size_t num_groups,
    size_t input_channels, size_t output_channels);
/* A layer whose weights store a number of elements, of all groups. */
POP_API popsparse_dynamic_fully_connected_params
popsparse_dynamic_fully_connected_params_create_with_num_non_zero_values(popsparse_sparsity_params sparsity_params,
                                                                         size_t num_non_zero_elems, size_t batch_size,
                                                                         size_t num_groups, size_t input_channels,
                                                                         size_t output_channels);

#define popsparse_dynamic_fully_connected_params_validate(...)                                                         \
    popsparse_dynamic_fully_connected_params_validate_at(POP_HERE, __VA_ARGS__)
/* Checks the parameters, as each call does.  Errors, poplar_error: a ratio that is not from 0 to 1, more values than
 * there are elements, channels that are not multiples of the block. */
POP_API pop_status popsparse_dynamic_fully_connected_params_validate_at(
    pop_where where, const popsparse_dynamic_fully_connected_params *params, pop_error *error);

POP_END_DECLS
#endif
