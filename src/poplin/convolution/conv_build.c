/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_build.h"
#include "poplin/convolution/conv_dilate.h"
#include "poplin/convolution/conv_operands.h"
#include "poplin/convolution/conv_parts.h"
#include "poplin/convolution/conv_places.h"
#include "poplin/convolution/conv_stride.h"
#include "poplin/convolution/conv_sums.h"
#include "poplin/convolution/conv_work.h"
#include "poplin/planner/method.h"
#include "poplin/planner/plan_params.h"

#include <popops/fill.h>
#include <popops/rearrange.h>
#include <poputil/tile_mapping.h>

/* ---- the plan's steps ---- */

static void add_step(struct conv_work *work, enum conv_step_kind kind, unsigned number, poplin_conv_params after)
{
    work->steps[work->num_steps++] = (struct conv_step){ kind, number, work->transformed };
    work->transformed = after;
}

static void add_steps(struct conv_work *work)
{
    const struct poplin_transform *transform = &work->plan.transform;
    if (transform->extra_field_dims)
        add_step(work, CONV_FIELD_DIMS, transform->extra_field_dims,
                 poplin_params_add_field_dims(&work->transformed, transform->extra_field_dims));
    if (transform->swap_operands)
        add_step(work, CONV_SWAP, 0, poplin_params_swap_operands(&work->transformed));
    for (unsigned d = 0; d < work->transformed.num_field_dims; ++d)
        if (transform->expand_dims >> d & 1)
            add_step(work, CONV_EXPAND, d, poplin_params_expand_dim(&work->transformed, d));
    if (transform->out_chan_flatten_dims)
        add_step(work, CONV_OUT_CHANS, transform->out_chan_flatten_dims,
                 poplin_params_flatten_out_chans(&work->transformed, transform->out_chan_flatten_dims));
    if (transform->flatten_dims)
        add_step(work, CONV_FLATTEN, transform->flatten_dims,
                 poplin_params_flatten(&work->transformed, transform->flatten_dims));
    if (transform->combine_conv_groups_factor > 1) {
        poplin_conv_params combined = work->transformed;
        combined.num_conv_groups = poplibs_ceil_div(combined.num_conv_groups, transform->combine_conv_groups_factor);
        combined.input_channels_per_conv_group *= transform->combine_conv_groups_factor;
        combined.output_channels_per_conv_group *= transform->combine_conv_groups_factor;
        add_step(work, CONV_COMBINE, transform->combine_conv_groups_factor, combined);
    }
}

static void swap_unsigned(unsigned *a, unsigned *b)
{
    unsigned kept = *a;
    *a = *b;
    *b = kept;
}
/* A flip after all else is one before it, with lower and upper exchanged. */
static void resolve_flips(poplin_input_transform *transform, size_t dims)
{
    for (size_t d = 0; d < dims; ++d)
        if (transform->flip[d]) {
            swap_unsigned(&transform->truncation_lower[d], &transform->truncation_upper[d]);
            swap_unsigned(&transform->padding_lower[d], &transform->padding_upper[d]);
            transform->flip[d] = false;
        }
}

/* Whether vertices write each result once, in one go: one group of input channels, one kernel position, nothing added
 * up afterwards. */
static bool writes_results(const struct conv_work *work)
{
    const struct poplin_partition *partition = &work->plan.partition;
    bool once = work->plan.method->writes_once && work->c1 == 1 && partition->in_chan_split.serial == 1 &&
                partition->in_chan_split.parallel == 1;
    for (unsigned d = 0; d < work->plan.num_field_dims; ++d)
        once = once && work->params.kernel_shape[d] == 1;
    return once;
}

