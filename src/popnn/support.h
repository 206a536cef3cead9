/* SPDX-License-Identifier: Apache-2.0 */
/* Argument checks shared by popnn's calls. */
#ifndef POPNN_SUPPORT_H
#define POPNN_SUPPORT_H

#include "poplibs/call.h"

/* Checks that t is an operand of type half or float. */
static inline bool check_floating(const struct call *call, const char *what, pop_tensor t)
{
    pop_type type = pop_tensor_type(t);
    if (!call_takes(call, what, t))
        return false;
    if (type != POP_HALF && type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "%s has elements of type %s; half or float is needed", what,
                         pop_type_name(type));
    return true;
}
/* Checks that t is a matrix of a numeric type. */
static inline bool check_rows(const struct call *call, pop_tensor t)
{
    char text[128];
    pop_type type = pop_tensor_type(t);
    if (!call_takes(call, "the input", t))
        return false;
    if (type != POP_HALF && type != POP_FLOAT && type != POP_INT && type != POP_UNSIGNED_INT)
        return call_fail(call, POP_TYPE_ERROR,
                         "the input has elements of type %s; half, float, int or unsigned int is needed",
                         pop_type_name(type));
    if (pop_tensor_rank(t) != 2)
        return call_fail(call, POP_POPLAR_ERROR, "the input has shape %s; a matrix is needed",
                         poplibs_shape_of(text, sizeof(text), t));
    return true;
}

#endif
