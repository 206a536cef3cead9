/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_parts.h"
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"

#include <poputil/tile_mapping.h>

/* A grouped variable, mapped by the plan. */
pop_tensor conv_new_grouped(const struct conv_resolved *conv, bool weights, const char *name)
{
    const struct call *call = conv->call;
    size_t dims[CONV_MAX_DIMS];
    pop_shape shape = weights ? conv_grouped_weights_shape(conv, dims) : conv_grouped_input_shape(conv, dims);
    pop_tensor made = pop_graph_add_variable(call->graph, conv_stored_type(conv->params.input_type), shape, name);
    if (weights)
        conv_map_weights(conv, made);
    else
        conv_map_input(conv, made);
    return made;
}

/* An operand that is copied in any case: its channels are contiguous in groups and evenly spread.  dims are those of
 * the operand, with channels last. */
static pop_tensor new_plain(const struct conv_resolved *conv, const size_t *dims, size_t rank)
{
    const struct call *call = conv->call;
    size_t channels = dims[rank - 1], inner = poplibs_min(channels, poplibs_max(conv->c2, 1)),
           grouped[CONV_MAX_DIMS + 1];
    while (channels % poplibs_max(inner, 1))
        --inner;
    inner = poplibs_max(inner, 1);
    grouped[0] = channels / inner;
    memcpy(grouped + 1, dims, (rank - 1) * sizeof(*dims));
    grouped[rank] = inner;
    pop_tensor made = pop_graph_add_variable(call->graph, conv_stored_type(conv->request->simple.params.input_type),
                                             conv_shape(grouped, rank + 1), conv->name);
    poputil_map_tensor_linearly(call->graph, made);
    made = pop_tensor_dim_roll(made, 0, (unsigned)rank - 1);
    return pop_tensor_flatten_dims(made, (unsigned)rank - 1, (unsigned)rank + 1);
}

/* As in 2021, an input whose groups are combined has the groups' order in memory, on the tiles that use it. */
static bool is_separate(const struct conv_resolved *conv)
{
    return conv->plan.transform.combine_conv_groups_factor > 1 && !conv->swapped &&
           pop_graph_target(conv->call->graph)->poplibs_release == POP_POPLIBS_2021;
}
static pop_tensor new_separate_input(const struct conv_resolved *conv, const size_t *dims, size_t rank)
{
    const struct call *call = conv->call;
    pop_tensor made = pop_graph_add_variable(call->graph, conv_stored_type(conv->request->simple.params.input_type),
                                             conv_shape(dims, rank), conv->name);
    conv_map_input(conv, conv_transform_input(conv, made));
    return made;
}

/* An operand of the plan as the call's operand. */
static pop_tensor new_view(const struct conv_resolved *conv, bool weights)
{
    pop_tensor made = conv_loop_slices(conv, weights) > 1
                          ? conv_loop_new_operand(conv, weights, conv->name)
                          : conv_ungroup_operand(conv, conv_new_grouped(conv, weights, conv->name), weights);
    return conv_transform_back(conv, made, weights);
}

static pop_tensor new_input(const struct conv_resolved *conv)
{
    const struct conv_simple *simple = &conv->request->simple;
    const poplin_conv_params *params = &simple->params;
    bool is_view = !simple->is_empty && conv_input_is_a_view(conv);
    if (is_view && !is_separate(conv))
        return new_view(conv, conv->swapped);
    size_t dims[CONV_MAX_DIMS] = { params->num_conv_groups, params->batch_size }, rank = 2;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = params->input_field_shape[d];
    dims[rank++] = params->input_channels_per_conv_group;
    return is_view ? new_separate_input(conv, dims, rank) : new_plain(conv, dims, rank);
}

pop_tensor conv_new_input(const struct conv_resolved *conv)
{
    pop_tensor made = new_input(conv);
    return conv->request->simple.strides && call_ready(conv->call) ? conv_new_strided_input(conv, made) : made;
}

pop_tensor conv_new_weights(const struct conv_resolved *conv)
{
    const struct conv_simple *simple = &conv->request->simple;
    const poplin_conv_params *params = &simple->params;
    if (!simple->is_empty && conv_weights_are_a_view(conv))
        return new_view(conv, !conv->swapped);
    size_t dims[CONV_MAX_DIMS] = { params->num_conv_groups }, rank = 1;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = params->kernel_shape[d];
    dims[rank++] = params->output_channels_per_conv_group;
    dims[rank++] = params->input_channels_per_conv_group;
    return new_plain(conv, dims, rank);
}
