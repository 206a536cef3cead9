/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the plan's transforms to operands, and their inverses to the output and to new operands.  Here operands have
 * dimensions {groups, batch, field..., channels} and {groups, kernel..., output channels, input channels}. */
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"
#include "poplin/planner/method.h"

#include <assert.h>
#include <poplin/conv_util.h>

/* ---- views ---- */

static pop_tensor roll(const struct conv_resolved *conv, pop_tensor t, unsigned from, unsigned to)
{
    const struct call *call = conv->call;
    return pop_tensor_dim_roll(t, from, to);
}
static pop_tensor flatten(const struct conv_resolved *conv, pop_tensor t, unsigned begin, unsigned end)
{
    const struct call *call = conv->call;
    return pop_tensor_flatten_dims(t, begin, end);
}
static pop_tensor split_dim(const struct conv_resolved *conv, pop_tensor t, unsigned dim, size_t outer, size_t inner)
{
    const struct call *call = conv->call;
    return pop_tensor_reshape_partial(t, dim, dim + 1, POP_SHAPE(outer, inner));
}
static pop_tensor insert_ones(const struct conv_resolved *conv, pop_tensor t, unsigned dim, unsigned count)
{
    const struct call *call = conv->call;
    size_t ones[POPLIN_MAX_FIELD_DIMS] = { 1, 1, 1, 1, 1, 1 };
    return count ? pop_tensor_reshape_partial(t, dim, dim, conv_shape(ones, count)) : t;
}
static pop_tensor remove_ones(const struct conv_resolved *conv, pop_tensor t, unsigned dim, unsigned count)
{
    const struct call *call = conv->call;
    return count ? pop_tensor_reshape_partial(t, dim, dim + count, POP_SHAPE()) : t;
}

/* ---- expanded kernel dimensions: position k of channel i becomes input channel k I + i ---- */

/* The parameters without the output transform along a dimension, if the expanded input has the positions before that
 * transform. */
static poplin_conv_params output_left_alone(const poplin_conv_params *params, unsigned dim, size_t positions)
{
    poplin_conv_params found = *params;
    if (positions != poplin_conv_output_size(params, dim)) {
        found.output_transform.truncation_lower[dim] = found.output_transform.truncation_upper[dim] = 0;
        found.output_transform.padding_lower[dim] = found.output_transform.padding_upper[dim] = 0;
        if (positions != poplin_conv_output_size(&found, dim))
            found.output_transform.stride[dim] = 1;
    }
    return found;
}

static pop_tensor expand_input(const struct conv_resolved *conv, const struct params_step *step,
                               const poplin_conv_params *after, pop_tensor input)
{
    const struct call *call = conv->call;
    unsigned dim = step->number;
    size_t positions = after->input_field_shape[dim],
           kernel = after->input_channels_per_conv_group / step->before.input_channels_per_conv_group;
    size_t first = kernel == step->before.kernel_shape[dim] ? 0 : step->before.kernel_transform.truncation_lower[dim];
    poplin_conv_params params = output_left_alone(&step->before, dim, positions);
    unsigned *indices = poplibs_new(positions, sizeof(*indices));
    pop_tensor *parts = poplibs_new(kernel, sizeof(*parts));
    for (size_t k = 0; k < kernel; ++k) {
        for (size_t o = 0; o < positions; ++o)
            indices[o] = poplin_get_input_index(dim, (unsigned)o, (unsigned)(first + k), &params);
        parts[k] = conv_gather(call, input, 2 + dim, indices, positions);
    }
    pop_tensor made = pop_tensor_concat((pop_tensors){ kernel, parts }, (unsigned)pop_tensor_rank(input) - 1);
    free(indices);
    free(parts);
    return made;
}
static pop_tensor expand_weights(const struct conv_resolved *conv, const struct params_step *step,
                                 const poplin_conv_params *after, pop_tensor weights)
{
    const struct call *call = conv->call;
    unsigned dim = 1 + step->number, rank = (unsigned)pop_tensor_rank(weights);
    size_t kernel = after->input_channels_per_conv_group / step->before.input_channels_per_conv_group;
    size_t first = kernel == step->before.kernel_shape[step->number]
                       ? 0
                       : step->before.kernel_transform.truncation_lower[step->number];
    pop_tensor used = pop_tensor_slice(weights, first, first + kernel, dim);
    return insert_ones(conv, flatten(conv, roll(conv, used, dim, rank - 2), rank - 2, rank), dim, 1);
}

