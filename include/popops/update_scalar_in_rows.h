/* SPDX-License-Identifier: Apache-2.0 */
/* Subtraction of 1 from one element of each row, for the gradient of cross-entropy. */
#ifndef POPOPS_UPDATE_SCALAR_IN_ROWS_H
#define POPOPS_UPDATE_SCALAR_IN_ROWS_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popops/select_scalar_from_rows.h>

POP_BEGIN_DECLS

#define popops_update_scalar_in_rows(...) popops_update_scalar_in_rows_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: params[i][indices[i]] -= 1, with the types and shapes of popops_select_scalar_from_rows.  An
 * index that is not a column sets the row to NaN; POPOPS_MASKED_LABEL (-1) leaves it unchanged. */
POP_API void popops_update_scalar_in_rows_at(pop_where where, pop_graph *graph, pop_tensor params, pop_tensor indices,
                                             pop_program sequence, const char *name);

POP_END_DECLS
#endif
