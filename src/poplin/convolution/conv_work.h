/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution while it is built.  Operands are transformed and grouped (conv_operands.c), split over tiles
 * (conv_parts.c), convolved by vertices (methods) and summed (conv_sums.c); the output is transformed back. */
#ifndef POPLIN_CONVOLUTION_CONV_WORK_H
#define POPLIN_CONVOLUTION_CONV_WORK_H

#include "poplin/convolution/conv_parts.h"
#include "poplin/convolution/conv_program.h"
#include "poplin/convolution/conv_views.h"

struct conv_part_lists; /* conv_partials.h */

/* A resolved convolution, and the program to which it is added. */
struct conv_work {
    const struct call *call;
    const struct conv_resolved *conv;
    struct conv_program *program;
    uint32_t step;
    struct conv_part_lists *lists; /* of the latest part */
};

/* The number of a phase in the current serial step, and its compute set. */
static inline uint32_t conv_step_phase(const struct conv_work *work, uint32_t phase)
{
    return phase + work->step * CONV_STEP_PHASES;
}
static inline pop_compute_set conv_step_set(const struct conv_work *work, uint32_t phase, const char *step)
{
    return conv_program_set(work->program, conv_step_phase(work, phase), work->conv->name, step);
}

#endif
