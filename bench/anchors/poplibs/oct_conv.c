/* SPDX-License-Identifier: Apache-2.0 */
/* Octave convolutions forward, backward and with the update of weights: a share alpha of the channels has half the field, and a convolution joins each half of
 * the input with each half of the output, all four in one call.  What goes from high to low is averaged before its convolution; what goes the other way is
 * repeated after it. */
#include "rows.h"

#include <popnn/pooling.h>
#include <poplin/conv_util.h>
#include <poplin/multi_convolution.h>
#include <popops/element_wise.h>

#include <stdlib.h>

enum frequency { HIGH, LOW, FREQUENCIES };
/* The convolution of a half of the input and one of the output. */
enum path { HIGH_HIGH, HIGH_LOW, LOW_HIGH, LOW_LOW, PATHS };

static const pop_option forward_pass = { "pass", "TRAINING_FWD" }, backward_pass = { "pass", "TRAINING_BWD" }, update_pass = { "pass", "TRAINING_WU" };

struct octave {
    pop_graph *graph;
    poplin_conv_params params[PATHS], gradients[PATHS];
    poplin_multi_conv convs[PATHS]; /* forward, and with their deltas the updates */
    poplin_planning_cache *cache;
};

/* The four convolutions' parameters, as those of the whole are. */
static void split(struct octave *octave, const poplin_conv_params *whole, double alpha)
{
    size_t ins[FREQUENCIES], outs[FREQUENCIES];
    ins[LOW] = (size_t)(alpha * (double)whole->input_channels_per_conv_group);
    outs[LOW] = (size_t)(alpha * (double)whole->output_channels_per_conv_group);
    ins[HIGH] = whole->input_channels_per_conv_group - ins[LOW];
    outs[HIGH] = whole->output_channels_per_conv_group - outs[LOW];
    for (unsigned path = 0; path < PATHS; ++path) {
        poplin_conv_params *params = &octave->params[path];
        *params = *whole;
        params->input_channels_per_conv_group = ins[path / FREQUENCIES];
        params->output_channels_per_conv_group = outs[path % FREQUENCIES];
        for (size_t i = 0; i < whole->num_field_dims && path != HIGH_HIGH; ++i)
            params->input_field_shape[i] /= 2;
        octave->gradients[path] = poplin_get_gradient_params(params);
    }
}

/* ---- between the fields ---- */

static popnn_pool_params windows_of_two(popnn_pooling_type type, pop_tensor t)
{
    popnn_pool_params params = { .type = type, .dims = (unsigned)pop_tensor_rank(t) - 2, .data_type = pop_tensor_type(t) };
    params.batch = pop_tensor_dim(t, 0);
    params.channels = pop_tensor_dim(t, 1);
    for (unsigned i = 0; i < params.dims; ++i) {
        params.input_field[i] = pop_tensor_dim(t, i + 2);
        params.kernel[i] = params.stride[i] = 2;
    }
    return params;
}
static pop_tensor pooled(struct octave *octave, popnn_pooling_type type, pop_tensor t, pop_program program)
{
    popnn_pool_params params = windows_of_two(type, t);
    return popnn_pool(octave->graph, &params, t, program, "down", POP_NO_OPTIONS);
}
static pop_tensor repeated(pop_tensor t)
{
    for (unsigned i = 2; i < pop_tensor_rank(t); ++i)
        t = pop_tensor_upsample(t, 2, i, POP_UPSAMPLE_REPEAT);
    return t;
}

/* ---- passes ---- */

static void create_operands(struct octave *octave, pop_tensor in[FREQUENCIES])
{
    for (unsigned path = 0; path < PATHS; ++path)
        octave->convs[path] = (poplin_multi_conv){ .params = &octave->params[path], .options = { &forward_pass, 1 }, .scale_constant = -0.125 };
    for (unsigned path = 0; path < PATHS; ++path)
        octave->convs[path].weights = poplin_multi_create_weights(octave->graph, octave->convs, PATHS, path, POP_NO_OPTIONS, octave->cache);
    in[HIGH] = poplin_multi_create_input(octave->graph, octave->convs, PATHS, HIGH_HIGH, POP_NO_OPTIONS, octave->cache);
    in[LOW] = poplin_multi_create_input(octave->graph, octave->convs, PATHS, LOW_LOW, POP_NO_OPTIONS, octave->cache);
}

