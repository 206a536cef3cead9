/* SPDX-License-Identifier: Apache-2.0 */
/* Formats popops' own argument types for the call log. */
#ifndef POPOPS_ELEMENTWISE_CALL_LOG_H
#define POPOPS_ELEMENTWISE_CALL_LOG_H

#include "poplibs/log.h"
#include "popops/elementwise/operators.h"

#include <popops/element_wise.h>

/* Logs a tensor, or a number. */
static inline pop_log_argument log_operand(popops_operand operand)
{
    if (pop_tensor_valid(operand.tensor))
        return poplibs_log_tensor(NULL, operand.tensor);
    if (operand.value_type == POP_DOUBLE)
        return poplibs_log_number(NULL, operand.value.real);
    return operand.value_type == POP_LONGLONG ? poplibs_log_integer(NULL, operand.value.whole)
                                              : poplibs_log_natural(NULL, operand.value.natural);
}
/* Logs an operator of the given arity. */
static inline pop_log_argument log_operator(int arity, int op)
{
    bool known = op >= 0 && op < operator_count(arity);
    return known ? log_name(operator_of(arity, op)->name) : poplibs_log_integer(NULL, op);
}

#endif
