/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse operands of dynamic operations. */
#ifndef POPSPARSE_DYNAMIC_OPERANDS_H
#define POPSPARSE_DYNAMIC_OPERANDS_H

#include "popsparse/pass/pass.h"

#include <popsparse/sparse_tensor.h>

/* New variables for the sparse matrix. */
popsparse_dynamic_sparse_tensor sparse_operand_create(const struct call *call, const struct sparse_request *request);
/* Checks an operand, and gives its buckets. False after an error of the graph. */
bool sparse_operand_take(const struct call *call, const struct sparse_request *request,
                         popsparse_dynamic_sparse_tensor operand, struct sparse_cells *cells);
/* Checks a pattern alone. */
bool sparse_operand_take_pattern(const struct call *call, const struct sparse_request *request, pop_tensor meta_info,
                                 struct sparse_cells *cells);
/* Checks a dense operand: of the operation's type, and of this shape. */
bool sparse_takes_dense(const struct call *call, const struct sparse_request *request, const char *what, pop_tensor t,
                        pop_shape shape);

#endif