/* ---- flattened output dimensions: position p of channel o becomes output channel p O + o, and input positions become
 * input channels ---- */

static pop_tensor field_to_in_chans(const struct conv_resolved *conv, unsigned d, const poplin_conv_params *before,
                                    pop_tensor input)
{
    const struct call *call = conv->call;
    unsigned dim = 2 + d, rank = (unsigned)pop_tensor_rank(input), first = before->input_transform.truncation_lower[d];
    input = pop_tensor_slice(input, first, first + poplin_conv_truncated_input_size(before, d), dim);
    return insert_ones(conv, flatten(conv, roll(conv, input, dim, rank - 2), rank - 2, rank), dim, 1);
}
static pop_tensor weights_of_positions(const struct conv_resolved *conv, unsigned d, const poplin_conv_params *params,
                                       pop_tensor weights)
{
    const struct call *call = conv->call;
    unsigned dim = 1 + d, rank = (unsigned)pop_tensor_rank(weights);
    size_t outs = poplin_conv_output_size(params, d), ins = poplin_conv_truncated_input_size(params, d);
    unsigned first = params->input_transform.truncation_lower[d], *indices = poplibs_new(ins, sizeof(*indices));
    pop_tensor *parts = poplibs_new(outs, sizeof(*parts));
    for (size_t o = 0; o < outs; ++o) {
        for (size_t i = 0; i < ins; ++i)
            indices[i] = poplin_get_kernel_index(d, (unsigned)o, first + (unsigned)i, params);
        pop_tensor rows = conv_gather(call, weights, dim, indices, ins); /* {groups, ..., inputs, ..., out, in} */
        parts[o] = insert_ones(conv, flatten(conv, roll(conv, rows, dim, rank - 2), rank - 2, rank), dim, 1);
    }
    pop_tensor made = pop_tensor_concat((pop_tensors){ outs, parts }, rank - 2);
    free(indices);
    free(parts);
    return made;
}

/* ---- flattened batch and field dimensions ---- */

/* The flattened dimensions are moved directly before the one that absorbs them; the set is processed in ascending
 * order. */
static pop_tensor flatten_field(const struct conv_resolved *conv, unsigned set, pop_tensor t)
{
    unsigned highest = 31 - (unsigned)__builtin_clz(set), taken = 0;
    for (unsigned bit = 0; bit < highest; ++bit)
        if (set >> bit & 1)
            t = roll(conv, t, 1 + bit - taken++, highest); /* to the place before `highest`, which moves down by one */
    t = flatten(conv, t, 1 + highest - taken, 2 + highest);
    for (unsigned bit = 0; bit < highest; ++bit)
        if (set >> bit & 1)
            t = insert_ones(conv, t, 1 + bit, 1);
    return t;
}
static pop_tensor unflatten_field(const struct conv_resolved *conv, unsigned set, const size_t *sizes, pop_tensor t)
{
    const struct call *call = conv->call;
    unsigned highest = 31 - (unsigned)__builtin_clz(set), taken = 0;
    size_t dims[POPLIN_MAX_FIELD_DIMS + 1], count = 0;
    for (unsigned bit = highest; bit-- > 0;)
        if (set >> bit & 1)
            t = remove_ones(conv, t, 1 + bit, 1), ++taken;
    for (unsigned bit = 0; bit <= highest; ++bit)
        if (set >> bit & 1)
            dims[count++] = sizes[bit];
    t = pop_tensor_reshape_partial(t, 1 + highest - taken, 2 + highest - taken, conv_shape(dims, count));
    for (unsigned bit = 0, at = 0; bit < highest; ++bit)
        if (set >> bit & 1)
            t = roll(conv, t, 1 + highest - taken + at++, 1 + bit);
    return t;
}

