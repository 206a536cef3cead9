/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of one element of each row, for cross-entropy. */
#ifndef POPOPS_SELECT_SCALAR_FROM_ROWS_H
#define POPOPS_SELECT_SCALAR_FROM_ROWS_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* An index that selects no element. */
#define POPOPS_MASKED_LABEL 0xffffffffu

POP_BEGIN_DECLS

#define popops_select_scalar_from_rows(...) popops_select_scalar_from_rows_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: copies params[i][indices[i]] to a new tensor {rows}.  params is HALF or FLOAT {rows, columns},
 * indices UNSIGNED_INT or INT {rows}.  An index that is not a column gives NaN, POPOPS_MASKED_LABEL (-1) gives 0. */
POP_API pop_tensor popops_select_scalar_from_rows_at(pop_where where, pop_graph *graph, pop_tensor params,
                                                     pop_tensor indices, pop_program sequence, const char *name);

POP_END_DECLS
#endif
