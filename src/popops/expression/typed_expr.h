/* SPDX-License-Identifier: Apache-2.0 */
/* An expression with its operands found and its types known. */
#ifndef POPOPS_EXPRESSION_TYPED_EXPR_H
#define POPOPS_EXPRESSION_TYPED_EXPR_H

#include "popops/elementwise/operators.h"

#include <popops/expr.h>

struct typed_node {
    popops_expr_node given;
    const struct operator_info *info; /* of an operator */
    int operands;
    size_t operand[3];
    pop_type type; /* of the value */
};
struct typed_expr {
    struct typed_node *nodes; /* the last is the whole */
    size_t count, operators;
    int used[20], inputs; /* the numbers of the placeholders in it, ascending */
};

/* False and an error for a list that is no tree, placeholders without tensors, or types that do not go together. */
bool expr_type(pop_where where, pop_graph *graph, const char *api, popops_expr expr, pop_tensors tensors,
               struct typed_expr *typed);
void expr_free(struct typed_expr *typed);
/* The place of a placeholder among those used. */
int expr_input(const struct typed_expr *typed, int placeholder);

#endif