bool conv_work_begin(struct conv_work *work, const struct poplin_conv_call *call)
{
    *work = (struct conv_work){ .call = call, .graph = call->graph, .where = call->where };
    work->transformed = poplin_conv_params_canonicalize(call->params);
    if (!poplibs_ready(call->graph) || !poplin_plan_get(call->where, call->graph, call->api, call->params,
                                                        call->options, call->cache, &work->plan, NULL))
        return false;
    add_steps(work);
    work->swapped = work->plan.transform.swap_operands;
    poplin_conv_params *params = &work->params;
    *params = work->transformed;
    work->g2 = (unsigned)poplibs_max(work->plan.conv_groups_per_group, 1);
    work->c2 = work->plan.in_chans_per_group;
    work->o2 = work->plan.partial_chans_per_group;
    work->g1 = poplibs_ceil_div(params->num_conv_groups, work->g2);
    work->c1 = poplibs_ceil_div(params->input_channels_per_conv_group, work->c2);
    work->o1 = poplibs_ceil_div(params->output_channels_per_conv_group, work->o2);
    params->num_conv_groups = work->g1 * work->g2;
    params->input_channels_per_conv_group = work->c1 * work->c2;
    params->output_channels_per_conv_group = work->o1 * work->o2;
    resolve_flips(&params->input_transform, params->num_field_dims);
    resolve_flips(&params->kernel_transform, params->num_field_dims);
    for (unsigned d = 0; d < params->num_field_dims; ++d)
        work->output_shape[d] = poplin_conv_output_size(params, d);
    if (params->input_type == POP_HALF && params->output_type == POP_HALF && writes_results(work))
        work->plan.tile_partial_type = POP_HALF; /* wider partials would only have to be cast */
    return true;
}

/* ---- operands as the plan wants them ---- */

/* A grouped variable where it should lie. */
static pop_tensor new_grouped(struct conv_work *work, bool weights, const char *name)
{
    size_t dims[CONV_MOST_DIMS];
    pop_shape shape = weights ? conv_grouped_weights_shape(work, dims) : conv_grouped_input_shape(work, dims);
    pop_tensor made = pop_graph_add_variable_at(work->where, work->graph, work->params.input_type, shape, name);
    if (weights)
        conv_map_weights(work, made);
    else
        conv_map_input(work, made);
    return made;
}

/* An operand that is copied in any case: its channels in groups, evenly spread.  dims are those of the operand, the
 * channels last. */
static pop_tensor new_plain(struct conv_work *work, const size_t *dims, size_t rank, const char *name)
{
    size_t channels = dims[rank - 1], inner = poplibs_min(channels, work->c2), grouped[CONV_MOST_DIMS + 1];
    while (channels % poplibs_max(inner, 1))
        --inner;
    inner = poplibs_max(inner, 1);
    grouped[0] = channels / inner;
    memcpy(grouped + 1, dims, (rank - 1) * sizeof(*dims));
    grouped[rank] = inner;
    pop_tensor made = pop_graph_add_variable_at(work->where, work->graph, work->call->params->input_type,
                                                conv_shape(grouped, rank + 1), name);
    poputil_map_tensor_linearly_at(work->where, work->graph, made);
    made = pop_tensor_dim_roll_at(work->where, made, 0, (unsigned)rank - 1);
    return pop_tensor_flatten_dims_at(work->where, made, (unsigned)rank - 1, (unsigned)rank + 1);
}

/* Nothing is multiplied: there is no plan for that. */
static bool is_empty(const poplin_conv_params *params)
{
    size_t least =
        poplibs_min(poplibs_min(params->input_channels_per_conv_group, params->output_channels_per_conv_group),
                    poplibs_min(params->batch_size, params->num_conv_groups));
    for (size_t d = 0; d < params->num_field_dims; ++d)
        least = poplibs_min(
            poplibs_min(least, poplin_conv_output_size(params, d)),
            poplibs_min(poplin_conv_truncated_input_size(params, d), poplin_conv_truncated_kernel_size(params, d)));
    return least == 0;
}

static pop_tensor new_input(const struct poplin_conv_call *call)
{
    struct conv_work work = { .call = call, .graph = call->graph, .where = call->where, .c2 = 1 };
    const poplin_conv_params *params = call->params;
    bool empty = is_empty(params);
    if (!empty && !conv_work_begin(&work, call))
        return (pop_tensor){ 0 };
    if (!empty && conv_input_is_a_view(&work))
        return conv_input_back(&work, new_grouped(&work, work.swapped, call->name));
    size_t dims[CONV_MOST_DIMS] = { params->num_conv_groups, params->batch_size }, rank = 2;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = params->input_field_shape[d];
    dims[rank++] = params->input_channels_per_conv_group;
    return new_plain(&work, dims, rank, call->name);
}

static pop_tensor new_weights(const struct poplin_conv_call *call)
{
    struct conv_work work = { .call = call, .graph = call->graph, .where = call->where, .c2 = 1 };
    const poplin_conv_params *params = call->params;
    bool empty = is_empty(params);
    if (!empty && !conv_work_begin(&work, call))
        return (pop_tensor){ 0 };
    if (!empty && conv_weights_are_a_view(&work))
        return conv_weights_back(&work, new_grouped(&work, !work.swapped, call->name));
    size_t dims[CONV_MOST_DIMS] = { params->num_conv_groups }, rank = 1;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = params->kernel_shape[d];
    dims[rank++] = params->output_channels_per_conv_group;
    dims[rank++] = params->input_channels_per_conv_group;
    return new_plain(&work, dims, rank, call->name);
}

