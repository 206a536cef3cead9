/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/elements.h"

pop_tensor call_binary_operand(const struct call *call, popops_binary_op op, pop_tensor a, popops_operand b,
                               const char *name)
{
    return popops_binary_at(call->where, op, call->graph, popops_operand_of_tensor(a), b, call->sequence, name);
}

void call_binary_operand_in_place(const struct call *call, popops_binary_op op, pop_tensor a, popops_operand b,
                                  const char *name)
{
    popops_binary_in_place_at(call->where, op, call->graph, popops_operand_of_tensor(a), b, call->sequence, name);
}

pop_tensor call_unary(const struct call *call, popops_unary_op op, pop_tensor a, const char *name)
{
    return popops_unary_at(call->where, op, call->graph, a, call->sequence, name);
}

void call_unary_in_place(const struct call *call, popops_unary_op op, pop_tensor a, const char *name)
{
    popops_unary_in_place_at(call->where, op, call->graph, a, call->sequence, name);
}
