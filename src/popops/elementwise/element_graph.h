/* SPDX-License-Identifier: Apache-2.0 */
/* A checked element-wise operation, and how vertices are added for it: for one operator (element_wise.c) or a whole
 * expression (map.c). */
#ifndef POPOPS_ELEMENTWISE_ELEMENT_GRAPH_H
#define POPOPS_ELEMENTWISE_ELEMENT_GRAPH_H

#include "poplibs/cpu_parts.h"
#include "poplibs/tiles.h"
#include "popops/elementwise/operators.h"

enum { ELEMENT_OPERANDS = 20 }; /* placeholders _1 to _20 of an expression */
/* Parts of work on a CPU device are large enough that the overhead of a part is negligible. */
enum { ELEMENT_CPU_PART_BYTES = 64 << 10 };

/* Vertex types of a binary operator whose second operand is a vector that all rows share (inner) or that has an element
 * for each row (outer); their fields are data, B, out. */
struct element_broadcast {
    const char *inner, *outer;
};

struct element_call {
    const struct call *call;
    const char *step;                 /* name of the compute set: "Op/Add" */
    const char *vertex, *vertex_rows; /* types for one region, or NULL, and for several regions */
    const char *const *fields;        /* names of the operands' fields; in place, the first is also the output */
    size_t count;
    pop_tensor given[ELEMENT_OPERANDS],
        in[ELEMENT_OPERANDS];      /* in: given, broadcast to the output's shape, or left as one element */
    bool scalar[ELEMENT_OPERANDS]; /* whether in[i] is one element */
    pop_tensor out;
    bool in_place;                             /* out is in[0] and has no field of its own */
    const struct element_broadcast *broadcast; /* vertices for a vector as second operand; NULL: none */
    bool number;                               /* the field of the second operand takes one element, not a vector */
    const double *tolerance;                   /* value of the vertices' field `tolerance`; NULL: they have none */
};

/* Broadcasts element->given to one shape, in element->in, that of element->out if it is given; false, with an error
 * recorded, if the shapes do not match. */
bool element_match(struct element_call *element);
/* Creates the output, of a type, mapped like the most evenly spread operand. */
void element_new_output(struct element_call *element, pop_type type);
/* Whether out can take a result of this type; false, with an error recorded, otherwise. */
bool element_check_output(const struct element_call *element, pop_type type);
/* Whether an operand overlaps the output in another order, so that it would be overwritten before it is read: the
 * result must then be written to a temporary and copied. */
bool element_needs_copy(const struct element_call *element);
/* Adds a compute set with the vertices to the sequence; nothing if there are no elements. */
void element_run(const struct element_call *element);

/* A call while its vertices are added: its compute set, and its operands flattened in one order. */
struct element_work {
    const struct element_call *element;
    pop_compute_set set;
    pop_tensor in[ELEMENT_OPERANDS], out;
};

#endif
