/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and operands that the dynamic operations share. */
#ifndef POPSPARSE_DYNAMIC_DYNAMIC_H
#define POPSPARSE_DYNAMIC_DYNAMIC_H

#include "popsparse/pass/pass.h"
#include "popsparse/pass/request.h"

#include <popsparse/sparse_tensor.h>

/* layer.c: requests of fully connected layers, which the embeddings tied to them share. */
bool sparse_layer_request(const struct call *call, const popsparse_dynamic_fully_connected_params *params,
                          pop_type type, popsparse_planning_cache *cache, struct sparse_request *request);
/* Checks that the plan is for a pass. A pass for which the plan was not made would find other buckets. */
bool sparse_layer_planned_for(const struct call *call, bool planned, const char *option);

/* operands.c: sparse operands of dynamic operations. */

/* New variables for the sparse matrix. */
popsparse_dynamic_sparse_tensor sparse_operand_create(const struct call *call, const struct sparse_request *request);
/* Checks an operand, and gives its buckets. False after an error of the graph. */
bool sparse_operand_take(const struct call *call, const struct sparse_request *request,
                         popsparse_dynamic_sparse_tensor operand, struct sparse_cells *cells);
/* Checks a pattern alone. */
bool sparse_operand_take_pattern(const struct call *call, const struct sparse_request *request, pop_tensor meta_info,
                                 struct sparse_cells *cells);

#endif
