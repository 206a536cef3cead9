/* SPDX-License-Identifier: Apache-2.0 */
/* Source of the codelet of an expression: two vertices, for one region and for several. */
#ifndef POPOPS_EXPRESSION_MAP_SOURCE_H
#define POPOPS_EXPRESSION_MAP_SOURCE_H

#include "popops/expression/typed_expr.h"

struct expr_source {
    char vertex[256], vertex_rows[256]; /* type names, derived from the expression's content */
    char *text;                         /* owned; the caller frees it */
    unsigned cycles, width;             /* estimate: cycles for each vector of `width` elements */
};

struct expr_source expr_generate(const struct typed_expr *typed, const pop_target *target, const pop_tensor *inputs,
                                 bool in_place);

#endif