/* What is convolved in a call's place: without gaps in the input, without a stride, where the kernel has one element.
 */
struct inner_call {
    struct poplin_conv_call call;
    poplin_conv_params params;
    bool dilates, strides;
};
static void find_inner(struct inner_call *inner, const struct poplin_conv_call *call)
{
    poplin_conv_params undilated;
    *inner = (struct inner_call){ .call = *call };
    if (is_empty(call->params))
        return;
    inner->dilates = conv_undilated(call->params, &undilated);
    inner->strides = conv_unstrided(&undilated, &inner->params);
    if (inner->dilates || inner->strides)
        inner->call.params = &inner->params;
}
bool poplin_conv_planned(const poplin_conv_params *params, poplin_conv_params *planned)
{
    struct inner_call inner;
    find_inner(&inner, &(struct poplin_conv_call){ .params = params });
    *planned = *inner.call.params;
    return !is_empty(params);
}
pop_tensor poplin_conv_new_input(const struct poplin_conv_call *call)
{
    struct inner_call inner;
    find_inner(&inner, call);
    pop_tensor made = new_input(&inner.call);
    return inner.strides && poplibs_ready(call->graph) ? conv_new_strided_input(call, made) : made;
}
pop_tensor poplin_conv_new_weights(const struct poplin_conv_call *call)
{
    struct inner_call inner;
    find_inner(&inner, call);
    return new_weights(&inner.call);
}

/* Whether blocks of the last `inner` dimensions are whole in memory: the first, the middle and the last one are looked
 * at. */
static bool has_whole_blocks(const struct conv_work *work, pop_tensor grouped, unsigned inner)
{
    unsigned outer = (unsigned)pop_tensor_rank(grouped) - inner;
    if (pop_tensor_num_elements(grouped) == 0)
        return true;
    for (unsigned which = 0; which < 3; ++which) {
        pop_tensor block = grouped;
        for (unsigned d = 0; d < outer; ++d) {
            size_t size = pop_tensor_dim(block, 0);
            block = pop_tensor_at_at(work->where, block, which == 0 ? 0 : which == 1 ? size / 2 : size - 1);
        }
        if (!pop_tensor_is_contiguous(block) || pop_tensor_contains_constant(block))
            return false;
    }
    return true;
}

/* Elements of a flat tensor in a list of intervals. */
static pop_tensor pick(const struct conv_work *work, pop_tensor flat, const pop_interval *intervals, size_t count)
{
    pop_tensor *pieces = poplibs_new(count, sizeof(*pieces)), made = { 0 };
    if (pop_tensor_slices_at(work->where, flat, (pop_interval_list){ count, intervals }, 0, pieces))
        made = count == 1 ? pieces[0] : pop_tensor_concat_at(work->where, (pop_tensors){ count, pieces }, 0);
    free(pieces);
    return made;
}

/* Elements that are written in the time that a piece of zeros takes on the tile that has the most of them. */
enum { ZERO_PIECE = 640 };

void conv_copy_and_pad(const struct conv_work *work, pop_tensor from, pop_tensor to, uint32_t pad, uint32_t copy)
{
    pop_variable_interval *regions;
    struct interval_vec zeros = { 0 }, data = { 0 };
    struct conv_constant last = { 0 };
    from = pop_tensor_flatten_at(work->where, from);
    to = pop_tensor_flatten_at(work->where, to);
    if (pop_tensor_contains_constant(from)) {
        size_t count = pop_tensor_var_regions(from, &regions), at = 0;
        for (size_t i = 0; i < count; ++i) {
            size_t size = regions[i].interval.end - regions[i].interval.begin;
            struct interval_vec *list =
                conv_is_zeros(work->where, work->graph, regions[i].variable, &last) ? &zeros : &data;
            if (list->count && list->list[list->count - 1].end == at)
                list->list[list->count - 1].end += size;
            else
                interval_push(list, at, at + size);
            at += size;
        }
        free(regions);
        /* small pieces, which mostly lie on few tiles, take longer than all of it */
        if (zeros.count) {
            bool all = zeros.count * ZERO_PIECE > pop_tensor_num_elements(to);
            pop_compute_set set = conv_program_set(work->program, pad, work->call->name, "Zero");
            popops_zero_in_at(work->where, work->graph, all ? to : pick(work, to, zeros.list, zeros.count), set);
        }
        from = data.count ? pick(work, from, data.list, data.count) : (pop_tensor){ 0 };
        to = data.count ? pick(work, to, data.list, data.count) : to;
    }
    if (pop_tensor_valid(from))
        conv_program_copy(work->program, copy, from, to);
    free(zeros.list);
    free(data.list);
}

