/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum pooling forward and backward; tensors are mapped linearly, with groups of channels innermost. */
#include "rows.h"

#include <popnn/pooling.h>
#include <poputil/tile_mapping.h>

#include <string.h>

/* {batch, channels, field...}, in memory {batch, groups, field..., channels of a group}. */
static pop_tensor activations(pop_graph *graph, const popnn_pool_params *params, const size_t *field, size_t group,
                              const char *name)
{
    size_t dims[3 + POPNN_MAX_FIELD_DIMS] = { params->batch, params->channels / group };
    memcpy(dims + 2, field, params->dims * sizeof(*dims));
    dims[2 + params->dims] = group;
    pop_tensor t = pop_graph_add_variable(graph, params->data_type, (pop_shape){ 3 + params->dims, dims }, name);
    poputil_map_tensor_linearly(graph, t);
    dims[1] = params->channels;
    return pop_tensor_reshape(pop_tensor_dim_roll(t, 2 + params->dims, 2), (pop_shape){ 2 + params->dims, dims });
}

void build_pooling(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    popnn_pool_params params = { .type = POPNN_POOL_MAX, .data_type = row_type(row, POP_HALF) };
    params.dims = (unsigned)row_list(row, "field", params.input_field, POPNN_MAX_FIELD_DIMS);
    row_list(row, "kernel", params.kernel, POPNN_MAX_FIELD_DIMS);
    params.channels = row_number(row, "channels", 1);
    params.batch = row_number(row, "batch-size", 1);
    for (unsigned i = 0; i < params.dims; ++i) {
        params.stride[i] = (unsigned)row_number(row, "stride", 1);
        params.padding_lower[i] = (int)row_number(row, "padding-lower", 0);
        params.padding_upper[i] = (int)row_number(row, "padding-upper", 0);
    }
    size_t group = row_number(row, "fwd-chans-per-group", 1), out_field[POPNN_MAX_FIELD_DIMS];
    popnn_pool_output_field(&params, out_field);
    pop_tensor in = activations(graph, &params, params.input_field, group, "in"),
               gradient = activations(graph, &params, out_field, params.channels % 16 == 0 ? 16 : 1, "gradient");
    pass_result(passes, in, "in");
    pass_result(passes, gradient, "gradient");
    pop_tensor out = popnn_pool(graph, &params, in, program, "fwd", POP_NO_OPTIONS);
    pass_result(passes, out, "out");
    pass_result(passes,
                popnn_pool_input_gradient(graph, &params, in, out, gradient, false, pass_begin(passes, "bwd"), "bwd",
                                          POP_NO_OPTIONS),
                "inGradient");
}
