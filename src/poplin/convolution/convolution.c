/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/convolution.h"
#include "poplin/convolution/conv_call.h"
#include "poplin/convolution/conv_places.h"
#include "poplin/convolution/conv_work.h"
#include "poplin/params/call_log.h"
#include "poplin/params/params.h"

#include <poplin/convolution.h>
#include <popops/element_wise.h>
#include <popops/rearrange.h>
#include <popops/reduce.h>
#include <popops/scaled_add.h>
#include <poputil/tile_mapping.h>

enum { MOST_RANK = POPLIN_MOST_FIELD_DIMS + 4 };

/* ---- what every call begins with ---- */

static bool check_params(pop_where where, pop_graph *graph, const char *api, const poplin_conv_params *params)
{
    pop_error error;
    pop_status status = params ? poplin_conv_params_validate_at(where, params, &error) : POP_POPLAR_ERROR;
    if (status == POP_OK)
        return true;
    return poplibs_fail(graph, status, where, api, "%s", params ? error.text : "params is NULL");
}

bool conv_call_begin(struct poplin_conv_call *call, struct conv_call_text *text, pop_where where, pop_graph *graph,
                     const char *api, const poplin_conv_params *params, const char *name, pop_options options,
                     poplin_planning_cache *cache)
{
    if (!poplibs_ready(graph) || !check_params(where, graph, api, params) ||
        !poplin_conv_options_parse(where, graph, api, options, &text->options))
        return false;
    snprintf(text->name, sizeof(text->name), "%s", name ? name : "");
    *call = (struct poplin_conv_call){ where, graph, api, params, &text->options, cache, text->name, NULL, false };
    if (!params->num_field_dims) {
        text->with_field = poplin_params_with_field(params);
        call->params = &text->with_field;
        call->no_field = true;
    }
    return true;
}

/* "name/Conv_3x3", the path of a convolution's steps. */
static void name_of_conv(struct conv_call_text *text, const poplin_conv_params *params)
{
    size_t length = strlen(text->name);
    length += (size_t)snprintf(text->name + length, sizeof(text->name) - length, "%sConv_", length ? "/" : "");
    for (size_t d = 0; d < params->num_field_dims && length < sizeof(text->name); ++d)
        length += (size_t)snprintf(text->name + length, sizeof(text->name) - length, "%s%zu", d ? "x" : "",
                                   params->kernel_shape[d]);
}

static bool check_tensor(const struct poplin_conv_call *call, pop_tensor t, const char *what, pop_type type,
                         const size_t *dims, size_t rank)
{
    size_t found[32];
    char wanted[128], seen[128];
    size_t found_rank = pop_tensor_shape(t, found, 32);
    if (!poplibs_is_operand(call->graph, call->where, call->api, what, t))
        return false;
    if (pop_tensor_type(t) != type)
        return poplibs_fail(call->graph, POP_TYPE_ERROR, call->where, call->api,
                            "%s has type %s; the parameters say %s", what, pop_type_name(pop_tensor_type(t)),
                            pop_type_name(type));
    if (found_rank == rank && memcmp(found, dims, rank * sizeof(*dims)) == 0)
        return true;
    return poplibs_fail(call->graph, POP_POPLAR_ERROR, call->where, call->api, "%s has shape %s; the parameters say %s",
                        what, poplibs_shape_text(seen, sizeof(seen), (pop_shape){ poplibs_min(found_rank, 32), found }),
                        poplibs_shape_text(wanted, sizeof(wanted), (pop_shape){ rank, dims }));
}
/* Field dimensions of the caller's tensors. */
static size_t given_dims(const struct poplin_conv_call *call)
{
    return call->no_field ? 0 : call->params->num_field_dims;
}
static bool check_input(const struct poplin_conv_call *call, pop_tensor t, const char *what)
{
    const poplin_conv_params *p = call->params;
    size_t dims[MOST_RANK] = { p->batch_size, p->num_conv_groups * p->input_channels_per_conv_group };
    memcpy(dims + 2, p->input_field_shape, sizeof(p->input_field_shape));
    return check_tensor(call, t, what, p->input_type, dims, 2 + given_dims(call));
}
static bool check_output(const struct poplin_conv_call *call, pop_tensor t, const char *what, pop_type type)
{
    const poplin_conv_params *p = call->params;
    size_t dims[MOST_RANK] = { p->batch_size, p->num_conv_groups * p->output_channels_per_conv_group };
    for (size_t d = 0; d < p->num_field_dims; ++d)
        dims[2 + d] = poplin_conv_output_size(p, d);
    return check_tensor(call, t, what, type, dims, 2 + given_dims(call));
}
bool conv_call_check_weights(const struct poplin_conv_call *call, pop_tensor t, bool transposed)
{
    const poplin_conv_params *p = call->params;
    size_t ins = p->input_channels_per_conv_group, outs = p->output_channels_per_conv_group;
    size_t dims[MOST_RANK] = { p->num_conv_groups, transposed ? ins : outs, transposed ? outs : ins };
    memcpy(dims + 3, p->kernel_shape, sizeof(p->kernel_shape));
    return check_tensor(call, t, "weights", p->input_type, dims, 3 + given_dims(call));
}

