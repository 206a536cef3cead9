/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/elementwise/operators.h"

#include <popops/operator_types.h>

#define S(cycles)                                                                                                      \
    {                                                                                                                  \
        cycles, false                                                                                                  \
    }
#define D(cycles)                                                                                                      \
    {                                                                                                                  \
        cycles, false                                                                                                  \
    }
#define V(cycles)                                                                                                      \
    {                                                                                                                  \
        cycles, true                                                                                                   \
    }
#define IS_SAME                                                             false
#define IS_BOOL                                                             true
#define TYPE_BIT(tag, type, work, unsigned_, signed_, text, constant, none) | 1u << constant
#define ROW(name, function, constant, node, TYPES, RESULT, cost_float, cost_half, cost_int, real, other)               \
    { #name,       #constant,  #node,     #real,   #other, 0 POPOPS_TYPES_##TYPES(TYPE_BIT, ),                         \
      IS_##RESULT, cost_float, cost_half, cost_int },

#define UNARY ROW
static const struct operator_info unary[] = {
#include <popops/operators.def>
};
#undef UNARY
#define BINARY ROW
static const struct operator_info binary[] = {
#include <popops/operators.def>
};
#undef BINARY
#define TERNARY ROW
static const struct operator_info ternary[] = {
#include <popops/operators.def>
};

const struct operator_info *operator_of(int arity, int op)
{
    return arity == 1 ? &unary[op] : arity == 2 ? &binary[op] : &ternary[op];
}
int operator_count(int arity)
{
    return arity == 1 ? POPOPS_UNARY_COUNT : arity == 2 ? POPOPS_BINARY_COUNT : POPOPS_TERNARY_COUNT;
}

bool operator_broadcasts(int op)
{
#undef TERNARY
#define BROADCAST(constant) op == POPOPS_BINARY_##constant ||
    return
#include <popops/operators.def>
        false;
}