/* Copies a grouped operand unless vertices can take it as it lies. */
static pop_tensor arrange(struct conv_work *work, pop_tensor grouped, bool weights)
{
    if (!poplibs_ready(work->graph) || has_whole_blocks(work, grouped, weights ? 3 : 2))
        return grouped;
    pop_tensor made = new_grouped(work, weights, weights ? "weightsArranged" : "inputArranged");
    conv_avoid_local_pieces(work->where, work->graph, grouped, made);
    conv_copy_and_pad(work, grouped, made, weights ? CONV_PAD_WEIGHTS : CONV_PAD_INPUT,
                      weights ? CONV_ARRANGE_WEIGHTS : CONV_ARRANGE_INPUT);
    return made;
}

static pop_tensor arranged(const struct poplin_conv_call *call, pop_tensor given, bool weights, pop_program sequence)
{
    struct conv_work work;
    struct inner_call inner;
    find_inner(&inner, call);
    if (is_empty(call->params))
        return given;
    if (!conv_work_begin(&work, &inner.call))
        return (pop_tensor){ 0 };
    if (weights ? !conv_weights_are_a_view(&work) : !conv_input_is_a_view(&work))
        return given; /* it is copied by each convolution */
    pop_tensor made = weights ? poplin_conv_new_weights(call) : poplin_conv_new_input(call);
    if (!poplibs_ready(work.graph))
        return (pop_tensor){ 0 };
    given = popops_regroup_if_beneficial_at(work.where, work.graph, given, made, sequence, call->name);
    pop_sequence_add_at(work.where, sequence, pop_copy_at(work.where, given, made, false, call->name));
    return made;
}
pop_tensor poplin_conv_arranged_weights(const struct poplin_conv_call *call, pop_tensor weights, pop_program sequence)
{
    return arranged(call, weights, true, sequence);
}
pop_tensor poplin_conv_arranged_input(const struct poplin_conv_call *call, pop_tensor input, pop_program sequence)
{
    return arranged(call, input, false, sequence);
}

/* ---- the whole ---- */

/* Joins what lies in order of splits, dimension after dimension from the innermost; dims[i] is the tensors' dimension
 * that split i cut. */
static pop_tensor join(const struct conv_work *work, pop_tensor *tensors, const size_t *splits, const unsigned *dims,
                       unsigned count)
{
    size_t total = 1;
    for (unsigned i = 0; i < count; ++i)
        total *= splits[i];
    for (unsigned i = count; i-- > 0; total /= splits[i])
        for (size_t k = 0; splits[i] > 1 && k < total / splits[i]; ++k)
            tensors[k] =
                pop_tensor_concat_at(work->where, (pop_tensors){ splits[i], tensors + k * splits[i] }, dims[i]);
    return tensors[0];
}

/* One serial step of the output channels; those of the input channels are added up one after the other. */
static pop_tensor convolve(struct conv_work *work, unsigned out_chan_step, pop_tensor input, pop_tensor weights)
{
    unsigned steps = work->plan.partition.in_chan_split.serial, fields = work->plan.num_field_dims,
             cut[POPLIN_MOST_FIELD_DIMS + 3] = { 0, 2 };
    pop_tensor *earlier = NULL, made = { 0 };
    for (unsigned step = 0; step < steps && poplibs_ready(work->graph); ++step) {
        struct conv_parts parts = conv_parts_make(work, out_chan_step, step);
        pop_tensor *sums = poplibs_zeros(parts.outputs, sizeof(*sums));
        work->plan.method->add_vertices(work, conv_step_set(work, CONV_CONVOLVE, "Convolve"), &parts, input, weights);
        conv_add_sums(work, &parts, earlier,
                      step + 1 < steps ? conv_sum_type(work, parts.depth) : work->params.output_type, sums);
        ++work->step;
        free(earlier);
        earlier = sums;
        if (step + 1 == steps && poplibs_ready(work->graph)) {
            for (unsigned d = 0; d < fields; ++d)
                cut[2 + d] = 3 + d;
            cut[2 + fields] = 1;
            made = join(work, sums, parts.splits, cut, fields + 3);
        }
        free(parts.parts);
    }
    free(earlier);
    return made;
}

