/* SPDX-License-Identifier: Apache-2.0 */
/* An expression whose operands and types are resolved. */
#ifndef POPOPS_EXPRESSION_TYPED_EXPR_H
#define POPOPS_EXPRESSION_TYPED_EXPR_H

#include "poplibs/call.h"
#include "popops/elementwise/operators.h"

#include <popops/expr.h>

struct typed_node {
    popops_expr_node given;
    const struct operator_info *info; /* of operators, otherwise NULL */
    int operands;
    size_t operand[3];
    pop_type type; /* of the node's value */
};
struct typed_expr {
    struct typed_node *nodes; /* the last node is the root */
    size_t count, operators;
    int *used, inputs; /* the numbers of the placeholders that occur, ascending */
};

/* Resolves an expression.  False, with an error recorded, for a list that is not a tree, for placeholders without
 * tensors, and for types that do not match. */
bool expr_type(const struct call *call, popops_expr expr, pop_tensors tensors, struct typed_expr *typed);
void expr_free(struct typed_expr *typed);
/* The index of a placeholder in `used`. */
int expr_input(const struct typed_expr *typed, int placeholder);

#endif
