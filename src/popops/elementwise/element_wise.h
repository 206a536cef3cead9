/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of one operator: checks types, converts numbers to constants, and selects the library's vertex. */
#ifndef POPOPS_ELEMENTWISE_ELEMENT_WISE_H
#define POPOPS_ELEMENTWISE_ELEMENT_WISE_H

#include "popops/elementwise/element_graph.h"

enum element_form { ELEMENT_NEW, ELEMENT_IN_PLACE, ELEMENT_WITH_OUTPUT };
struct element_request {
    const struct call *call;
    enum element_form form;
    int arity, op;
    popops_operand operands[3];
    pop_tensor out;
    bool of_expression;      /* errors name the call; else the operator's function */
    const double *tolerance; /* of scalar_multiply.h; NULL: the default */
};

/* A number for tensors of a type: whole numbers wrap around, so that -3 is a number for an unsigned type. */
popops_operand element_number(const popops_operand *operand, pop_type type);
/* Checks and executes the request; returns the output, or the null tensor after an error. */
pop_tensor element_serve(const struct element_request *request);

#endif
