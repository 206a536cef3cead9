/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/plan/shape.h"
#include "poplibs/support.h"

struct sparse_shape sparse_shape_of_fully_connected(const popsparse_dynamic_fully_connected_params *params,
                                                    pop_type type)
{
    const size_t *block = params->sparsity_params.block_dimensions;
    return (struct sparse_shape){ type,
                                  params->num_groups,
                                  params->output_channels_per_group,
                                  params->input_channels_per_group,
                                  params->batch_size,
                                  block[0] ? block[0] : 1,
                                  block[1] ? block[1] : 1,
                                  params->num_non_zero_values };
}

struct sparse_shape sparse_shape_of_mat_mul(const popsparse_dynamic_mat_mul_params *params, pop_type type)
{
    const size_t *block = params->sparsity_params.block_dimensions;
    return (struct sparse_shape){ type,
                                  params->num_groups,
                                  params->m,
                                  params->k,
                                  params->n,
                                  block[0] ? block[0] : 1,
                                  block[1] ? block[1] : 1,
                                  params->num_non_zero_values };
}

/* Positions in buckets are numbers of 16 bits, in blocks; so are the numbers of groups. */
enum { LARGEST = 65534 };

const char *sparse_shape_wrong(const struct sparse_shape *shape, double ratio, char *text, size_t size)
{
    double elements = (double)shape->groups * (double)shape->rows * (double)shape->columns;
    if (!(ratio >= 0 && ratio <= 1))
        pop_text_format(text, size, "the share of non-zero values is %g; it must be from 0 to 1", ratio);
    else if ((double)shape->nz > elements)
        pop_text_format(text, size, "%zu non-zero values are more than the %.0f elements of the matrix", shape->nz,
                        elements);
    else if (shape->rows % shape->block_rows || shape->columns % shape->block_columns)
        pop_text_format(text, size, "a matrix of %zu x %zu is not divided into blocks of %zu x %zu", shape->rows,
                        shape->columns, shape->block_rows, shape->block_columns);
    else if (shape->groups > LARGEST)
        pop_text_format(text, size, "%zu groups are more than %d", shape->groups, LARGEST);
    else
        return NULL;
    return text;
}
