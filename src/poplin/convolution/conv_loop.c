/* SPDX-License-Identifier: Apache-2.0 */
/* Serial splits as a loop, as poplibs of 2021 builds them: code and vertices exist once.  Each step slices the operands
 * at a counter, convolves, and writes its output channels or adds its sums; then the counter grows. */
#include "poplibs/elements.h"
#include "poplin/convolution/convolution.h"

#include <assert.h>
#include <popops/cast.h>
#include <popops/dynamic_slice.h>
#include <popops/fill.h>
#include <poputil/tile_mapping.h>

bool conv_loops(const struct conv_resolved *conv)
{
    const struct plan_partition *p = &conv->plan.partition;
    const poplin_conv_params *params = &conv->transformed.params;
    return (p->out_chan_split.serial > 1) != (p->in_chan_split.serial > 1) &&
           params->output_channels_per_conv_group % p->out_chan_split.serial == 0 &&
           params->input_channels_per_conv_group % p->in_chan_split.serial == 0;
}

static bool splits_inputs(const struct conv_resolved *conv)
{
    return conv->plan.partition.in_chan_split.serial > 1;
}

unsigned conv_loop_slices(const struct conv_resolved *conv, bool weights)
{
    const struct plan_partition *p = &conv->plan.partition;
    return !conv_loops(conv) || (!weights && !splits_inputs(conv)) ? 1
           : splits_inputs(conv)                                   ? p->in_chan_split.serial
                                                                   : p->out_chan_split.serial;
}

/* One step as a convolution. */
static struct conv_resolved step_of(const struct conv_resolved *conv)
{
    struct conv_resolved step = *conv;
    struct plan_partition *p = &step.plan.partition;
    assert(conv_loops(conv));
    step.transformed.params.output_channels_per_conv_group /= p->out_chan_split.serial;
    step.transformed.params.input_channels_per_conv_group /= p->in_chan_split.serial;
    p->out_chan_split.serial = p->in_chan_split.serial = 1;
    conv_group_channels(&step);
    return step;
}

/* ---- slices ---- */

/* The dimension of a transformed operand that is sliced: of weights {groups, kernel..., output channels, input
 * channels} one of the last two, of the input the last one. */
static unsigned sliced_dim(const struct conv_resolved *conv, pop_tensor operand, bool weights)
{
    return conv_last_dim(operand) - (weights && !splits_inputs(conv));
}

/* {..., slices x extent, ...} as {slices, ..., extent, ...}, and the reverse. */
static pop_tensor slices_first(const struct call *call, pop_tensor t, unsigned slices, unsigned dim)
{
    t = pop_tensor_reshape_partial(t, dim, dim + 1, POP_SHAPE(slices, pop_tensor_dim(t, dim) / slices));
    return pop_tensor_dim_roll(t, dim, 0);
}
static pop_tensor slices_inside(const struct call *call, pop_tensor t, unsigned dim)
{
    return pop_tensor_flatten_dims(pop_tensor_dim_roll(t, 0, dim), dim, dim + 2);
}

/* An operand of a step whose groups of channels are not whole, so that each step copies it: channels are together as
 * far as groups divide them. */
static pop_tensor new_plain(const struct conv_resolved *step, bool weights, const char *name)
{
    const struct call *call = step->call;
    const poplin_conv_params *params = &step->transformed.params;
    size_t dims[CONV_MAX_DIMS], rank = 0, channels = params->input_channels_per_conv_group,
                                inner = poplibs_gcd(channels, step->c2);
    dims[rank++] = params->num_conv_groups;
    dims[rank++] = channels / inner;
    if (!weights)
        dims[rank++] = params->batch_size;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = weights ? params->kernel_shape[d] : params->input_field_shape[d];
    if (weights)
        dims[rank++] = params->output_channels_per_conv_group;
    dims[rank++] = inner;
    pop_tensor made =
        pop_graph_add_variable(call->graph, conv_stored_type(step->params.input_type), conv_shape(dims, rank), name);
    poputil_map_tensor_linearly(call->graph, made);
    made = pop_tensor_dim_roll(made, 1, (unsigned)rank - 2);
    return pop_tensor_flatten_dims(made, (unsigned)rank - 2, (unsigned)rank);
}

