/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/host/host_conv.h"
#include "poplin/host/host.h"
#include "poplin/host/host_conv_work.h"
#include "poplin/host/host_split.h"

#include <popops/fill.h>

/* Maximum words of a field's description.  Kernels as large as their field exceed it; plans serve them. */
static const double max_words = 1 << 22;

bool host_conv_serves(const pop_graph *graph, const poplin_conv_params *params)
{
    double elements = (double)params->batch_size * (double)params->input_channels_per_conv_group,
           outputs = (double)params->batch_size * (double)params->output_channels_per_conv_group, words = 0,
           weights = (double)params->input_channels_per_conv_group * (double)params->output_channels_per_conv_group;
    for (unsigned d = 0; d < params->num_field_dims; ++d) {
        size_t size = poplin_conv_output_size(params, d);
        elements *= (double)params->input_field_shape[d];
        outputs *= (double)size;
        weights *= (double)params->kernel_shape[d];
        words += (double)size * (double)params->kernel_shape[d];
    }
    elements = elements > outputs ? elements : outputs;
    elements = (elements > weights ? elements : weights) * (double)params->num_conv_groups;
    return pop_graph_target(graph)->type == POP_TARGET_CPU && elements < HOST_CONV_NONE && words < max_words;
}

/* Rows of B of all phases together. */
static size_t depth_of(const struct host_conv_work *work)
{
    return host_conv_positions(work) * work->conv->params->input_channels_per_conv_group;
}
/* Group by group, each phase by phase. */
static pop_tensor pack_weights(const struct host_conv_work *work, const struct host_conv_operand *weights,
                               bool transposed)
{
    const poplin_conv_params *params = work->conv->params;
    unsigned rank = (unsigned)params->num_field_dims + 3;
    struct host_conv_right b = { .of = weights,
                                 .channels = params->input_channels_per_conv_group,
                                 .columns = params->output_channels_per_conv_group,
                                 .stride_channel = weights->strides[transposed ? rank - 2 : rank - 1],
                                 .stride_column = weights->strides[transposed ? rank - 1 : rank - 2] };
    size_t at = 0;
    pop_tensor packed = host_conv_new_packed(work, params->num_conv_groups * depth_of(work), b.columns);
    for (size_t g = 0; g < params->num_conv_groups; ++g) {
        struct host_conv_phase phase = first_phase(&work->field);
        b.first = g * weights->strides[0];
        do {
            unsigned *offsets = host_conv_weight_offsets(work, &phase, weights, transposed);
            b.positions = offsets;
            b.count = phase.positions;
            at = host_conv_pack(work, &b, packed, at);
            free(offsets);
        } while (call_ready(work->call) && next_phase(&work->field, &phase));
    }
    return packed;
}

