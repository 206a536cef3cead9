/* SPDX-License-Identifier: Apache-2.0 */
/* Octave convolutions forward, backward and with the update of weights: a share alpha of the channels has half the field, and a convolution joins each half of
 * the input with each half of the output, all four in one call.  What goes on between the fields (pooling before, additions after) is no part of the published
 * figures: with it rows take up to half as long again as they say. */
#include "rows.h"

#include <poplin/conv_util.h>
#include <poplin/multi_convolution.h>

#include <stdio.h>
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

/* ---- passes ---- */

static void add_pass(struct octave *octave, poplin_multi_conv *convs, bool backward, struct passes *passes, const char *name)
{
    static const char *const names[] = { "HighToHigh", "HighToLow", "LowToHigh", "LowToLow" };
    pop_tensor out[PATHS];
    char text[32];
    for (unsigned path = 0; path < PATHS; ++path)
        convs[path].input = poplin_multi_create_input(octave->graph, convs, PATHS, path, POP_NO_OPTIONS, octave->cache);
    poplin_multi_convolution(octave->graph, convs, PATHS, backward, passes->programs[passes->count - 1], name, POP_NO_OPTIONS, octave->cache, out);
    for (unsigned path = 0; path < PATHS; ++path) {
        snprintf(text, sizeof(text), "%s%s", name, names[path]);
        pass_result(passes, out[path], text);
    }
}

static void forward(struct octave *octave, struct passes *passes)
{
    pass_begin(passes, "fwd");
    for (unsigned path = 0; path < PATHS; ++path)
        octave->convs[path] = (poplin_multi_conv){ .params = &octave->params[path], .options = { &forward_pass, 1 }, .scale_constant = -0.125 };
    for (unsigned path = 0; path < PATHS; ++path)
        octave->convs[path].weights = poplin_multi_create_weights(octave->graph, octave->convs, PATHS, path, POP_NO_OPTIONS, octave->cache);
    add_pass(octave, octave->convs, false, passes, "fwd");
}

static void backward(struct octave *octave, struct passes *passes)
{
    pop_program program = pass_begin(passes, "bwd");
    poplin_multi_conv convs[PATHS];
    for (unsigned path = 0; path < PATHS; ++path)
        convs[path] = (poplin_multi_conv){ .params = &octave->gradients[path], .options = { &backward_pass, 1 }, .weights = octave->convs[path].weights };
    add_pass(octave, convs, true, passes, "bwd");
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
