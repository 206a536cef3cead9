/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise operations in a call's sequence. */
#ifndef POPLIBS_ELEMENTS_H
#define POPLIBS_ELEMENTS_H

#include "poplibs/call.h"

#include <popops/element_wise.h>

static inline popops_operand call_operand(popops_operand operand)
{
    return operand;
}
/* An operand of a tensor; an operand stays one. */
#define CALL_OPERAND(x) _Generic((x), pop_tensor : popops_operand_of_tensor, popops_operand : call_operand)(x)

/* b: a tensor or an operand. */
#define call_binary(call, op, a, b, name)          call_binary_operand(call, op, a, CALL_OPERAND(b), name)
#define call_binary_in_place(call, op, a, b, name) call_binary_operand_in_place(call, op, a, CALL_OPERAND(b), name)
pop_tensor call_binary_operand(const struct call *call, popops_binary_op op, pop_tensor a, popops_operand b,
                               const char *name);
void call_binary_operand_in_place(const struct call *call, popops_binary_op op, pop_tensor a, popops_operand b,
                                  const char *name);
pop_tensor call_unary(const struct call *call, popops_unary_op op, pop_tensor a, const char *name);
void call_unary_in_place(const struct call *call, popops_unary_op op, pop_tensor a, const char *name);

#endif