/* ---- combined groups of convolutions: weights between channels of different groups are zero ---- */

static pop_tensor combine_input(const struct conv_resolved *conv, unsigned factor, pop_tensor t)
{
    unsigned rank = (unsigned)pop_tensor_rank(t);
    size_t groups = pop_tensor_dim(t, 0), whole = poplibs_ceil_div(groups, factor);
    t = split_dim(conv, conv_pad(conv->call, t, 0, 0, whole * factor - groups), 0, whole, factor);
    return flatten(conv, roll(conv, t, 1, rank - 1), rank - 1, rank + 1);
}
static pop_tensor combine_weights(const struct conv_resolved *conv, unsigned factor, pop_tensor t)
{
    const struct call *call = conv->call;
    unsigned rank = (unsigned)pop_tensor_rank(t);
    size_t groups = pop_tensor_dim(t, 0), whole = poplibs_ceil_div(groups, factor), ins = pop_tensor_dim(t, rank - 1);
    pop_tensor *parts = poplibs_new(factor, sizeof(*parts));
    t = split_dim(conv, conv_pad(call, t, 0, 0, whole * factor - groups), 0, whole, factor);
    for (unsigned i = 0; i < factor; ++i) {
        pop_tensor one = remove_ones(conv, pop_tensor_slice(t, i, i + 1, 1), 1, 1);
        parts[i] = conv_pad(call, one, rank - 1, i * ins, (factor - 1 - i) * ins);
    }
    pop_tensor made = pop_tensor_concat((pop_tensors){ factor, parts }, rank - 2);
    free(parts);
    return made;
}

/* Splits the channels of a combined input or output into their original groups. */
static pop_tensor separate(const struct conv_resolved *conv, const struct params_step *step, pop_tensor t,
                           size_t channels)
{
    const struct call *call = conv->call;
    unsigned rank = (unsigned)pop_tensor_rank(t);
    t = roll(conv, split_dim(conv, t, rank - 1, step->number, channels), rank - 1, 1);
    return pop_tensor_slice(flatten(conv, t, 0, 2), 0, step->before.num_conv_groups, 0);
}

/* ---- all steps ---- */

static void step_forward(const struct conv_resolved *conv, const struct params_step *step,
                         const poplin_conv_params *after, pop_tensor *input, pop_tensor *weights)
{
    unsigned dims = (unsigned)step->before.num_field_dims;
    switch (step->kind) {
    case POPLIN_STEP_FIELD_DIMS:
        *input = insert_ones(conv, *input, 2, step->number);
        *weights = insert_ones(conv, *weights, 1, step->number);
        break;
    case POPLIN_STEP_SWAP: {
        pop_tensor other = roll(conv, *weights, dims + 1, 1);
        *weights = roll(conv, *input, 1, dims + 1);
        *input = other;
        break;
    }
    case POPLIN_STEP_EXCHANGE: { /* {groups, 1..., columns, channels} are weights as they are */
        pop_tensor other = roll(conv, *weights, dims + 1, 1);
        *weights = *input;
        *input = other;
        break;
    }
    case POPLIN_STEP_EXPAND:
        *input = expand_input(conv, step, after, *input);
        *weights = expand_weights(conv, step, after, *weights);
        break;
    case POPLIN_STEP_OUT_CHANS: {
        poplin_conv_params before = step->before;
        for (unsigned d = 0; d < dims; ++d)
            if (step->number >> d & 1) {
                *weights = weights_of_positions(conv, d, &before, *weights);
                *input = field_to_in_chans(conv, d, &before, *input);
                before = params_flatten_out_chans(&before, 1u << d);
            }
        break;
    }
    case POPLIN_STEP_FLATTEN:
        *input = flatten_field(conv, step->number, *input);
        break;
    case POPLIN_STEP_COMBINE:
        *input = combine_input(conv, step->number, *input);
        *weights = combine_weights(conv, step->number, *weights);
        break;
    }
}

