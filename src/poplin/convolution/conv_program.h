/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of convolutions that run at the same time, phase by phase: what all of them copy in a phase is one copy,
 * what they compute one compute set. A convolution that runs alone has a program of its own. */
#ifndef POPLIN_CONVOLUTION_CONV_PROGRAM_H
#define POPLIN_CONVOLUTION_CONV_PROGRAM_H

#include "poplibs/support.h"

#include <poplar/program.h>

/* Phases in order.  Those of a serial step come CONV_STEP_PHASES times its number later. */
enum conv_phase {
    CONV_TRANSPOSE, /* blocks of weights that stand along another dimension */
    CONV_TURN,      /* weights of backward passes */
    CONV_PAD_INPUT,
    CONV_ARRANGE_INPUT,
    CONV_PAD_WEIGHTS,
    CONV_ARRANGE_WEIGHTS,
    CONV_PAD_PARTS, /* what tiles have of operands; the copies come with the next phase */
    CONV_CONVOLVE,
    CONV_CAST_PARTIALS,
    CONV_REDUCE, /* three stages, or a cast where there is nothing to add up */
    CONV_LAST_REDUCE = CONV_REDUCE + 2
};
enum { CONV_STEP_PHASES = CONV_LAST_REDUCE - CONV_PAD_PARTS + 1 };
/* Dilated outputs, after all steps, and outputs that are gathered. */
#define CONV_CLEAR_OUTPUT (UINT32_MAX - 2)
#define CONV_DILATE       (UINT32_MAX - 1)
#define CONV_GATHER       UINT32_MAX

struct conv_program {
    pop_where where;
    pop_graph *graph;
    const char *name; /* of copies and executions */
    struct conv_program_phase *phases;
    size_t count, capacity;
};

struct conv_program conv_program_begin(pop_where where, pop_graph *graph, const char *name);
/* Copies run before the compute set of the phase of that number. */
void conv_program_copy(struct conv_program *program, uint32_t number, pop_tensor from, pop_tensor to);
/* The phase's compute set; who asks first names it "name/step". */
pop_compute_set conv_program_set(struct conv_program *program, uint32_t number, const char *name, const char *step);
/* A sequence that runs after the phase's compute set. */
pop_program conv_program_sequence(struct conv_program *program, uint32_t number);
/* Adds all of it to a sequence and frees it. */
void conv_program_end(struct conv_program *program, pop_program sequence);

#endif