/* ---- the planner's order of dimensions, and the one of this interface ---- */

static unsigned last_of(pop_tensor t)
{
    size_t rank = pop_tensor_rank(t);
    return rank ? (unsigned)rank - 1 : 0;
}
static pop_tensor roll(const struct poplin_conv_call *call, pop_tensor t, unsigned from, unsigned to)
{
    return pop_tensor_dim_roll_at(call->where, t, from, to);
}
/* Where the caller's tensors have no field, it is their last dimension here. */
static pop_tensor with_field(const struct poplin_conv_call *call, pop_tensor t)
{
    return call->no_field ? pop_tensor_expand_at(call->where, t, POP_DIMS((unsigned)pop_tensor_rank(t))) : t;
}
static pop_tensor without_field(const struct poplin_conv_call *call, pop_tensor t)
{
    return call->no_field && pop_tensor_valid(t) ? pop_tensor_squeeze_at(call->where, t, POP_DIMS(last_of(t))) : t;
}
/* {batch, groups x channels, field...} to {groups, batch, field..., channels}, and back. */
static pop_tensor activations_in(const struct poplin_conv_call *call, pop_tensor t)
{
    size_t groups = call->params->num_conv_groups, channels = groups ? pop_tensor_dim(t, 1) / groups : 0;
    t = pop_tensor_reshape_partial_at(call->where, with_field(call, t), 1, 2, POP_SHAPE(groups, channels));
    t = roll(call, t, 1, 0);
    return roll(call, t, 2, last_of(t));
}
static pop_tensor activations_out(const struct poplin_conv_call *call, pop_tensor t)
{
    if (!poplibs_ready(call->graph))
        return (pop_tensor){ 0 };
    t = roll(call, t, 0, 1);
    t = roll(call, t, last_of(t), 2);
    return without_field(call, pop_tensor_flatten_dims_at(call->where, t, 1, 3));
}
/* {groups, output channels, input channels, kernel...} to {groups, kernel..., output channels, input channels}, and
 * back. */
static pop_tensor weights_in(const struct poplin_conv_call *call, pop_tensor t)
{
    t = with_field(call, t);
    t = roll(call, t, 1, last_of(t));
    return roll(call, t, 1, last_of(t));
}
static pop_tensor weights_out(const struct poplin_conv_call *call, pop_tensor t)
{
    if (!poplibs_ready(call->graph))
        return (pop_tensor){ 0 };
    t = roll(call, t, last_of(t), 1);
    return without_field(call, roll(call, t, last_of(t), 1));
}

/* ---- operands ---- */

pop_tensor conv_call_new_input(const struct poplin_conv_call *call)
{
    return activations_out(call, poplin_conv_new_input(call));
}
pop_tensor conv_call_new_weights(const struct poplin_conv_call *call)
{
    return weights_out(call, poplin_conv_new_weights(call));
}

pop_tensor poplin_create_input_at(pop_where where, pop_graph *graph, const poplin_conv_params *params, const char *name,
                                  pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, poplin_log_params), name, options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_create_input", params, name, options, cache))
        return (pop_tensor){ 0 };
    return conv_call_new_input(&call);
}

pop_tensor poplin_create_weights_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                    const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, poplin_log_params), name, options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_create_weights", params, name, options, cache))
        return (pop_tensor){ 0 };
    return conv_call_new_weights(&call);
}

pop_tensor poplin_create_conv_output_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                        const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, poplin_log_params), name, options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_create_conv_output", params, name, options, cache))
        return (pop_tensor){ 0 };
    size_t dims[MOST_RANK] = { params->batch_size, params->num_conv_groups * params->output_channels_per_conv_group };
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[2 + d] = poplin_conv_output_size(params, d);
    pop_tensor made = pop_graph_add_variable_at(where, graph, params->output_type,
                                                (pop_shape){ 2 + params->num_field_dims, dims }, name);
    poputil_map_tensor_linearly_at(where, graph, made);
    return made;
}

/* ---- forward and backward ---- */

