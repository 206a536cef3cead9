/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution while it is built.  Its steps: operands are transformed and grouped (conv_operands.c), split over tiles
 * (conv_parts.c), convolved by vertices (conv_partials.c), summed up (conv_sums.c), and what came out is transformed
 * back.
 *
 * Grouped operands: input {G1, C1, batch, field..., g2, c2}, weights {G1, O1, C1, kernel..., g2, o2, c2}, output {G1,
 * O1, batch, field..., g2, o2}. */
#ifndef POPLIN_CONVOLUTION_CONV_WORK_H
#define POPLIN_CONVOLUTION_CONV_WORK_H

#include "poplin/convolution/conv_build.h"

enum { CONV_MOST_DIMS = POPLIN_MOST_FIELD_DIMS + 6, CONV_MOST_STEPS = 2 * POPLIN_MOST_FIELD_DIMS + 8 };

enum conv_step_kind { CONV_FIELD_DIMS, CONV_SWAP, CONV_EXPAND, CONV_OUT_CHANS, CONV_FLATTEN, CONV_COMBINE };
/* A transformation of the plan: of a convolution with these parameters. */
struct conv_step {
    enum conv_step_kind kind;
    unsigned number; /* extra dimensions, dimension, set of dimensions or factor */
    poplin_conv_params before;
};

struct conv_work {
    const struct poplin_conv_call *call;
    struct conv_program *program; /* NULL while operands are made */
    uint32_t step;                /* serial ones before this one */
    pop_graph *graph;
    pop_where where;
    struct poplin_plan plan;
    struct conv_step steps[CONV_MOST_STEPS];
    unsigned num_steps;
    poplin_conv_params transformed; /* by all steps */
    poplin_conv_params params;      /* the same with channels padded to whole groups, and without flips */
    bool swapped;
    size_t g1, c1, o1;
    unsigned g2, c2, o2;
    size_t output_shape[POPLIN_MOST_FIELD_DIMS];
};

struct conv_range {
    size_t begin, end;
};
static inline size_t conv_range_size(struct conv_range range)
{
    return range.end - range.begin;
}
/* What a tile computes: ranges of groups of groups, of batch and output field, of the kernel, of groups of channels. */
struct conv_part {
    unsigned tile;
    struct conv_range g, n, o, c, field[POPLIN_MOST_FIELD_DIMS], kernel[POPLIN_MOST_FIELD_DIMS],
        input[POPLIN_MOST_FIELD_DIMS];
    bool empty;          /* nothing of the input meets it */
    pop_tensor partials; /* {G1, O1, batch, field..., g2, o2} of it */
};
/* Parts of one serial step: parts[output * depth + summand].  Outputs run over groups, batch, field, output channels,
 * in this order. */
struct conv_parts {
    struct conv_part *parts;
    size_t outputs, depth;
    size_t splits[POPLIN_MOST_FIELD_DIMS + 3]; /* of outputs: groups, batch, field..., output channels */
};

/* Whether a variable is a constant that is 0 everywhere, as padding is.  *last, {0} at first, remembers the constant
 * that was asked about last. */
struct conv_constant {
    bool known, zero;
    uint32_t variable;
};

/* ---- conv_dilate.c: a dilated input with a kernel of one element is convolved undilated, and the output is dilated
 * ---- */

/* ---- conv_stride.c: a strided convolution with a kernel of one element takes some elements of its input: they are
 * convolved without a stride ---- */

/* ---- conv_places.c ---- */

/* ---- conv_sums.c ---- */

/* A phase of the work's serial step, and the compute set of it. */
static inline uint32_t conv_step_phase(const struct conv_work *work, uint32_t phase)
{
    return phase + work->step * CONV_STEP_PHASES;
}
static inline pop_compute_set conv_step_set(const struct conv_work *work, uint32_t phase, const char *step)
{
    return conv_program_set(work->program, conv_step_phase(work, phase), work->call->name, step);
}

static inline pop_shape conv_shape(const size_t *dims, size_t rank)
{
    return (pop_shape){ rank, dims };
}

#endif
