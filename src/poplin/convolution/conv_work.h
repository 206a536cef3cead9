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

/* Plans; false after an error. */
bool conv_work_begin(struct conv_work *work, const struct poplin_conv_call *call);

/* A copy, in one phase of the program, of what is no padding: that is written where it lies, in another phase, so that
 * no tile has to send zeros to all others. */
void conv_copy_and_pad(const struct conv_work *work, pop_tensor from, pop_tensor to, uint32_t pad, uint32_t copy);

/* ---- conv_operands.c ---- */
void conv_transform_operands(struct conv_work *work, pop_tensor *input, pop_tensor *weights);
pop_tensor conv_transform_output_back(struct conv_work *work, pop_tensor grouped);
/* Whether a variable of the grouped form can be seen as the given operand: no step copies elements of it. */
bool conv_input_is_a_view(const struct conv_work *work);
bool conv_weights_are_a_view(const struct conv_work *work);
/* The given operand as a view of a grouped variable. */
pop_tensor conv_input_back(struct conv_work *work, pop_tensor grouped);
pop_tensor conv_weights_back(struct conv_work *work, pop_tensor grouped);
pop_shape conv_grouped_input_shape(const struct conv_work *work, size_t *dims);
pop_shape conv_grouped_weights_shape(const struct conv_work *work, size_t *dims);

/* Whether a variable is a constant that is 0 everywhere, as padding is.  *last, {0} at first, remembers the constant
 * that was asked about last. */
struct conv_constant {
    bool known, zero;
    uint32_t variable;
};
bool conv_is_zeros(pop_where where, pop_graph *graph, uint32_t variable, struct conv_constant *last);
/* Elements indices[0 .. count) along a dimension; zeros for POPLIN_NO_INDEX. */
pop_tensor conv_gather(const struct conv_work *work, pop_tensor t, unsigned dim, const unsigned *indices, size_t count);

/* ---- conv_dilate.c: a dilated input with a kernel of one element is convolved undilated, and the output is dilated
 * ---- */
/* Whether params is of that kind, and the undilated convolution. */
bool conv_undilated(const poplin_conv_params *params, poplin_conv_params *undilated);
/* The output of params, of that of the undilated convolution. */
pop_tensor conv_dilate_output(const struct poplin_conv_call *call, pop_tensor undilated, struct conv_program *program);
/* A new tensor like this one, {groups, batch, field..., channels}, on the same tiles, whose channels stand together as
 * its do. */
pop_tensor conv_new_like(const struct poplin_conv_call *call, pop_tensor like);

/* ---- conv_stride.c: a strided convolution with a kernel of one element takes some elements of its input: they are
 * convolved without a stride ---- */
/* Whether params is of that kind, and the convolution of what is taken. */
bool conv_unstrided(const poplin_conv_params *params, poplin_conv_params *unstrided);
/* What is taken of params' input, as a view. */
pop_tensor conv_take_input(const struct poplin_conv_call *call, pop_tensor input);
/* A new input for params: what is taken of it lies like this, the rest beside. */
pop_tensor conv_new_strided_input(const struct poplin_conv_call *call, pop_tensor taken);

/* ---- conv_parts.c ---- */
struct conv_parts conv_parts_make(const struct conv_work *work, unsigned out_chan_step, unsigned in_chan_step);
pop_tensor conv_part_input(const struct conv_work *work, pop_tensor input, const struct conv_part *part, size_t g,
                           size_t c);
pop_tensor conv_part_weights(const struct conv_work *work, pop_tensor weights, const struct conv_part *part, size_t g,
                             size_t o, size_t c);
/* Maps grouped variables to tiles that need them. */
void conv_map_input(const struct conv_work *work, pop_tensor grouped);
void conv_map_weights(const struct conv_work *work, pop_tensor grouped);

/* ---- conv_places.c ---- */
/* Maps a destination anew that nothing refers to yet, so that no tile has to move much of a copy from the source in
 * small pieces. */
void conv_avoid_local_pieces(pop_where where, pop_graph *graph, pop_tensor from, pop_tensor to);

/* ---- conv_partials.c ---- */
void conv_add_partials(const struct conv_work *work, struct conv_parts *parts, pop_tensor input, pop_tensor weights);

/* ---- conv_sums.c ---- */
/* The type in which so many partials are added up. */
pop_type conv_sum_type(const struct conv_work *work, size_t depth);
/* Adds up the partials, and earlier (NULL: none), which was summed of other input channels; sums[output] has type. */
void conv_add_sums(const struct conv_work *work, const struct conv_parts *parts, const pop_tensor *earlier,
                   pop_type type, pop_tensor *sums);

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