void conv_call_transpose_weights(struct conv_program *program, pop_tensor from, pop_tensor to, bool to_is_new)
{
    pop_where where = program->where;
    pop_graph *graph = program->graph;
    pop_tensor source, destination;
    for (unsigned d = 3; d < pop_tensor_rank(from); ++d)
        from = pop_tensor_reverse_at(where, from, d);
    pop_compute_set set = conv_program_set(program, CONV_TRANSPOSE, program->name, "Transpose");
    from = popops_regroup_if_beneficial_apart_at(where, graph, pop_tensor_dim_roll_at(where, from, 1, 2), to, set,
                                                 program->name, &source, &destination);
    if (pop_tensor_valid(source))
        conv_program_copy(program, CONV_TRANSPOSE, source, destination);
    if (to_is_new)
        conv_avoid_local_pieces(where, graph, from, to);
    conv_program_copy(program, CONV_TURN, from, to);
}

pop_tensor conv_call_convolve(struct poplin_conv_call *call, struct conv_call_text *text, pop_tensor in,
                              pop_tensor weights, bool transposed, struct conv_program *program)
{
    if (!check_input(call, in, "in") || !conv_call_check_weights(call, weights, transposed))
        return (pop_tensor){ 0 };
    name_of_conv(text, call->params);
    if (transposed) {
        pop_tensor turned = conv_call_new_weights(call);
        if (poplibs_ready(call->graph))
            conv_call_transpose_weights(program, weights, turned, true);
        weights = turned;
    }
    if (!poplibs_ready(call->graph))
        return (pop_tensor){ 0 };
    return activations_out(call, poplin_conv_add(call, activations_in(call, in), weights_in(call, weights), program));
}

/* The same in a sequence, alone. */
static pop_tensor convolve(struct poplin_conv_call *call, struct conv_call_text *text, pop_tensor in,
                           pop_tensor weights, bool transposed, pop_program sequence)
{
    struct conv_program program = conv_program_begin(call->where, call->graph, call->name);
    pop_tensor output = conv_call_convolve(call, text, in, weights, transposed, &program);
    conv_program_end(&program, sequence);
    return output;
}

pop_tensor poplin_convolution_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor weights,
                                 const poplin_conv_params *params, bool transpose_and_flip_weights,
                                 pop_program sequence, const char *name, pop_options options,
                                 poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, in, weights, log_written(params, poplin_log_params), transpose_and_flip_weights, name, options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_convolution", params, name, options, cache))
        return (pop_tensor){ 0 };
    return convolve(&call, &text, in, weights, transpose_and_flip_weights, sequence);
}

void poplin_convolution_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor weights,
                                       pop_tensor out, const poplin_conv_params *params,
                                       bool transpose_and_flip_weights, pop_program sequence, const char *name,
                                       pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, in, weights, out, log_written(params, poplin_log_params), transpose_and_flip_weights, name,
                 options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_convolution_with_output", params, name, options, cache) ||
        !check_output(&call, out, "out", params->output_type))
        return;
    pop_tensor made = convolve(&call, &text, in, weights, transpose_and_flip_weights, sequence);
    if (poplibs_ready(graph))
        pop_sequence_add_at(where, sequence, pop_copy_at(where, made, out, false, text.name));
}

/* ---- the update of weights ---- */

static int update_pass(int pass)
{
    if (poplin_pass_is_fully_connected(pass))
        return POPLIN_PASS_FC_TRAINING_WU;
    return pass == POPLIN_PASS_NONE || pass == POPLIN_PASS_NONE_MATMUL ? pass : POPLIN_PASS_TRAINING_WU;
}

poplin_conv_params conv_call_begin_update(const struct poplin_conv_call *call, struct conv_call_text *text)
{
    text->options.pass = update_pass(text->options.pass);
    return poplin_get_weight_update_params(call->params);
}

pop_tensor conv_call_weight_deltas(struct poplin_conv_call *call, struct conv_call_text *text,
                                   const poplin_conv_params *update, pop_tensor deltas, pop_tensor activations,
                                   struct conv_program *program)
{
    if (!check_output(call, deltas, "deltas", call->params->input_type) ||
        !check_input(call, activations, "activations"))
        return (pop_tensor){ 0 };
    pop_tensor input = activations_in(call, activations), kernel = activations_in(call, deltas);
    input = roll(call, input, last_of(input), 1); /* {groups, input channels, batch, field...} */
    input = roll(call, input, 2, last_of(input));
    kernel = roll(call, kernel, 1, last_of(kernel)); /* {groups, field..., output channels, batch} */
    struct poplin_conv_call inner = *call;
    inner.params = update;
    name_of_conv(text, update);
    pop_tensor made =
        poplin_conv_add(&inner, input, kernel, program); /* {groups, input channels, kernel..., output channels} */
    return poplibs_ready(call->graph) ? weights_out(call, roll(call, made, 1, last_of(made))) : (pop_tensor){ 0 };
}

