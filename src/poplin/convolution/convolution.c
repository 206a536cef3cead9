/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions of convolutions: operands, the convolution, its gradients. */
#include "poplin/convolution/convolution.h"
#include "poplin/params/call_log.h"

#include <poplin/convolution.h>
#include <popops/scaled_add.h>
#include <poputil/tile_mapping.h>

/* ---- operands ---- */

pop_tensor poplin_create_input_at(pop_where where, pop_graph *graph, const poplin_conv_params *params, const char *name,
                                  pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_params), name, options);
    struct conv_call request;
    return conv_call_begin(call, &request, CONV_FORWARD, params, name, options, cache) ? conv_make_input(&request)
                                                                                       : (pop_tensor){ 0 };
}

pop_tensor poplin_create_weights_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                    const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_params), name, options);
    struct conv_call request;
    return conv_call_begin(call, &request, CONV_FORWARD, params, name, options, cache) ? conv_make_weights(&request)
                                                                                       : (pop_tensor){ 0 };
}

pop_tensor poplin_create_conv_output_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                        const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_params), name, options);
    struct conv_call request;
    if (!conv_call_begin(call, &request, CONV_FORWARD, params, name, options, cache))
        return (pop_tensor){ 0 };
    size_t dims[POPLIN_MAX_FIELD_DIMS + 2] = { params->batch_size,
                                               params->num_conv_groups * params->output_channels_per_conv_group };
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[2 + d] = poplin_conv_output_size(params, d);
    pop_tensor made =
        pop_graph_add_variable(graph, params->output_type, (pop_shape){ 2 + params->num_field_dims, dims }, name);
    poputil_map_tensor_linearly(graph, made);
    return made;
}

/* ---- forward and backward ---- */

/* Adds one convolution, which runs alone, to a sequence. */
static pop_tensor convolve(const struct conv_call *request, pop_tensor in, pop_tensor weights, bool transposed)
{
    struct conv_program program = conv_program_begin(request->call, request->path);
    pop_tensor output = conv_convolve(request, in, weights, transposed, &program);
    conv_program_end(&program, request->call->sequence);
    return output;
}

pop_tensor poplin_convolution_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor weights,
                                 const poplin_conv_params *params, bool transpose_and_flip_weights,
                                 pop_program sequence, const char *name, pop_options options,
                                 poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, in, weights, log_written(params, log_params), transpose_and_flip_weights, name,
                    options);
    struct conv_call request;
    return conv_call_begin(call, &request, CONV_FORWARD, params, name, options, cache)
               ? convolve(&request, in, weights, transpose_and_flip_weights)
               : (pop_tensor){ 0 };
}

void poplin_convolution_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor weights,
                                       pop_tensor out, const poplin_conv_params *params,
                                       bool transpose_and_flip_weights, pop_program sequence, const char *name,
                                       pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, in, weights, out, log_written(params, log_params), transpose_and_flip_weights,
                    name, options);
    struct conv_call request;
    if (!conv_call_begin(call, &request, CONV_FORWARD, params, name, options, cache))
        return;
    if (conv_call_check_output(&request, out, "out", params->output_type)) {
        pop_tensor made = convolve(&request, in, weights, transpose_and_flip_weights);
        if (call_ready(call))
            call_copy(call, made, out, request.path);
    }
}

void poplin_weights_transpose_chans_flip_xy_at(pop_where where, pop_graph *graph, pop_tensor weights_given,
                                               pop_tensor weights_made, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, weights_given, weights_made, name);
    size_t dims[32], rank = pop_tensor_shape(weights_given, dims, 32);
    if (!call_ready(call) || !call_takes(call, "weights_in", weights_given))
        return;
    if (rank < 4 || rank > 32) {
        call_fail(call, POP_POPLAR_ERROR,
                  "weights_in has %zu dimensions; groups, output channels, input channels and kernel are needed", rank);
        return;
    }
    size_t kept = dims[1];
    dims[1] = dims[2];
    dims[2] = kept;
    if (!call_takes_shape(call, "weights_out", weights_made, pop_tensor_type(weights_given), (pop_shape){ rank, dims }))
        return;
    if (pop_tensor_type(weights_given) == POP_QUARTER) {
        call_copy(call, pop_tensor_get_metadata(weights_given), pop_tensor_get_metadata(weights_made), name);
        weights_given = pop_tensor_reinterpret(weights_given, POP_UNSIGNED_CHAR);
        weights_made = pop_tensor_reinterpret(weights_made, POP_UNSIGNED_CHAR);
    }
    struct conv_program program = conv_program_begin(call, name);
    conv_transpose_weights(&program, weights_given, weights_made, false);
    conv_program_end(&program, sequence);
}

