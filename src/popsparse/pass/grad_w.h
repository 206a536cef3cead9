/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the values of a sparse matrix, and what else is written in their order. */
#ifndef POPSPARSE_PASS_GRAD_W_H
#define POPSPARSE_PASS_GRAD_W_H

#include "popsparse/pass/pass.h"

/* The gradient of the values, in their order: that of the product's result {groups, rows, batch} times its operand
 * {groups, columns, batch}.  cells' values are not used. */
pop_tensor sparse_grad_w(const struct call *call, const struct sparse_request *request,
                         const struct sparse_cells *cells, pop_tensor grad, pop_tensor dense);
/* FLOAT {z, values}, which is 0: what each part of the batch adds to the values. */
pop_tensor sparse_value_partials(const struct call *call, const struct sparse_request *request);
/* Their sum, {values}. */
pop_tensor sparse_value_sum(const struct call *call, const struct sparse_request *request, pop_tensor partials,
                            pop_type type);

#endif