/* The same in a sequence, alone. */
static pop_tensor weight_deltas(struct poplin_conv_call *call, struct conv_call_text *text, pop_tensor deltas,
                                pop_tensor activations, pop_program sequence)
{
    struct conv_program program = conv_program_begin(call->where, call->graph, call->name);
    poplin_conv_params update = conv_call_begin_update(call, text);
    pop_tensor made = conv_call_weight_deltas(call, text, &update, deltas, activations, &program);
    conv_program_end(&program, sequence);
    return made;
}

pop_tensor poplin_calculate_weight_deltas_at(pop_where where, pop_graph *graph, pop_tensor deltas,
                                             pop_tensor activations, const poplin_conv_params *params,
                                             pop_program sequence, const char *name, pop_options options,
                                             poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, deltas, activations, log_written(params, poplin_log_params), name, options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_calculate_weight_deltas", params, name, options, cache))
        return (pop_tensor){ 0 };
    return weight_deltas(&call, &text, deltas, activations, sequence);
}

void poplin_convolution_weight_update_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor weights,
                                         pop_tensor activations, const poplin_conv_params *params, pop_tensor scale,
                                         pop_program sequence, const char *name, pop_options options,
                                         poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, deltas, weights, activations, log_written(params, poplin_log_params), scale, name, options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_convolution_weight_update", params, name, options,
                         cache) ||
        !conv_call_check_weights(&call, weights, false) || !poplibs_is_scale(graph, where, call.api, "scale", scale))
        return;
    pop_tensor made = weight_deltas(&call, &text, deltas, activations, sequence);
    if (poplibs_ready(graph))
        popops_scaled_add_to_at(where, graph, weights, made, scale, sequence, name, POP_NO_OPTIONS);
}

void poplin_convolution_weight_update_constant_at(pop_where where, pop_graph *graph, pop_tensor deltas,
                                                  pop_tensor weights, pop_tensor activations,
                                                  const poplin_conv_params *params, double scale, pop_program sequence,
                                                  const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, deltas, weights, activations, log_written(params, poplin_log_params), scale, name, options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_convolution_weight_update", params, name, options,
                         cache) ||
        !conv_call_check_weights(&call, weights, false))
        return;
    pop_tensor made = weight_deltas(&call, &text, deltas, activations, sequence);
    if (poplibs_ready(graph))
        popops_scaled_add_to_constant_at(where, graph, weights, made, scale, sequence, name, POP_NO_OPTIONS);
}

void poplin_weights_transpose_chans_flip_xy_at(pop_where where, pop_graph *graph, pop_tensor weights_given,
                                               pop_tensor weights_made, pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, weights_given, weights_made, name);
    static const char api[] = "poplin_weights_transpose_chans_flip_xy";
    struct poplin_conv_call call = { where, graph, api, NULL, NULL, NULL, name, NULL, false };
    size_t dims[32], rank = pop_tensor_shape(weights_given, dims, 32);
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "weights_in", weights_given))
        return;
    if (rank < 4 || rank > 32) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                     "weights_in has %zu dimensions; groups, output channels, input channels and kernel are needed",
                     rank);
        return;
    }
    size_t kept = dims[1];
    dims[1] = dims[2];
    dims[2] = kept;
    if (!check_tensor(&call, weights_made, "weights_out", pop_tensor_type(weights_given), dims, rank))
        return;
    struct conv_program program = conv_program_begin(where, graph, name);
    conv_call_transpose_weights(&program, weights_given, weights_made, false);
    conv_program_end(&program, sequence);
}

pop_tensor poplin_fully_connected_weight_transpose_at(pop_where where, pop_graph *graph, pop_tensor activations,
                                                      const poplin_conv_params *params, pop_program sequence,
                                                      const char *name, pop_options options,
                                                      poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, activations, log_written(params, poplin_log_params), name, options);
    struct poplin_conv_call call;
    struct conv_call_text text;
    if (!conv_call_begin(&call, &text, where, graph, "poplin_fully_connected_weight_transpose", params, name, options,
                         cache))
        return (pop_tensor){ 0 };
    if (params->num_field_dims != 1 || params->batch_size != 1) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, call.api,
                     "a fully connected layer has 1 field dimension and batch size 1, not %zu and %zu",
                     params->num_field_dims, params->batch_size);
        return (pop_tensor){ 0 };
    }
    size_t dims[3] = { params->num_conv_groups, params->input_channels_per_conv_group, params->input_field_shape[0] };
    if (!check_tensor(&call, activations, "activations", params->input_type, dims, 3))
        return (pop_tensor){ 0 };
    pop_tensor made = poplin_conv_new_input(&call); /* {groups, 1, rows, columns} */
    if (!poplibs_ready(graph))
        return (pop_tensor){ 0 };
    made = pop_tensor_squeeze_at(where, made, POP_DIMS(1));
    pop_sequence_add_at(where, sequence, pop_copy_at(where, roll(&call, activations, 1, 2), made, false, name));
    return made;
}

