/* SPDX-License-Identifier: Apache-2.0 */
/* One element of each row, as cross-entropy needs it. */
#ifndef POPOPS_SELECT_SCALAR_FROM_ROWS_H
#define POPOPS_SELECT_SCALAR_FROM_ROWS_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* An index that stands for no element at all. */
#define POPOPS_MASKED_LABEL 0xffffffffu

POP_BEGIN_DECLS

#define popops_select_scalar_from_rows(...) popops_select_scalar_from_rows_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: gives a new tensor {rows} with params[i][indices[i]].  params is HALF or FLOAT {rows, columns},
 * indices UNSIGNED_INT or INT {rows}.  An index that is no column gives NaN, POPOPS_MASKED_LABEL (-1) gives 0. */
POP_API pop_tensor popops_select_scalar_from_rows_at(pop_where where, pop_graph *graph, pop_tensor params,
                                                     pop_tensor indices, pop_program sequence, const char *name);

POP_END_DECLS
#endif
