/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of convolutions that run at the same time, phase by phase: all copies of a phase form one copy, all vertices
 * one compute set.  A convolution that runs alone has its own program. */
#ifndef POPLIN_CONVOLUTION_CONV_PROGRAM_H
#define POPLIN_CONVOLUTION_CONV_PROGRAM_H

#include "poplibs/call.h"

#include <poplar/program.h>

/* The phases in order.  The phases of serial step s have s * CONV_STEP_PHASES added to their number. */
enum conv_phase {
    CONV_CAST_OPERANDS, /* of QUARTER, to HALF */
    CONV_TRANSPOSE,     /* blocks of weights whose contiguous dimension changes */
    CONV_TURN,          /* weights of backward passes */
    CONV_PAD_INPUT,
    CONV_ARRANGE_INPUT,
    CONV_PAD_WEIGHTS,
    CONV_ARRANGE_WEIGHTS,
    CONV_REGROUP,   /* both operands: blocks whose contiguous dimension changes, after CONV_PAD_INPUT */
    CONV_ARRANGE,   /* both operands */
    CONV_PAD_PARTS, /* padding of the tiles' parts of operands; the copies belong to the next phase */
    CONV_CONVOLVE,
    CONV_CAST_PARTIALS,
    CONV_REDUCE, /* three stages, or a cast if there is nothing to add */
    CONV_LAST_REDUCE = CONV_REDUCE + 2
};
enum { CONV_STEP_PHASES = CONV_LAST_REDUCE - CONV_PAD_PARTS + 1 };
/* After all steps: dilated outputs, then outputs that are copied to a layout of their own. */
#define CONV_CLEAR_OUTPUT (UINT32_MAX - 2)
#define CONV_DILATE       (UINT32_MAX - 1)
#define CONV_GATHER       UINT32_MAX

struct conv_program {
    const struct call *call;
    const char *name; /* debug name of copies and executions */
    bool is_shared;   /* of several convolutions: their steps run at the same time, so that none can be a loop */
    struct conv_program_phase *phases;
    size_t count, capacity;
};

struct conv_program conv_program_begin(const struct call *call, const char *name);
/* The copies of a phase run before its compute set. */
void conv_program_copy(struct conv_program *program, uint32_t number, pop_tensor from, pop_tensor to);
/* Fills a tensor with zeros, by a copy of the phase.  Each tile has a constant as long as its longest piece of the
 * tensor, so that nothing is exchanged. */
void conv_program_fill(struct conv_program *program, uint32_t number, pop_tensor to);
/* The phase's compute set; the first caller determines its name, "name/step". */
pop_compute_set conv_program_set(struct conv_program *program, uint32_t number, const char *name, const char *step);
/* A sequence that runs after the phase's compute set. */
pop_program conv_program_sequence(struct conv_program *program, uint32_t number);
/* Adds the program to a sequence and frees it. */
void conv_program_end(struct conv_program *program, pop_program sequence);

#endif
