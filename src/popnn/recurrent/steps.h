/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of recurrent layers over time steps; each iteration reads and writes the slices of its step in sequences
 * {steps, ...}. When the sequences have lengths, the loop ends at the largest of them: sequences that it writes are 0
 * in later steps. */
#ifndef POPNN_RECURRENT_STEPS_H
#define POPNN_RECURRENT_STEPS_H

#include "poplibs/call.h"

#include <poplar/program.h>

enum { STEPS_MAX_WRITTEN = 3 };

struct steps {
    const struct call *call;
    pop_tensor index;   /* {1} UNSIGNED_INT */
    pop_tensor lengths; /* of the sequences, {batch} or {1} UNSIGNED_INT; null: all have all steps */
    pop_tensor active;  /* BOOL {batch, 1} or {1, 1}: whether a sequence has the step; null before its first use */
    pop_program body;   /* the sequence that each iteration runs */
    size_t count;
    bool backwards;
    pop_tensor written[STEPS_MAX_WRITTEN]; /* sequences that the loop writes */
    size_t num_written;
};

struct steps steps_begin(const struct call *call, size_t count, bool backwards, pop_tensor lengths);
/* Reads a step of a sequence to a new tensor, without the first dimension. */
pop_tensor steps_read(struct steps *steps, pop_tensor sequence);
void steps_write(struct steps *steps, pop_tensor sequence, pop_tensor step);
/* Selects by sequence: a new tensor {batch, n} with value for sequences that have the step, and instead (null: 0)
 * for the others. Returns value itself when there are no lengths. */
pop_tensor steps_select(struct steps *steps, pop_tensor value, pop_tensor instead);
/* Stacks n tensors {batch, size} to {n, batch, size}, with 0 for sequences that do not have the step. */
pop_tensor steps_stack(struct steps *steps, pop_tensors list);
/* Adds the loop to a sequence. */
void steps_end(struct steps *steps, pop_program sequence);

/* A new sequence {count, ...} in which each step has the layout of `step`. */
pop_tensor steps_new(const struct call *call, pop_tensor step, size_t count, const char *name);
/* A view {count, ...} of the values before each step: first, then all but the last step of a sequence. */
pop_tensor steps_before(const struct call *call, pop_tensor first, pop_tensor sequence);

#endif