pop_tensor conv_loop_new_operand(const struct conv_resolved *conv, bool weights, const char *name)
{
    const struct call *call = conv->call;
    struct conv_resolved step = step_of(conv);
    pop_tensor slice = conv_has_whole_groups(&step, weights)
                           ? conv_ungroup_operand(&step, conv_new_grouped(&step, weights, name), weights)
                           : new_plain(&step, weights, name);
    pop_tensor all =
        popops_create_sliceable_tensor_from_slice(call->graph, pop_tensor_expand(slice, POP_DIMS(0)), POP_DIMS(0),
                                                  POP_SHAPE(conv_loop_slices(conv, weights)), name);
    return call_ready(call) ? slices_inside(call, all, sliced_dim(conv, slice, weights)) : (pop_tensor){ 0 };
}

/* Whether all slices {slices, ...} are on the same tiles, so that a step moves no elements between tiles. */
static bool are_on_same_tiles(const struct call *call, pop_tensor slices)
{
    bool same = true;
    pop_tensor first = pop_tensor_at(slices, 0);
    for (size_t i = 1; i < pop_tensor_dim(slices, 0) && same && call_ready(call); ++i)
        same = conv_same_tiles(call, first, pop_tensor_at(slices, i));
    return same;
}

/* ---- the loop ---- */

struct loop {
    struct conv_work *work; /* of the whole convolution */
    struct call call;       /* in the body */
    pop_tensor counter;     /* of steps, UNSIGNED_INT {1} */
    pop_program before;     /* runs before the loop */
    unsigned steps;
};

/* The transformed operand's slice of a step; the operand is copied before the loop if its slices are on different
 * tiles. */
static pop_tensor slice_of(const struct loop *loop, pop_tensor operand, bool weights)
{
    const struct call *call = &loop->call;
    const struct conv_resolved *conv = loop->work->conv;
    unsigned slices = conv_loop_slices(conv, weights), dim = sliced_dim(conv, operand, weights);
    if (slices == 1 || !call_ready(call))
        return operand;
    pop_tensor all = slices_first(call, operand, slices, dim);
    if (pop_tensor_contains_constant(all) || !are_on_same_tiles(call, all)) {
        operand = conv_loop_new_operand(conv, weights, call_path(call, conv->name, "serialArranged"));
        if (!call_ready(call))
            return operand;
        pop_tensor to = slices_first(call, operand, slices, dim);
        conv_copy_and_pad(loop->work, all, to, weights ? CONV_PAD_WEIGHTS : CONV_PAD_INPUT,
                          weights ? CONV_ARRANGE_WEIGHTS : CONV_ARRANGE_INPUT);
        all = to;
    }
    pop_tensor slice = popops_dynamic_slice(call->graph, all, loop->counter, POP_DIMS(0), POP_SHAPE(1), call->sequence,
                                            call_path(call, conv->name, weights ? "serialWeights" : "serialInput"));
    return call_ready(call) ? pop_tensor_at(slice, 0) : operand;
}

/* Whether an operand that the caller declared as arranged has the layout of a step. */
static bool is_arranged(const struct conv_resolved *conv, const struct conv_resolved *step, pop_tensor input,
                        pop_tensor weights)
{
    const struct call *call = conv->call;
    if (!call_ready(call) || !conv->request->input_arranged_by) /* mostly nothing is declared */
        return call_ready(call);
    unsigned of_input = conv_loop_slices(conv, false), of_weights = conv_loop_slices(conv, true);
    input = pop_tensor_at(slices_first(call, input, of_input, sliced_dim(conv, input, false)), 0);
    weights = pop_tensor_at(slices_first(call, weights, of_weights, sliced_dim(conv, weights, true)), 0);
    return conv_is_arranged_as_declared(step, conv_group_input(step, input), conv_group_weights(step, weights));
}