static const poplin_conv_params *after_step(const struct conv_resolved *conv, unsigned i)
{
    return i + 1 < conv->transformed.count ? &conv->transformed.steps[i + 1].before : &conv->transformed.params;
}

/* {groups, ..., channels}, padded, to {G1, C1, ..., g2, c2}; and the inverse without the padding. */
static pop_tensor group(const struct conv_resolved *conv, pop_tensor t, size_t outer_groups, unsigned g2, size_t outer,
                        unsigned inner)
{
    unsigned rank = (unsigned)pop_tensor_rank(t);
    t = conv_pad(conv->call, t, 0, 0, outer_groups * g2 - pop_tensor_dim(t, 0));
    t = conv_pad(conv->call, t, rank - 1, 0, outer * inner - pop_tensor_dim(t, rank - 1));
    t = split_dim(conv, split_dim(conv, t, rank - 1, outer, inner), 0, outer_groups, g2); /* {G1, g2, ..., C1, c2} */
    return roll(conv, roll(conv, t, rank, 1), 2, rank);
}
static pop_tensor ungroup(const struct conv_resolved *conv, pop_tensor t, size_t groups, size_t channels)
{
    const struct call *call = conv->call;
    unsigned rank = (unsigned)pop_tensor_rank(t);
    t = roll(conv, roll(conv, t, rank - 2, 1), 2, rank - 2); /* {G1, g2, ..., C1, c2} */
    t = flatten(conv, flatten(conv, t, rank - 2, rank), 0, 2);
    t = pop_tensor_slice(t, 0, groups, 0);
    return pop_tensor_slice(t, 0, channels, rank - 3);
}

/* Reverses dimensions, unless vertices read flipped operands as they are. */
static pop_tensor flip(const struct conv_resolved *conv, pop_tensor t, const bool *flips, unsigned first)
{
    const struct call *call = conv->call;
    for (unsigned d = 0; d < conv->plan.num_field_dims && !conv->plan.method->reads_flipped; ++d)
        if (flips[d])
            t = pop_tensor_reverse(t, first + d);
    return t;
}

/* {G, kernel..., O, I} to {G1, O1, C1, kernel..., g2, o2, c2}; and the inverse. */
static pop_tensor group_weights(const struct conv_resolved *conv, pop_tensor t)
{
    unsigned rank = (unsigned)pop_tensor_rank(t);
    t = group(conv, t, conv->g1, conv->g2, conv->c1, conv->c2); /* {G1, C1, kernel..., O, g2, c2} */
    t = conv_pad(conv->call, t, rank - 1, 0, conv->o1 * conv->o2 - pop_tensor_dim(t, rank - 1));
    t = split_dim(conv, t, rank - 1, conv->o1, conv->o2); /* {G1, C1, kernel..., O1, o2, g2, c2} */
    return roll(conv, roll(conv, t, rank - 1, 1), rank, rank + 1);
}
static pop_tensor ungroup_weights(const struct conv_resolved *conv, pop_tensor t)
{
    const struct call *call = conv->call;
    unsigned rank = (unsigned)pop_tensor_rank(t);
    t = roll(conv, roll(conv, t, rank - 2, rank - 3), 1, rank - 4); /* {G1, C1, kernel..., O1, o2, g2, c2} */
    t = flatten(conv, t, rank - 4, rank - 2);
    t = pop_tensor_slice(t, 0, conv->transformed.params.output_channels_per_conv_group, rank - 4);
    return ungroup(conv, t, conv->transformed.params.num_conv_groups,
                   conv->transformed.params.input_channels_per_conv_group);
}

void conv_transform_operands(const struct conv_resolved *conv, pop_tensor *input, pop_tensor *weights)
{
    for (unsigned i = 0; i < conv->transformed.count; ++i)
        step_forward(conv, &conv->transformed.steps[i], after_step(conv, i), input, weights);
    *input = flip(conv, *input, conv->transformed.params.input_transform.flip, 2);
    *weights = flip(conv, *weights, conv->transformed.params.kernel_transform.flip, 1);
}

