/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"
#include "poplin/params/params.h"

#include <poputil/tile_mapping.h>
#include <poputil/var_structure.h>

static bool is_update(const struct conv_call *request)
{
    return request->purpose == CONV_WEIGHT_UPDATE || request->options.pass == POPLIN_PASS_TRAINING_WU ||
           request->options.pass == POPLIN_PASS_FC_TRAINING_WU;
}

/* The channels of a group to which the result is copied; 0: it stays as it is. */
static size_t new_grouping(const struct conv_resolved *conv, pop_tensor output)
{
    const struct call *call = conv->call;
    size_t channels = pop_tensor_dim(output, 0) * pop_tensor_dim(output, conv_last_dim(output)), grouping = 16;
    if (!conv->request->options.remap_output_tensor || is_update(conv->request) || !pop_tensor_num_elements(output) ||
        channels % 4)
        return 0;
    poputil_dim_grouping found;
    if (poputil_detect_first_dim_grouping(call->graph, output, &found))
        return 0;
    while (channels % grouping)
        grouping /= 2;
    return grouping;
}

/* A new variable {groups of channels, batch, field..., channels of a group}, seen as the result. */
static pop_tensor with_grouping(const struct conv_resolved *conv, pop_tensor output, size_t grouping)
{
    const struct call *call = conv->call;
    size_t dims[CONV_MAX_DIMS], rank = pop_tensor_shape(output, dims, CONV_MAX_DIMS), groups = dims[0],
                                channels = dims[rank - 1];
    dims[0] = groups * channels / grouping;
    dims[rank - 1] = grouping;
    pop_tensor made = pop_graph_add_variable(call->graph, pop_tensor_type(output), conv_shape(dims, rank),
                                             call_path(call, conv->name, "remapped"));
    poputil_map_tensor_linearly_grain(call->graph, made, 0, (unsigned)grouping);
    made = pop_tensor_flatten_dims(pop_tensor_dim_roll(made, conv_last_dim(made), 1), 0, 2);
    made = pop_tensor_reshape_partial(made, 0, 1, POP_SHAPE(groups, channels));
    return pop_tensor_dim_roll(made, 1, conv_last_dim(made));
}

/* A new variable with the result's mapping, in which each tile's part is contiguous for the next operation. */
static pop_tensor gathered_like(const struct conv_resolved *conv, pop_tensor output)
{
    const struct call *call = conv->call;
    return pop_graph_clone(call->graph, pop_tensor_type(output), output,
                           POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES,
                           call_path(call, conv->name, "gathered"));
}

pop_tensor conv_laid_out(const struct conv_resolved *conv, pop_tensor output, struct conv_program *program)
{
    size_t grouping = new_grouping(conv, output);
    if (!call_ready(conv->call) || (!grouping && !conv->request->options.gather_conv_output))
        return output;
    pop_tensor made = grouping ? with_grouping(conv, output, grouping) : gathered_like(conv, output);
    if (call_ready(conv->call))
        conv_program_copy(program, CONV_GATHER, output, made);
    return made;
}
