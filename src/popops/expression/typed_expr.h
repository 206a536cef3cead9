/* SPDX-License-Identifier: Apache-2.0 */
/* An expression with its operands found and its types known. */
#ifndef POPOPS_TYPED_EXPR_H
#define POPOPS_TYPED_EXPR_H

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

/* The nodes of a text; free them.  False and an error when it is no expression. */
bool expr_parse(pop_where where, pop_graph *graph, const char *api, const char *text, popops_expr_node **nodes,
                size_t *count);
/* False and an error for a list that is no tree, placeholders without tensors, or types that do not go together. */
bool expr_type(pop_where where, pop_graph *graph, const char *api, popops_expr expr, pop_tensors tensors,
               struct typed_expr *typed);
void expr_free(struct typed_expr *typed);
/* The place of a placeholder among those used. */
int expr_input(const struct typed_expr *typed, int placeholder);

/* What compiles an expression (map_source.c). */
struct expr_source {
    char vertex[256], vertex_rows[256]; /* type names, from the expression's content */
    char *text;                         /* free it */
    unsigned cycles, width;             /* estimate: cycles for a vector of so many elements */
};
struct expr_source expr_generate(const struct typed_expr *typed, const pop_target *target, const pop_tensor *inputs,
                                 bool in_place);

#endif