/* An output that no input reaches. */
static pop_tensor zeros(const struct poplin_conv_call *call, struct conv_program *program)
{
    size_t dims[CONV_MOST_DIMS] = { call->params->num_conv_groups, call->params->batch_size }, rank = 2;
    for (size_t d = 0; d < call->params->num_field_dims; ++d)
        dims[rank++] = poplin_conv_output_size(call->params, d);
    dims[rank++] = call->params->output_channels_per_conv_group;
    pop_tensor made = pop_graph_add_variable_at(call->where, call->graph, call->params->output_type,
                                                conv_shape(dims, rank), call->name);
    poputil_map_tensor_linearly_at(call->where, call->graph, made);
    popops_zero_in_at(call->where, call->graph, made, conv_program_set(program, CONV_CONVOLVE, call->name, "Zero"));
    return made;
}

/* An input that is said to be arranged is, or has a plan that copies it in any case. */
static bool keeps_word(const struct conv_work *work, pop_tensor input, pop_tensor weights)
{
    const struct poplin_conv_call *call = work->call;
    if (!poplibs_ready(call->graph) || !call->input_arranged_by || !conv_input_is_a_view(work) ||
        has_whole_blocks(work, work->swapped ? weights : input, work->swapped ? 3 : 2))
        return poplibs_ready(call->graph);
    return poplibs_fail(call->graph, POP_POPLAR_ERROR, call->where, call->api,
                        "the operand that is said to be arranged is not laid out as this product's plan wants it: %s "
                        "makes such a tensor, when it is "
                        "called with the same shapes, types and options",
                        call->input_arranged_by);
}

static pop_tensor build(const struct poplin_conv_call *call, pop_tensor input, pop_tensor weights,
                        struct conv_program *program)
{
    struct conv_work work;
    if (!conv_work_begin(&work, call))
        return (pop_tensor){ 0 };
    work.program = program;
    conv_transform_operands(&work, &input, &weights);
    if (!keeps_word(&work, input, weights))
        return (pop_tensor){ 0 };
    input = arrange(&work, input, false);
    weights = arrange(&work, weights, true);
    unsigned steps = work.plan.partition.out_chan_split.serial;
    pop_tensor *slices = poplibs_zeros(steps, sizeof(*slices));
    for (unsigned step = 0; step < steps && poplibs_ready(call->graph); ++step)
        slices[step] = convolve(&work, step, input, weights);
    pop_tensor output = { 0 };
    if (poplibs_ready(call->graph))
        output = conv_transform_output_back(
            &work, steps == 1 ? slices[0] : pop_tensor_concat_at(call->where, (pop_tensors){ steps, slices }, 1));
    free(slices);
    return output;
}

/* A copy in one variable, tile by tile (option gatherConvOutput): whoever reads it next finds each tile's part in one
 * piece. */
static pop_tensor gather_output(const struct poplin_conv_call *call, pop_tensor output, struct conv_program *program)
{
    char path[256];
    pop_tensor gathered = pop_graph_clone_at(call->where, call->graph, pop_tensor_type(output), output,
                                             POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES,
                                             poplibs_path(path, sizeof(path), call->name, "gathered"));
    if (poplibs_ready(call->graph))
        conv_program_copy(program, CONV_GATHER, output, gathered);
    return gathered;
}

pop_tensor poplin_conv_add(const struct poplin_conv_call *call, pop_tensor input, pop_tensor weights,
                           struct conv_program *program)
{
    struct inner_call inner;
    find_inner(&inner, call);
    if (is_empty(call->params))
        return zeros(call, program);
    if (inner.strides)
        input = conv_take_input(call, input);
    pop_tensor output = build(&inner.call, input, weights, program);
    if (inner.dilates && poplibs_ready(call->graph))
        output = conv_dilate_output(call, output, program);
    return call->options->gather_conv_output && poplibs_ready(call->graph) ? gather_output(call, output, program)
                                                                           : output;
}

pop_tensor poplin_conv_build(const struct poplin_conv_call *call, pop_tensor input, pop_tensor weights,
                             pop_program sequence)
{
    struct conv_program program = conv_program_begin(call->where, call->graph, call->name);
    pop_tensor output = poplin_conv_add(call, input, weights, &program);
    conv_program_end(&program, sequence);
    return output;
}
