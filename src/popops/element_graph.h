/* SPDX-License-Identifier: Apache-2.0 */
/* A checked element-wise operation, and the vertices for it. */
#ifndef POPOPS_ELEMENT_GRAPH_H
#define POPOPS_ELEMENT_GRAPH_H

#include "popops/operators.h"

enum { ELEMENT_WISE_OPERANDS = 3 };

struct element_wise {
    pop_where where;
    pop_graph *graph;
    const struct operator_info *info;
    int arity;
    pop_type type;                             /* of the operands, which names the vertices */
    pop_tensor in[ELEMENT_WISE_OPERANDS], out; /* in the output's shape, but for scalars */
    bool scalar[ELEMENT_WISE_OPERANDS];        /* in[i] has one element that counts for all */
    bool in_place;                             /* out is in[0] */
};

/* Adds the vertices to a compute set. */
void element_wise_vertices(const struct element_wise *call, pop_compute_set set);

#endif