static void forward(struct octave *octave, struct passes *passes)
{
    pop_tensor in[FREQUENCIES], out[PATHS];
    pop_program program = pass_begin(passes, "fwd");
    create_operands(octave, in);
    for (unsigned path = 0; path < PATHS; ++path)
        octave->convs[path].input = path == HIGH_LOW ? pooled(octave, POPNN_POOL_AVG, in[HIGH], program) : in[path / FREQUENCIES];
    poplin_multi_convolution(octave->graph, octave->convs, PATHS, false, program, "fwd", POP_NO_OPTIONS, octave->cache, out);
    popops_add_in_place(octave->graph, out[HIGH_HIGH], repeated(out[LOW_HIGH]), program, "high");
    popops_add_in_place(octave->graph, out[LOW_LOW], out[HIGH_LOW], program, "low");
    pass_result(passes, out[HIGH_HIGH], "outHigh");
    pass_result(passes, out[LOW_LOW], "outLow");
}

static void backward(struct octave *octave, struct passes *passes)
{
    pop_program program = pass_begin(passes, "bwd");
    poplin_multi_conv convs[PATHS];
    pop_tensor deltas[FREQUENCIES], out[PATHS];
    for (unsigned path = 0; path < PATHS; ++path)
        convs[path] = (poplin_multi_conv){ .params = &octave->gradients[path], .options = { &backward_pass, 1 }, .weights = octave->convs[path].weights };
    deltas[HIGH] = poplin_multi_create_input(octave->graph, convs, PATHS, HIGH_HIGH, POP_NO_OPTIONS, octave->cache);
    deltas[LOW] = poplin_multi_create_input(octave->graph, convs, PATHS, LOW_LOW, POP_NO_OPTIONS, octave->cache);
    for (unsigned path = 0; path < PATHS; ++path) /* what was repeated gets the sum of its copies' gradients */
        convs[path].input = path == LOW_HIGH ? pooled(octave, POPNN_POOL_SUM, deltas[HIGH], program) : deltas[path % FREQUENCIES];
    poplin_multi_convolution(octave->graph, convs, PATHS, true, program, "bwd", POP_NO_OPTIONS, octave->cache, out);
    popnn_pool_params pool = windows_of_two(POPNN_POOL_AVG, out[HIGH_HIGH]);
    pop_tensor none = { 0 };
    pop_tensor spread = popnn_pool_input_gradient(octave->graph, &pool, none, none, out[HIGH_LOW], false, program, "up", POP_NO_OPTIONS);
    popops_add_in_place(octave->graph, out[HIGH_HIGH], spread, program, "high");
    popops_add_in_place(octave->graph, out[LOW_LOW], out[LOW_HIGH], program, "low");
    pass_result(passes, out[HIGH_HIGH], "inDeltasHigh");
    pass_result(passes, out[LOW_LOW], "inDeltasLow");
    for (unsigned path = 0; path < PATHS; ++path) {
        octave->convs[path].deltas = convs[path].input;
        octave->convs[path].options = (pop_options){ &update_pass, 1 };
    }
    poplin_multi_convolution_weight_update(octave->graph, octave->convs, PATHS, program, "wu", POP_NO_OPTIONS, octave->cache);
}

void build_oct_conv(pop_graph *graph, struct passes *passes, const struct row *row)
{
    struct octave octave = { .graph = graph, .cache = poplin_planning_cache_create() };
    poplin_conv_params whole = row_conv_params(row);
    split(&octave, &whole, strtod(row_word(row, "alpha", "0.5"), NULL));
    forward(&octave, passes);
    backward(&octave, passes);
    poplin_planning_cache_destroy(octave.cache);
}