pop_tensor conv_group_input(const struct conv_resolved *conv, pop_tensor transformed)
{
    return group(conv, transformed, conv->g1, conv->g2, conv->c1, conv->c2);
}
pop_tensor conv_group_weights(const struct conv_resolved *conv, pop_tensor transformed)
{
    return group_weights(conv, transformed);
}
pop_tensor conv_ungroup_operand(const struct conv_resolved *conv, pop_tensor grouped, bool weights)
{
    const poplin_conv_params *params = &conv->transformed.params;
    return weights ? ungroup_weights(conv, grouped)
                   : ungroup(conv, grouped, params->num_conv_groups, params->input_channels_per_conv_group);
}
pop_tensor conv_ungroup_output(const struct conv_resolved *conv, pop_tensor grouped)
{
    return ungroup(conv, grouped, conv->transformed.params.num_conv_groups,
                   conv->transformed.params.output_channels_per_conv_group);
}

pop_tensor conv_transform_input(const struct conv_resolved *conv, pop_tensor input)
{
    assert(!conv->swapped && conv_input_is_a_view(conv));
    for (unsigned i = 0; i < conv->transformed.count; ++i) {
        const struct params_step *step = &conv->transformed.steps[i];
        if (step->kind == POPLIN_STEP_FIELD_DIMS)
            input = insert_ones(conv, input, 2, step->number);
        else if (step->kind == POPLIN_STEP_FLATTEN)
            input = flatten_field(conv, step->number, input);
        else if (step->kind == POPLIN_STEP_COMBINE)
            input = combine_input(conv, step->number, input);
    }
    return conv_group_input(conv, flip(conv, input, conv->transformed.params.input_transform.flip, 2));
}

pop_tensor conv_transform_output_back(const struct conv_resolved *conv, pop_tensor t)
{
    for (unsigned i = conv->transformed.count; i-- > 0;) {
        const struct params_step *step = &conv->transformed.steps[i];
        const poplin_conv_params *before = &step->before;
        unsigned rank = (unsigned)pop_tensor_rank(t), dims = (unsigned)before->num_field_dims;
        size_t sizes[POPLIN_MAX_FIELD_DIMS + 1] = { before->batch_size };
        for (unsigned d = 0; d < dims; ++d)
            sizes[1 + d] = poplin_conv_output_size(before, d);
        if (step->kind == POPLIN_STEP_FIELD_DIMS)
            t = remove_ones(conv, t, 2, step->number);
        else if (step->kind == POPLIN_STEP_SWAP)
            t = roll(conv, roll(conv, t, rank - 1, 1), 2, rank - 1);
        else if (step->kind == POPLIN_STEP_EXCHANGE)
            t = roll(conv, t, 1, rank - 1);
        else if (step->kind == POPLIN_STEP_FLATTEN)
            t = unflatten_field(conv, step->number, sizes, t);
        else if (step->kind == POPLIN_STEP_COMBINE)
            t = separate(conv, step, t, before->output_channels_per_conv_group);
        else if (step->kind == POPLIN_STEP_OUT_CHANS)
            for (unsigned d = dims; d-- > 0;)
                if (step->number >> d & 1) {
                    size_t channels = pop_tensor_dim(t, rank - 1) / sizes[1 + d];
                    t = roll(conv, remove_ones(conv, split_dim(conv, t, rank - 1, sizes[1 + d], channels), 2 + d, 1),
                             rank - 2, 2 + d);
                }
    }
    return t;
}

/* ---- new operands ---- */

