/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution while it is built.  Its steps: operands are transformed and grouped (conv_operands.c), split over tiles
 * (conv_parts.c), convolved by vertices (methods), summed up (conv_sums.c), and what came out is transformed back. */
#ifndef POPLIN_CONVOLUTION_CONV_WORK_H
#define POPLIN_CONVOLUTION_CONV_WORK_H

#include "poplin/convolution/conv_parts.h"
#include "poplin/convolution/conv_program.h"
#include "poplin/convolution/conv_views.h"

/* A resolved convolution, and the program that it is added to. */
struct conv_work {
    const struct conv_resolved *conv;
    struct conv_program *program;
    uint32_t step; /* serial ones before this one */
    pop_graph *graph;
    pop_where where;
};

/* A phase of the work's serial step, and the compute set of it. */
static inline uint32_t conv_step_phase(const struct conv_work *work, uint32_t phase)
{
    return phase + work->step * CONV_STEP_PHASES;
}
static inline pop_compute_set conv_step_set(const struct conv_work *work, uint32_t phase, const char *step)
{
    return conv_program_set(work->program, conv_step_phase(work, phase), work->conv->name, step);
}

#endif
