/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of recurrent layers: a turn for each time step, with slices of sequences {steps, ...} read and written at
 * the step's place. */
#ifndef POPNN_STEPS_H
#define POPNN_STEPS_H

#include "poplibs/support.h"

#include <poplar/program.h>

struct steps {
    pop_where where;
    pop_graph *graph;
    pop_tensor index;  /* {1} UNSIGNED_INT */
    pop_tensor active; /* BOOL {batch, 1} or {1, 1}: whether the step is one of the sequence; null: always */
    pop_program body;  /* a sequence: what each turn does */
    size_t count;
    bool backwards; /* from the last step to the first */
    const char *name;
};

struct steps steps_begin(pop_where where, pop_graph *graph, size_t count, bool backwards, const char *name);
/* The step of a sequence, as a new tensor without the first dimension. */
pop_tensor steps_read(struct steps *steps, pop_tensor sequence);
void steps_write(struct steps *steps, pop_tensor sequence, pop_tensor step);
/* Sequences of different lengths, {batch} or {1}; null: all have all steps. */
void steps_limit(struct steps *steps, pop_tensor lengths);
/* A new tensor {batch, n}: of sequences that have the step value, of others instead, or 0 where that is null.  The
 * value itself without lengths. */
pop_tensor steps_select(struct steps *steps, pop_tensor value, pop_tensor instead);
/* Adds the loop to a sequence. */
void steps_end(struct steps *steps, pop_program sequence);

/* A new sequence {count, ...} whose steps have the layout of one. */
pop_tensor steps_new(pop_where where, pop_graph *graph, pop_tensor step, size_t count, const char *name);
/* The view {count, ...} of what came before each step: first, and all but the last of a sequence. */
pop_tensor steps_before(pop_where where, pop_tensor first, pop_tensor sequence);

#endif
