/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/host/host.h"
#include "poplin/host/host_conv_work.h"
#include "poplin/host/host_split.h"

#include <popops/fill.h>

static void update_block(const struct host_conv_work *work, pop_tensor packed, pop_tensor output, size_t group,
                         pop_interval rows, pop_interval columns)
{
    const struct call *call = work->call;
    const poplin_conv_params *params = work->conv->params;
    size_t all = params->output_channels_per_conv_group;
    bool whole = columns.end - columns.begin == all;
    pop_tensor out = pop_tensor_slice(output, rows.begin, rows.end, 0);
    out = whole ? pop_tensor_reshape(out, POP_SHAPE(1, pop_tensor_num_elements(out)))
                : pop_tensor_slice_interval(out, columns, 1);
    pop_vertex vertex = host_conv_add_vertex(work, work->multiply, "HostConvUpdate", params->input_type);
    host_conv_connect(work, vertex, "in", work->input.memory);
    host_conv_connect(work, vertex, "field", work->field_words);
    host_conv_connect(work, vertex, "b", packed);
    host_conv_connect(work, vertex, "out", out);
    host_conv_set(work, vertex, "first", group * work->input.strides[0]);
    host_conv_set(work, vertex, "channels", params->input_channels_per_conv_group);
    host_conv_set(work, vertex, "strideChannel", work->input.strides[params->num_field_dims + 2]);
    host_conv_set(work, vertex, "row", rows.begin);
    host_conv_set(work, vertex, "rows", rows.end - rows.begin);
    host_conv_set(work, vertex, "depth", work->outputs);
    host_conv_set(work, vertex, "column", columns.begin);
    host_conv_set(work, vertex, "columns", columns.end - columns.begin);
    host_conv_set(work, vertex, "allColumns", all);
    host_conv_set(work, vertex, "strideOut", whole ? all : 0);
}
/* Deltas of a group, {outputs, channels}: one position for each batch element, whose field is one run of rows. */
static pop_tensor pack_deltas(const struct host_conv_work *work, const struct host_conv_operand *deltas, size_t group)
{
    const poplin_conv_params *params = work->conv->params;
    unsigned rank = (unsigned)params->num_field_dims + 3;
    struct host_conv_right b = { .of = deltas,
                                 .count = params->batch_size,
                                 .first = group * deltas->strides[0],
                                 .channels = work->outputs / params->batch_size,
                                 .stride_channel = deltas->strides[rank - 2],
                                 .stride_column = deltas->strides[rank - 1],
                                 .columns = params->output_channels_per_conv_group };
    unsigned *positions = poplibs_new(b.count, sizeof(*positions));
    for (size_t n = 0; n < b.count; ++n)
        positions[n] = (unsigned)(n * deltas->strides[1]);
    b.positions = positions;
    pop_tensor packed = host_conv_new_packed(work, work->outputs, b.columns);
    host_conv_pack(work, &b, packed, 0);
    free(positions);
    return packed;
}

/* made: {groups, kernel..., output channels, input channels}. */
static void update(const struct host_conv_work *work, const struct host_conv_operand *deltas, pop_tensor made,
                   size_t positions)
{
    const struct call *call = work->call;
    const poplin_conv_params *params = work->conv->params;
    size_t rows = positions * params->input_channels_per_conv_group, columns = params->output_channels_per_conv_group;
    unsigned last = (unsigned)params->num_field_dims + 2;
    pop_tensor groups = pop_tensor_reshape(pop_tensor_dim_roll(made, last, last - 1),
                                           POP_SHAPE(params->num_conv_groups, rows, columns));
    struct host_split split = host_split(rows, columns, work->outputs);
    for (size_t g = 0; g < params->num_conv_groups && call_ready(call); ++g) {
        pop_tensor packed = pack_deltas(work, deltas, g), group = pop_tensor_at(groups, g);
        for (size_t i = 0; i < split.bands; ++i)
            for (size_t k = 0; k < split.parts; ++k)
                update_block(work, packed, group, g, host_band(&split, i), host_part(&split, k));
    }
}

pop_tensor host_conv_weight_deltas(const struct host_conv *conv, pop_tensor deltas, pop_tensor input,
                                   pop_program sequence)
{
    const struct call *call = conv->call;
    const poplin_conv_params *params = conv->params;
    size_t positions = 1;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        positions *= params->kernel_shape[d];
    pop_tensor made = host_conv_new_weights_of(conv, POP_FLOAT); /* {groups, kernel..., output, input channels} */
    struct host_conv_work work;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (pop_tensor_num_elements(input) && pop_tensor_num_elements(deltas) && pop_tensor_num_elements(made)) {
        struct host_conv_operand read = host_conv_operand(conv, deltas, HOST_CONV_DELTAS, sequence);
        if (!host_conv_begin(&work, conv, input, false, sequence))
            return (pop_tensor){ 0 };
        if (host_depthwise_serves(&work, &read))
            host_depthwise_update(&work, &read,
                                  pop_tensor_reshape(made, POP_SHAPE(params->num_conv_groups, positions)));
        else
            update(&work, &read, made, positions);
        host_conv_end(&work, sequence);
    } else {
        popops_zero(call->graph, made, sequence, conv->name);
    }
    return call_ready(call) ? host_conv_as_type(conv, made, params->output_type, sequence) : (pop_tensor){ 0 };
}