/* A new tensor for the transposed activations of a fully connected layer: {groups, rows, columns}. */
static pop_tensor transposed_activations(const struct conv_call *request, pop_tensor activations)
{
    const struct call *call = request->call;
    const poplin_conv_params *params = &request->given;
    struct conv_resolved conv;
    if (request->no_field || params->num_field_dims != 1 || params->batch_size != 1) {
        call_fail(call, POP_POPLAR_ERROR,
                  "a fully connected layer has 1 field dimension and batch size 1, not %zu and %zu",
                  request->no_field ? 0 : params->num_field_dims, params->batch_size);
        return (pop_tensor){ 0 };
    }
    size_t dims[3] = { params->num_conv_groups, params->input_channels_per_conv_group, params->input_field_shape[0] };
    if (!call_takes_shape(call, "activations", activations, params->input_type, (pop_shape){ 3, dims }) ||
        !conv_resolve(&conv, request, request->name))
        return (pop_tensor){ 0 };
    pop_tensor made = conv_new_input(&conv); /* {groups, 1, rows, columns} */
    return call_ready(call) ? pop_tensor_squeeze(made, POP_DIMS(1)) : (pop_tensor){ 0 };
}

pop_tensor poplin_fully_connected_weight_transpose_at(pop_where where, pop_graph *graph, pop_tensor activations,
                                                      const poplin_conv_params *params, pop_program sequence,
                                                      const char *name, pop_options options,
                                                      poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, activations, log_written(params, log_params), name, options);
    struct conv_call request;
    if (!conv_call_begin(call, &request, CONV_FORWARD, params, name, options, cache))
        return (pop_tensor){ 0 };
    pop_tensor made = transposed_activations(&request, activations);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    call_copy(call, pop_tensor_dim_roll(activations, 1, 2), made, name);
    return made;
}

/* ---- the update of weights ---- */

/* Adds one weight gradient, which runs alone, to a sequence. */
static pop_tensor weight_deltas(const struct conv_call *request, pop_tensor deltas, pop_tensor activations)
{
    struct conv_program program = conv_program_begin(request->call, request->path);
    pop_tensor made = conv_weight_deltas(request, deltas, activations, &program);
    conv_program_end(&program, request->call->sequence);
    return made;
}

pop_tensor poplin_calculate_weight_deltas_at(pop_where where, pop_graph *graph, pop_tensor deltas,
                                             pop_tensor activations, const poplin_conv_params *params,
                                             pop_program sequence, const char *name, pop_options options,
                                             poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, deltas, activations, log_written(params, log_params), name, options);
    struct conv_call request;
    return conv_call_begin(call, &request, CONV_WEIGHT_UPDATE, params, name, options, cache)
               ? weight_deltas(&request, deltas, activations)
               : (pop_tensor){ 0 };
}

void poplin_convolution_weight_update_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor weights,
                                         pop_tensor activations, const poplin_conv_params *params, pop_tensor scale,
                                         pop_program sequence, const char *name, pop_options options,
                                         poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, deltas, weights, activations, log_written(params, log_params), scale, name,
                    options);
    struct conv_call request;
    if (!conv_call_begin(call, &request, CONV_WEIGHT_UPDATE, params, name, options, cache))
        return;
    if (conv_call_check_weights(&request, weights, false) && call_takes_scale(call, "scale", scale)) {
        pop_tensor made = weight_deltas(&request, deltas, activations);
        if (call_ready(call))
            popops_scaled_add_to(graph, weights, made, scale, sequence, name, POP_NO_OPTIONS);
    }
}

void poplin_convolution_weight_update_constant_at(pop_where where, pop_graph *graph, pop_tensor deltas,
                                                  pop_tensor weights, pop_tensor activations,
                                                  const poplin_conv_params *params, double scale, pop_program sequence,
                                                  const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_AS("poplin_convolution_weight_update", sequence, graph, deltas, weights, activations,
                    log_written(params, log_params), scale, name, options);
    struct conv_call request;
    if (!conv_call_begin(call, &request, CONV_WEIGHT_UPDATE, params, name, options, cache))
        return;
    if (conv_call_check_weights(&request, weights, false)) {
        pop_tensor made = weight_deltas(&request, deltas, activations);
        if (call_ready(call))
            popops_scaled_add_to_constant(graph, weights, made, scale, sequence, name, POP_NO_OPTIONS);
    }
}