bool conv_transforms_are_views(const struct conv_resolved *conv, bool weights)
{
    for (unsigned i = 0; i < conv->transformed.count; ++i) {
        const struct params_step *step = &conv->transformed.steps[i];
        bool pads = step->kind == POPLIN_STEP_COMBINE && (weights || step->before.num_conv_groups % step->number != 0);
        if (step->kind == POPLIN_STEP_EXPAND || step->kind == POPLIN_STEP_OUT_CHANS || pads)
            return false;
    }
    return true;
}
bool conv_has_whole_groups(const struct conv_resolved *conv, bool weights)
{
    const poplin_conv_params *params = &conv->transformed.params;
    return params->num_conv_groups % conv->g2 == 0 && params->input_channels_per_conv_group % conv->c2 == 0 &&
           (!weights || params->output_channels_per_conv_group % conv->o2 == 0);
}
/* Slices of a loop are variables whether their groups are whole or not. */
static bool is_a_view(const struct conv_resolved *conv, bool weights)
{
    return conv_transforms_are_views(conv, weights) &&
           (conv_loop_slices(conv, weights) > 1 || conv_has_whole_groups(conv, weights));
}
bool conv_input_is_a_view(const struct conv_resolved *conv)
{
    return is_a_view(conv, conv->swapped);
}
bool conv_weights_are_a_view(const struct conv_resolved *conv)
{
    return is_a_view(conv, !conv->swapped);
}

/* Applies the inverses of the steps that are views, from the transformed to the given input or weights; with swapped
 * operands they are exchanged. */
static pop_tensor steps_back(const struct conv_resolved *conv, pop_tensor t, bool weights)
{
    for (unsigned i = conv->transformed.count; i-- > 0;) {
        const struct params_step *step = &conv->transformed.steps[i];
        unsigned dims = (unsigned)step->before.num_field_dims;
        size_t sizes[POPLIN_MAX_FIELD_DIMS + 1] = { step->before.batch_size };
        for (unsigned d = 0; d < dims; ++d)
            sizes[1 + d] = step->before.input_field_shape[d];
        if (step->kind == POPLIN_STEP_FIELD_DIMS)
            t = remove_ones(conv, t, weights ? 1 : 2, step->number);
        else if (step->kind == POPLIN_STEP_FLATTEN && !weights)
            t = unflatten_field(conv, step->number, sizes, t);
        else if (step->kind == POPLIN_STEP_SWAP) {
            t = weights ? roll(conv, t, dims + 1, 1) : roll(conv, t, 1, dims + 1);
            weights = !weights;
        } else if (step->kind == POPLIN_STEP_EXCHANGE) {
            t = weights ? t : roll(conv, t, 1, dims + 1);
            weights = !weights;
        } else if (step->kind == POPLIN_STEP_COMBINE)
            t = separate(conv, step, t, step->before.input_channels_per_conv_group);
    }
    return t;
}
pop_tensor conv_transform_back(const struct conv_resolved *conv, pop_tensor transformed, bool weights)
{
    const poplin_conv_params *params = &conv->transformed.params;
    const bool *flips = weights ? params->kernel_transform.flip : params->input_transform.flip;
    return steps_back(conv, flip(conv, transformed, flips, weights ? 1 : 2), weights);
}

pop_shape conv_grouped_input_shape(const struct conv_resolved *conv, size_t *dims)
{
    size_t rank = 0;
    dims[rank++] = conv->g1;
    dims[rank++] = conv->c1;
    dims[rank++] = conv->params.batch_size;
    for (unsigned d = 0; d < conv->plan.num_field_dims; ++d)
        dims[rank++] = conv->params.input_field_shape[d];
    dims[rank++] = conv->g2;
    dims[rank++] = conv->c2;
    return conv_shape(dims, rank);
}
pop_shape conv_grouped_weights_shape(const struct conv_resolved *conv, size_t *dims)
{
    size_t rank = 0;
    dims[rank++] = conv->g1;
    dims[rank++] = conv->o1;
    dims[rank++] = conv->c1;
    for (unsigned d = 0; d < conv->plan.num_field_dims; ++d)
        dims[rank++] = conv->params.kernel_shape[d];
    dims[rank++] = conv->g2;
    dims[rank++] = conv->o2;
    dims[rank++] = conv->c2;
    return conv_shape(dims, rank);
}
