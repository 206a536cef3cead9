/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of expressions, by precedence climbing. */
#ifndef POPOPS_EXPRESSION_EXPR_PARSE_H
#define POPOPS_EXPRESSION_EXPR_PARSE_H

#include "poplibs/call.h"

#include <popops/expr.h>

/* Parses a text to nodes, which the caller frees.  False, with an error recorded, for a text that is not an
 * expression. */
bool expr_parse(const struct call *call, const char *text, popops_expr_node **nodes, size_t *count);

#endif