/* The type in which a step's sums are added to those of the steps before. */
static pop_type sum_type(const struct conv_work *step)
{
    const struct plan_partition *p = &step->conv->plan.partition;
    size_t depth = p->in_chan_split.parallel;
    for (unsigned d = 0; d < step->conv->plan.num_field_dims; ++d)
        depth *= p->kernel_split[d];
    return conv_sum_type(step, depth);
}

/* Where steps write: all slices of the output. */
static pop_tensor gather(const struct loop *loop, pop_tensor made)
{
    const struct call *call = &loop->call;
    pop_tensor slice = pop_tensor_expand(made, POP_DIMS(0));
    const char *path = call_path(call, loop->work->conv->name, "serialOut");
    pop_tensor all =
        popops_create_sliceable_tensor_from_slice(call->graph, slice, POP_DIMS(0), POP_SHAPE(loop->steps), path);
    if (!call_ready(call))
        return made;
    popops_dynamic_update(call->graph, all, slice, loop->counter, POP_DIMS(0), POP_SHAPE(1), call->sequence, path);
    return slices_inside(call, all, conv_last_dim(made));
}

/* What steps add to; before the loop it is zero. */
static pop_tensor accumulate(const struct loop *loop, pop_tensor made)
{
    const struct call *call = &loop->call;
    const char *path = call_path(call, loop->work->conv->name, "serialSum");
    pop_tensor sum = pop_graph_clone(call->graph, POP_TYPE_NULL, made, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, path);
    popops_zero(call->graph, sum, loop->before, path);
    call_binary_in_place(call, POPOPS_BINARY_ADD, sum, made, path);
    return sum;
}

pop_tensor conv_in_loop(struct conv_work *work, pop_tensor input, pop_tensor weights)
{
    const struct conv_resolved *conv = work->conv;
    pop_graph *graph = work->call->graph;
    struct loop loop = { work, *work->call, { 0 }, conv_program_sequence(work->program, CONV_CONVOLVE), 0 };
    const struct call *call = &loop.call;
    struct conv_resolved step = step_of(conv);
    if (!is_arranged(conv, &step, input, weights))
        return (pop_tensor){ 0 };
    loop.steps = conv_loop_slices(conv, true);
    loop.call.sequence = pop_sequence(graph, conv->name);
    loop.counter = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(1), call_path(call, conv->name, "step"));
    pop_graph_set_tile_mapping(graph, loop.counter, 0);
    popops_zero(graph, loop.counter, loop.before, conv->name);

    struct conv_program body = conv_program_begin(call, work->program->name);
    struct conv_work inner = { call, &step, &body, 0, work->lists };
    if (splits_inputs(conv))
        step.params.output_type = sum_type(&inner);
    input = conv_arrange(&inner, conv_group_input(&step, slice_of(&loop, input, false)), false);
    weights = conv_arrange(&inner, conv_group_weights(&step, slice_of(&loop, weights, true)), true);
    pop_tensor made = conv_one_step(&inner, 0, input, weights);
    conv_program_end(&body, call->sequence);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    made = conv_ungroup_output(&step, made);
    pop_tensor output = splits_inputs(conv) ? accumulate(&loop, made) : gather(&loop, made);
    call_binary_operand_in_place(call, POPOPS_BINARY_ADD, loop.counter, popops_operand_of_int(1), conv->name);
    pop_sequence_add(loop.before, pop_repeat(loop.steps, call->sequence, conv->name));
    if (pop_tensor_type(output) != conv->params.output_type && call_ready(call))
        output = popops_cast(graph, output, conv->params.output_type, loop.before, conv->name);
    return output;
}
