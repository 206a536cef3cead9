/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of recurrent layers over time steps; each iteration reads and writes the slices of its step in sequences
 * {steps, ...}. */
#ifndef POPNN_RECURRENT_STEPS_H
#define POPNN_RECURRENT_STEPS_H

#include "poplibs/call.h"

#include <poplar/program.h>

struct steps {
    const struct call *call;
    pop_tensor index;  /* {1} UNSIGNED_INT */
    pop_tensor active; /* BOOL {batch, 1} or {1, 1}: whether a sequence has the step; null: always */
    pop_program body;  /* the sequence that each iteration runs */
    size_t count;
    bool backwards;
};

struct steps steps_begin(const struct call *call, size_t count, bool backwards);
/* Reads a step of a sequence to a new tensor, without the first dimension. */
pop_tensor steps_read(struct steps *steps, pop_tensor sequence);
void steps_write(struct steps *steps, pop_tensor sequence, pop_tensor step);
/* Sets the lengths of the sequences, {batch} or {1}; null: all have all steps. */
void steps_limit(struct steps *steps, pop_tensor lengths);
/* Selects by sequence: a new tensor {batch, n} with value for sequences that have the step, and instead (null: 0)
 * for the others. Returns value itself when no lengths are set. */
pop_tensor steps_select(struct steps *steps, pop_tensor value, pop_tensor instead);
/* Adds the loop to a sequence. */
void steps_end(struct steps *steps, pop_program sequence);

/* A new sequence {count, ...} in which each step has the layout of `step`. */
pop_tensor steps_new(const struct call *call, pop_tensor step, size_t count, const char *name);
/* A view {count, ...} of the values before each step: first, then all but the last step of a sequence. */
pop_tensor steps_before(const struct call *call, pop_tensor first, pop_tensor sequence);

#endif
