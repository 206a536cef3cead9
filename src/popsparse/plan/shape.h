/* SPDX-License-Identifier: Apache-2.0 */
/* What a sparse operation multiplies: for each group a sparse {rows, columns} matrix with a dense {columns, batch} one.
 * Numbers are elements, unless they are named blocks. */
#ifndef POPSPARSE_PLAN_SHAPE_H
#define POPSPARSE_PLAN_SHAPE_H

#include <poplar/target.h>
#include <popsparse/fully_connected_params.h>
#include <popsparse/mat_mul_params.h>

struct sparse_shape {
    pop_type type; /* HALF or FLOAT */
    size_t groups, rows, columns, batch;
    size_t block_rows, block_columns;
    size_t nz; /* elements to be stored, of all groups */
};

static inline size_t sparse_block_area(const struct sparse_shape *shape)
{
    return shape->block_rows * shape->block_columns;
}

struct sparse_shape sparse_shape_of_fully_connected(const popsparse_dynamic_fully_connected_params *params,
                                                    pop_type type);
struct sparse_shape sparse_shape_of_mat_mul(const popsparse_dynamic_mat_mul_params *params, pop_type type);
/* What is wrong with parameters, as a text; NULL: nothing. ratio: the parameters' nz_ratio. */
const char *sparse_shape_wrong(const struct sparse_shape *shape, double ratio, char *text, size_t size);

#endif
