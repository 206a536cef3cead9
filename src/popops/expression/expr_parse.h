/* SPDX-License-Identifier: Apache-2.0 */
/* The text of an expression, by precedence climbing. */
#ifndef POPOPS_EXPRESSION_EXPR_PARSE_H
#define POPOPS_EXPRESSION_EXPR_PARSE_H

#include <popops/expr.h>

/* The nodes of a text; free them.  False and an error when it is no expression. */
bool expr_parse(pop_where where, pop_graph *graph, const char *api, const char *text, popops_expr_node **nodes,
                size_t *count);

#endif