/* A vertex has columns of one group, or whole groups. */
struct columns {
    size_t group, groups;
    pop_interval of_group;
};
static void convolve_block(const struct host_conv_work *work, pop_tensor packed, size_t stride_b, pop_tensor output,
                           pop_interval outputs, const struct columns *columns)
{
    const struct call *call = work->call;
    const poplin_conv_params *params = work->conv->params;
    size_t all = params->output_channels_per_conv_group, width = params->num_conv_groups * all,
           wide = columns->of_group.end - columns->of_group.begin,
           begin = columns->group * all + columns->of_group.begin;
    bool whole = columns->groups * wide == width;
    pop_tensor out = pop_tensor_slice(output, outputs.begin, outputs.end, 0);
    out = whole ? pop_tensor_reshape(out, POP_SHAPE(1, pop_tensor_num_elements(out)))
                : pop_tensor_slice(out, begin, begin + columns->groups * wide, 1);
    pop_vertex vertex = host_conv_add_vertex(work, work->multiply, "HostConv", params->input_type);
    host_conv_connect(work, vertex, "in", work->input.memory);
    host_conv_connect(work, vertex, "field", work->field_words);
    host_conv_connect(work, vertex, "b", packed);
    host_conv_connect(work, vertex, "out", out);
    host_conv_set(work, vertex, "channels", params->input_channels_per_conv_group);
    host_conv_set(work, vertex, "strideChannel", work->input.strides[params->num_field_dims + 2]);
    host_conv_set(work, vertex, "strideGroup", work->input.strides[0]);
    host_conv_set(work, vertex, "strideB", stride_b);
    host_conv_set(work, vertex, "group", columns->group);
    host_conv_set(work, vertex, "groups", columns->groups);
    host_conv_set(work, vertex, "column", columns->of_group.begin);
    host_conv_set(work, vertex, "columns", wide);
    host_conv_set(work, vertex, "allColumns", all);
    host_conv_set(work, vertex, "output", outputs.begin);
    host_conv_set(work, vertex, "outputs", outputs.end - outputs.begin);
    host_conv_set(work, vertex, "strideOut", whole ? width : 0);
}
static void convolve(const struct host_conv_work *work, pop_tensor packed, pop_tensor output)
{
    const poplin_conv_params *params = work->conv->params;
    size_t groups = params->num_conv_groups, columns = params->output_channels_per_conv_group;
    size_t stride_b = depth_of(work) * gemm_panels_of(columns) * GEMM_PANEL;
    struct host_split split = host_split(work->outputs, groups * columns, depth_of(work));
    if (groups > 1)
        split.parts = poplibs_min(split.parts, groups);
    for (size_t i = 0; i < split.bands; ++i)
        for (size_t k = 0; k < split.parts && call_ready(work->call); ++k) {
            size_t first = groups * k / split.parts, last = groups * (k + 1) / split.parts;
            struct columns part = { first, last - first, { 0, columns } };
            if (groups == 1)
                part = (struct columns){ 0, 1, host_part(&split, k) };
            convolve_block(work, packed, stride_b, output, host_band(&split, i), &part);
        }
}

/* {batch, field..., groups, channels} as {groups, batch, field..., channels}. */
static pop_tensor groups_first(const struct host_conv *conv, pop_tensor t)
{
    const struct call *call = conv->call;
    return pop_tensor_dim_roll(t, (unsigned)conv->params->num_field_dims + 1, 0);
}
pop_tensor host_conv_convolve(const struct host_conv *conv, pop_tensor input, pop_tensor weights, bool transposed,
                              pop_program sequence)
{
    const struct call *call = conv->call;
    const poplin_conv_params *params = conv->params;
    size_t dims[HOST_CONV_DIMS + 2] = { params->batch_size }, rank = 1;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = poplin_conv_output_size(params, d);
    dims[rank++] = params->num_conv_groups;
    dims[rank++] = params->output_channels_per_conv_group;
    pop_tensor output = host_conv_variable(conv, POP_FLOAT, (pop_shape){ rank, dims }, "Output");
    struct host_conv_work work;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (pop_tensor_num_elements(input) && pop_tensor_num_elements(weights) && pop_tensor_num_elements(output)) {
        struct host_conv_operand read = host_conv_operand(conv, weights, HOST_CONV_WEIGHTS, sequence);
        if (!host_conv_begin(&work, conv, input, true, sequence))
            return (pop_tensor){ 0 };
        pop_tensor rows = pop_tensor_reshape(
            output, POP_SHAPE(work.outputs, params->num_conv_groups * params->output_channels_per_conv_group));
        if (host_depthwise_serves(&work, NULL))
            host_depthwise_convolve(&work, &read, transposed, rows);
        else
            convolve(&work, pack_weights(&work, &read, transposed), rows);
        host_conv_end(&work, sequence);
    } else {
        popops_zero(call->graph, output, sequence, conv->name);
    }
    return call_ready(call) ? groups_first(conv, host_conv_as_type(conv, output, params->output_type, sequence))
                            : (pop_tensor){ 0 };
}
