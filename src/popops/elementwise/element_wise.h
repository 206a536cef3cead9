/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of one operator: types are checked, numbers become constants, and the library's vertex is found. */
#ifndef POPOPS_ELEMENTWISE_ELEMENT_WISE_H
#define POPOPS_ELEMENTWISE_ELEMENT_WISE_H

#include "popops/elementwise/element_graph.h"

enum element_form { ELEMENT_NEW, ELEMENT_IN_PLACE, ELEMENT_WITH_OUTPUT };
struct element_request {
    pop_where where;
    pop_graph *graph;
    enum element_form form;
    int arity, op;
    popops_operand operands[3];
    pop_tensor out; /* with an output */
    pop_program sequence;
    const char *name;
    const char *api; /* NULL: after the operator */
};

/* Checks the request and does it; gives the output, or null. */
pop_tensor element_serve(const struct element_request *request);

#endif
