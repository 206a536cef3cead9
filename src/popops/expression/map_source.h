/* SPDX-License-Identifier: Apache-2.0 */
/* The codelet of an expression: two vertices, for one region and for several, around a loop over a block with a line
 * for each node. */
#ifndef POPOPS_EXPRESSION_MAP_SOURCE_H
#define POPOPS_EXPRESSION_MAP_SOURCE_H

#include "popops/expression/typed_expr.h"

struct expr_source {
    char vertex[256], vertex_rows[256]; /* type names, from the expression's content */
    char *text;                         /* free it */
    unsigned cycles, width;             /* estimate: cycles for a vector of so many elements */
};

struct expr_source expr_generate(const struct typed_expr *typed, const pop_target *target, const pop_tensor *inputs,
                                 bool in_place);

#endif