/* ---- biases ---- */

static bool check_biases(pop_where where, pop_graph *graph, const char *api, pop_tensor activations, pop_tensor biases)
{
    struct poplin_conv_call call = { where, graph, api, NULL, NULL, NULL, NULL, NULL, false };
    if (!poplibs_is_operand(graph, where, api, "the tensor of activations", activations))
        return false;
    if (pop_tensor_rank(activations) < 2)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                            "activations have %zu dimensions; batch and channels are needed",
                            pop_tensor_rank(activations));
    size_t channels = pop_tensor_dim(activations, 1);
    return check_tensor(&call, biases, "biases", pop_tensor_type(biases), &channels, 1);
}

pop_tensor poplin_create_biases_at(pop_where where, pop_graph *graph, pop_tensor activations, const char *name,
                                   pop_options options)
{
    POPLIBS_CALL(graph, activations, name, options);
    struct poplin_conv_options parsed;
    if (!poplibs_ready(graph) || !poplin_conv_options_parse(where, graph, "poplin_create_biases", options, &parsed))
        return (pop_tensor){ 0 };
    if (pop_tensor_rank(activations) < 2) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, "poplin_create_biases",
                     "activations have %zu dimensions; batch and channels are needed", pop_tensor_rank(activations));
        return (pop_tensor){ 0 };
    }
    return poputil_create_broadcast_operand_at(where, graph, activations, pop_tensor_type(activations), 1, true, name);
}

void poplin_add_bias_at(pop_where where, pop_graph *graph, pop_tensor activations, pop_tensor biases,
                        pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, activations, biases, name, options);
    struct poplin_conv_options parsed;
    if (!poplibs_ready(graph) || !poplin_conv_options_parse(where, graph, "poplin_add_bias", options, &parsed) ||
        !check_biases(where, graph, "poplin_add_bias", activations, biases))
        return;
    size_t dims[32] = { pop_tensor_dim(biases, 0) }, rank = poplibs_min(pop_tensor_rank(activations), 32) - 1;
    for (size_t d = 1; d < rank; ++d)
        dims[d] = 1;
    pop_tensor each = pop_tensor_reshape_at(where, biases, (pop_shape){ rank, dims });
    popops_binary_in_place_at(where, POPOPS_BINARY_ADD, graph, popops_operand_of_tensor(activations),
                              popops_operand_of_tensor(each), sequence, name);
}

static void update_biases(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases, pop_tensor scale,
                          pop_program sequence, const char *name, pop_options options)
{
    static const char api[] = "poplin_convolution_bias_update";
    struct poplin_conv_options parsed;
    unsigned dims[32], count = 0;
    if (!poplin_conv_options_parse(where, graph, api, options, &parsed) ||
        !check_biases(where, graph, api, deltas, biases) || !poplibs_is_scale(graph, where, api, "scale", scale))
        return;
    for (unsigned d = 0; d < pop_tensor_rank(deltas) && d < 32; ++d)
        if (d != 1)
            dims[count++] = d;
    popops_reduce_with_output_at(where, graph, deltas, biases, (pop_dims){ count, dims },
                                 (popops_reduce_params){ POPOPS_ADD, true, scale }, sequence, name, POP_NO_OPTIONS);
}
void poplin_convolution_bias_update_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases,
                                       pop_tensor scale, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, deltas, biases, scale, name, options);
    if (poplibs_ready(graph))
        update_biases(where, graph, deltas, biases, scale, sequence, name, options);
}
void poplin_convolution_bias_update_constant_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases,
                                                double scale, pop_program sequence, const char *name,
                                                pop_options options)
{
    POPLIBS_CALL(graph, deltas, biases, scale, name, options);
    if (!poplibs_ready(graph))
        return;
    pop_tensor factor = pop_graph_add_constant_float_at(where, graph, POP_FLOAT, POP_SHAPE(1), scale, "scale");
    pop_graph_set_tile_mapping_at(where, graph, factor, 0);
    update_biases(where, graph, deltas, biases, factor, sequence, name, options);
}
