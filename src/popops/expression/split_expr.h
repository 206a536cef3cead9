/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of more tensors than a vertex has fields for, in two: a part, and the rest, which reads the part's
 * result. */
#ifndef POPOPS_EXPRESSION_SPLIT_EXPR_H
#define POPOPS_EXPRESSION_SPLIT_EXPR_H

#include "popops/expression/typed_expr.h"

enum { EXPR_FUSED = 20 }; /* tensors of a generated codelet */

struct expr_part {
    popops_expr_node *nodes, *rest; /* of the part; of the rest, where a placeholder takes the part's place */
    size_t count, rest_count;
    pop_tensor *list; /* the tensors, and behind them the part's result, which the caller sets */
    pop_tensors tensors;
};

/* The largest operand with at most EXPR_FUSED tensors of the first operator that has more. */
struct expr_part expr_take_part(const struct typed_expr *typed, pop_tensors tensors);
void expr_part_free(struct expr_part *part);

#endif
