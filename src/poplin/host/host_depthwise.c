/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/host/host.h"

#include "poplibs/cpu_parts.h"
#include "poplin/host/host_gemm_shape.h"

enum { VERTEX_WORK = 1 << 16 }; /* minimum multiply-adds of a vertex */

bool host_depthwise_serves(const struct host_conv_work *work, const struct host_conv_operand *deltas)
{
    const poplin_conv_params *params = work->conv->params;
    size_t groups = params->num_conv_groups, rank = params->num_field_dims + 3;
    return params->input_channels_per_conv_group == 1 && params->output_channels_per_conv_group == 1 && groups > 1 &&
           work->input.strides[0] == 1 && host_conv_positions(work) <= GEMM_DEPTH &&
           (!deltas || (deltas->strides[0] == 1 && deltas->strides[rank - 2] == groups &&
                        deltas->strides[1] == work->outputs / params->batch_size * groups));
}

/* A row of B for each position, a column for each group. */
static pop_tensor pack_weights(const struct host_conv_work *work, const struct host_conv_operand *weights,
                               bool transposed)
{
    size_t groups = work->conv->params->num_conv_groups, at = 0;
    pop_tensor packed = host_conv_new_packed(work, host_conv_positions(work), groups);
    struct host_conv_phase phase = first_phase(&work->field);
    do {
        unsigned *offsets = host_conv_weight_offsets(work, &phase, weights, transposed);
        at = host_conv_pack(work,
                            &(struct host_conv_right){ .of = weights,
                                                       .positions = offsets,
                                                       .count = phase.positions,
                                                       .channels = 1,
                                                       .stride_channel = 1,
                                                       .stride_column = weights->strides[0],
                                                       .columns = groups },
                            packed, at);
        free(offsets);
    } while (call_ready(work->call) && next_phase(&work->field, &phase));
    return packed;
}

void host_depthwise_convolve(const struct host_conv_work *work, const struct host_conv_operand *weights,
                             bool transposed, pop_tensor output)
{
    const struct call *call = work->call;
    const poplin_conv_params *params = work->conv->params;
    size_t groups = params->num_conv_groups;
    pop_tensor packed = pack_weights(work, weights, transposed);
    size_t worth = work->outputs * groups * host_conv_positions(work),
           vertices = poplibs_min(poplibs_cpu_parts(worth, VERTEX_WORK), work->outputs);
    for (size_t i = 0; i < vertices && call_ready(call); ++i) {
        pop_interval part = poplibs_cpu_part(work->outputs, vertices, i);
        pop_vertex vertex = host_conv_add_vertex(work, work->multiply, "HostDepthwise", params->input_type);
        host_conv_connect(work, vertex, "in", work->input.memory);
        host_conv_connect(work, vertex, "field", work->field_words);
        host_conv_connect(work, vertex, "b", packed);
        host_conv_connect(work, vertex, "out", pop_tensor_flatten(pop_tensor_slice_interval(output, part, 0)));
        host_conv_set(work, vertex, "groups", groups);
        host_conv_set(work, vertex, "output", part.begin);
        host_conv_set(work, vertex, "outputs", part.end - part.begin);
    }
}

void host_depthwise_update(const struct host_conv_work *work, const struct host_conv_operand *deltas, pop_tensor made)
{
    const struct call *call = work->call;
    const poplin_conv_params *params = work->conv->params;
    size_t groups = params->num_conv_groups;
    for (size_t g = 0; g < groups && call_ready(call); g += GEMM_PANEL) {
        size_t last = poplibs_min(groups, g + GEMM_PANEL);
        pop_vertex vertex = host_conv_add_vertex(work, work->multiply, "HostDepthwiseUpdate", params->input_type);
        host_conv_connect(work, vertex, "in", work->input.memory);
        host_conv_connect(work, vertex, "deltas", deltas->memory);
        host_conv_connect(work, vertex, "field", work->field_words);
        host_conv_connect(work, vertex, "out", pop_tensor_flatten(pop_tensor_slice(made, g, last, 0)));
        host_conv_set(work, vertex, "group", g);
        host_conv_set(work, vertex, "groups", last - g);
        host_conv_set(work, vertex, "allGroups", groups);
        host_conv_set(work, vertex, "outputs", work->outputs);
    }
}
