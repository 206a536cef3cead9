/* SPDX-License-Identifier: Apache-2.0 */
/* Octave convolutions forward, backward and with the update of weights: a share of the channels (alpha, or alpha-in and
 * alpha-out) has half the field, and a convolution joins each half of the input with each half of the output, all in
 * one call: four, or fewer where a half has no channels.  What goes on between the fields (pooling before, additions
 * after) is no part of the published figures: with it rows take up to half as long again as they say. */
#include "rows.h"

#include <poplin/conv_util.h>
#include <poplin/multi_convolution.h>

#include <stdio.h>
#include <stdlib.h>

enum frequency { HIGH, LOW, FREQUENCIES };
/* The convolution of a half of the input and one of the output. */
enum path { HIGH_HIGH, HIGH_LOW, LOW_HIGH, LOW_LOW, PATHS };

static const pop_option forward_pass = { "pass", "TRAINING_FWD" }, backward_pass = { "pass", "TRAINING_BWD" },
                        update_pass = { "pass", "TRAINING_WU" };

struct octave {
    pop_graph *graph;
    unsigned count; /* of convolutions that there are */
    enum path paths[PATHS];
    poplin_conv_params params[PATHS], gradients[PATHS];
    poplin_multi_conv convs[PATHS]; /* forward, and with their deltas the updates */
    poplin_planning_cache *cache;
};

/* The convolutions' parameters, as those of the whole are; alphas of input and output channels. */
static void split(struct octave *octave, const poplin_conv_params *whole, double alpha_in, double alpha_out)
{
    size_t ins[FREQUENCIES], outs[FREQUENCIES];
    ins[LOW] = (size_t)(alpha_in * (double)whole->input_channels_per_conv_group);
    outs[LOW] = (size_t)(alpha_out * (double)whole->output_channels_per_conv_group);
    ins[HIGH] = whole->input_channels_per_conv_group - ins[LOW];
    outs[HIGH] = whole->output_channels_per_conv_group - outs[LOW];
    for (enum path path = 0; path < PATHS; ++path) {
        poplin_conv_params *params = &octave->params[octave->count];
        if (!ins[path / FREQUENCIES] || !outs[path % FREQUENCIES])
            continue;
        *params = *whole;
        params->input_channels_per_conv_group = ins[path / FREQUENCIES];
        params->output_channels_per_conv_group = outs[path % FREQUENCIES];
        for (size_t i = 0; i < whole->num_field_dims && path != HIGH_HIGH; ++i)
            params->input_field_shape[i] /= 2;
        octave->gradients[octave->count] = poplin_get_gradient_params(params);
        octave->paths[octave->count++] = path;
    }
}

/* ---- passes ---- */

static void add_pass(struct octave *octave, poplin_multi_conv *convs, bool backward, struct passes *passes,
                     const char *name)
{
    static const char *const names[] = { "HighToHigh", "HighToLow", "LowToHigh", "LowToLow" };
    pop_tensor out[PATHS];
    char text[32];
    for (unsigned i = 0; i < octave->count; ++i)
        convs[i].input =
            poplin_multi_create_input(octave->graph, convs, octave->count, i, POP_NO_OPTIONS, octave->cache);
    poplin_multi_convolution(octave->graph, convs, octave->count, backward, passes->programs[passes->count - 1], name,
                             POP_NO_OPTIONS, octave->cache, out);
    for (unsigned i = 0; i < octave->count; ++i) {
        snprintf(text, sizeof(text), "%s%s", name, names[octave->paths[i]]);
        pass_result(passes, out[i], text);
    }
}

static void forward(struct octave *octave, struct passes *passes)
{
    pass_begin(passes, "fwd");
    for (unsigned i = 0; i < octave->count; ++i)
        octave->convs[i] = (poplin_multi_conv){ .params = &octave->params[i],
                                                .options = { &forward_pass, 1 },
                                                .scale_constant = -0.125 };
    for (unsigned i = 0; i < octave->count; ++i)
        octave->convs[i].weights =
            poplin_multi_create_weights(octave->graph, octave->convs, octave->count, i, POP_NO_OPTIONS, octave->cache);
    add_pass(octave, octave->convs, false, passes, "fwd");
}

static void backward(struct octave *octave, struct passes *passes)
{
    pop_program program = pass_begin(passes, "bwd");
    poplin_multi_conv convs[PATHS];
    for (unsigned i = 0; i < octave->count; ++i)
        convs[i] = (poplin_multi_conv){ .params = &octave->gradients[i],
                                        .options = { &backward_pass, 1 },
                                        .weights = octave->convs[i].weights };
    add_pass(octave, convs, true, passes, "bwd");
    for (unsigned i = 0; i < octave->count; ++i) {
        octave->convs[i].deltas = convs[i].input;
        octave->convs[i].options = (pop_options){ &update_pass, 1 };
    }
    poplin_multi_convolution_weight_update(octave->graph, octave->convs, octave->count, program, "wu", POP_NO_OPTIONS,
                                           octave->cache);
}

void build_oct_conv(pop_graph *graph, struct passes *passes, const struct row *row)
{
    struct octave octave = { .graph = graph, .cache = poplin_planning_cache_create() };
    poplin_conv_params whole = row_conv_params(row);
    double alpha = strtod(row_word(row, "alpha", "0.5"), NULL), alpha_in = alpha, alpha_out = alpha;
    if (row_word(row, "alpha-in", NULL))
        alpha_in = strtod(row_word(row, "alpha-in", NULL), NULL);
    if (row_word(row, "alpha-out", NULL))
        alpha_out = strtod(row_word(row, "alpha-out", NULL), NULL);
    split(&octave, &whole, alpha_in, alpha_out);
    forward(&octave, passes);
    backward(&octave, passes);
    poplin_planning_cache_destroy(octave.cache);
}
