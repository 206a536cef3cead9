/* SPDX-License-Identifier: Apache-2.0 */
/* A checked element-wise operation, and how it becomes vertices: for one operator (element_wise.c) or a whole
 * expression (map.c). */
#ifndef POPOPS_ELEMENTWISE_ELEMENT_GRAPH_H
#define POPOPS_ELEMENTWISE_ELEMENT_GRAPH_H

#include "poplibs/tiles.h"
#include "popops/elementwise/operators.h"

enum { ELEMENT_OPERANDS = 20 }; /* an expression has placeholders _1 to _20 */
/* Parts of large work on a CPU: the same on every machine, and none so small that starting it matters. */
enum { ELEMENT_CPU_PARTS = 64, ELEMENT_CPU_PART_BYTES = 64 << 10 };

/* Vertices of a binary operator whose second operand is a vector that rows share (inner) or that has an element for
 * each of them (outer); fields data, B, out. */
struct element_broadcast {
    const char *inner, *outer;
};

struct element_call {
    pop_where where;
    pop_graph *graph;
    const char *api; /* "popops_add" */
    pop_program sequence;
    const char *name;
    const char *step;                 /* of the compute set: "Op/Add" */
    const char *vertex, *vertex_rows; /* types for one region, or NULL, and for several */
    const char *const *fields;        /* of the operands; the first is out's in place */
    size_t count;
    pop_tensor given[ELEMENT_OPERANDS],
        in[ELEMENT_OPERANDS];      /* as they came, and in the output's shape or one element that counts for all */
    bool scalar[ELEMENT_OPERANDS]; /* in[i] is one element */
    pop_tensor out;
    bool in_place;                             /* out is in[0], and has no field of its own */
    const struct element_broadcast *broadcast; /* the second operand may be a vector for these; NULL: it is none */
    bool number;                               /* the field of the second operand takes one element, no vector */
};

/* Brings call->in into one shape; false and an error when they have none. */
bool element_match(struct element_call *call);
/* A new output of a type, laid out like the operand that is spread best. */
void element_new_output(struct element_call *call, pop_type type);
/* Whether out can be written as a result of a type; false and an error otherwise. */
bool element_check_output(const struct element_call *call, pop_type type);
/* Whether an operand would be read where the output is written already: the output has to be another first, which is
 * copied then. */
bool element_needs_copy(const struct element_call *call);
/* Adds a compute set with the vertices to the sequence; nothing without elements. */
void element_run(const struct element_call *call);

/* The vertices of a call: its set, and its operands flat, in one order. */
struct element_work {
    const struct element_call *call;
    pop_compute_set set;
    pop_tensor in[ELEMENT_OPERANDS], out;
};

#endif
