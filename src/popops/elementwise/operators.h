/* SPDX-License-Identifier: Apache-2.0 */
/* operators.def as a table. */
#ifndef POPOPS_ELEMENTWISE_OPERATORS_H
#define POPOPS_ELEMENTWISE_OPERATORS_H

#include "poplibs/support.h"

#include <popops/element_wise.h>

/* Cycles for an element, or for a vector of the device's width. */
struct operator_cost {
    unsigned cycles;
    bool vectors;
};
struct operator_info {
    const char *name;     /* "bitwise_and" */
    const char *constant; /* "BITWISE_AND" */
    const char *node;     /* "BitwiseAnd" */
    const char *real, *other;
    unsigned types; /* bit t is set if it takes pop_type t */
    bool boolean;   /* whether its result is BOOL */
    struct operator_cost cost_float, cost_half, cost_int;
};

/* arity is 1 to 3; op is a popops_unary_op, popops_binary_op or popops_ternary_op. */
const struct operator_info *operator_of(int arity, int op);
int operator_count(int arity);
static inline const char *operator_kind(int arity)
{
    return arity == 1 ? "UnaryOpType" : arity == 2 ? "BinaryOpType" : "TernaryOpType";
}
static inline bool operator_takes(const struct operator_info *info, pop_type type)
{
    return info->types >> type & 1;
}
static inline pop_type operator_result(const struct operator_info *info, pop_type type)
{
    return info->boolean ? POP_BOOL : type;
}

/* Whether a binary operator has vertices for a broadcast second operand of a floating-point type. */
bool operator_broadcasts(int op);

#endif
