/* SPDX-License-Identifier: Apache-2.0 */
/* Octave convolutions forward, backward and with the update of weights: a share of the channels (alpha, or alpha-in and
 * alpha-out) has half the field, and a convolution connects each half of the input with each half of the output, all in
 * one call: four, or fewer if a half has no channels.  Operations between the fields (pooling before, additions after)
 * are not part of the published figures: with them rows take up to half as long again. */
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

struct oct_conv {
    pop_graph *graph;
    unsigned count; /* of existing convolutions */
    enum path paths[PATHS];
    poplin_conv_params params[PATHS], gradients[PATHS];
    poplin_multi_conv convs[PATHS]; /* forward, and with their deltas the updates */
    poplin_planning_cache *cache;
};

/* The convolutions' parameters, derived from those of the whole; alphas of input and output channels. */
static void split(struct oct_conv *oct_conv, const poplin_conv_params *whole, double alpha_in, double alpha_out)
{
    size_t ins[FREQUENCIES], outs[FREQUENCIES];
    ins[LOW] = (size_t)(alpha_in * (double)whole->input_channels_per_conv_group);
    outs[LOW] = (size_t)(alpha_out * (double)whole->output_channels_per_conv_group);
    ins[HIGH] = whole->input_channels_per_conv_group - ins[LOW];
    outs[HIGH] = whole->output_channels_per_conv_group - outs[LOW];
    for (enum path path = 0; path < PATHS; ++path) {
        poplin_conv_params *params = &oct_conv->params[oct_conv->count];
        if (!ins[path / FREQUENCIES] || !outs[path % FREQUENCIES])
            continue;
        *params = *whole;
        params->input_channels_per_conv_group = ins[path / FREQUENCIES];
        params->output_channels_per_conv_group = outs[path % FREQUENCIES];
        for (size_t i = 0; i < whole->num_field_dims && path != HIGH_HIGH; ++i)
            params->input_field_shape[i] /= 2;
        oct_conv->gradients[oct_conv->count] = poplin_get_gradient_params(params);
        oct_conv->paths[oct_conv->count++] = path;
    }
}

/* ---- passes ---- */

static void add_pass(struct oct_conv *oct_conv, poplin_multi_conv *convs, bool backward, struct passes *passes,
                     const char *name)
{
    static const char *const names[] = { "HighToHigh", "HighToLow", "LowToHigh", "LowToLow" };
    pop_tensor out[PATHS];
    char text[32];
    for (unsigned i = 0; i < oct_conv->count; ++i)
        convs[i].input =
            poplin_multi_create_input(oct_conv->graph, convs, oct_conv->count, i, POP_NO_OPTIONS, oct_conv->cache);
    poplin_multi_convolution(oct_conv->graph, convs, oct_conv->count, backward, passes->programs[passes->count - 1],
                             name, POP_NO_OPTIONS, oct_conv->cache, out);
    for (unsigned i = 0; i < oct_conv->count; ++i) {
        snprintf(text, sizeof(text), "%s%s", name, names[oct_conv->paths[i]]);
        pass_result(passes, out[i], text);
    }
}

static void forward(struct oct_conv *oct_conv, struct passes *passes)
{
    pass_begin(passes, "fwd");
    for (unsigned i = 0; i < oct_conv->count; ++i)
        oct_conv->convs[i] = (poplin_multi_conv){ .params = &oct_conv->params[i],
                                                  .options = { &forward_pass, 1 },
                                                  .scale_constant = -0.125 };
    for (unsigned i = 0; i < oct_conv->count; ++i)
        oct_conv->convs[i].weights = poplin_multi_create_weights(oct_conv->graph, oct_conv->convs, oct_conv->count, i,
                                                                 POP_NO_OPTIONS, oct_conv->cache);
    add_pass(oct_conv, oct_conv->convs, false, passes, "fwd");
}

static void backward(struct oct_conv *oct_conv, struct passes *passes)
{
    pop_program program = pass_begin(passes, "bwd");
    poplin_multi_conv convs[PATHS];
    for (unsigned i = 0; i < oct_conv->count; ++i)
        convs[i] = (poplin_multi_conv){ .params = &oct_conv->gradients[i],
                                        .options = { &backward_pass, 1 },
                                        .weights = oct_conv->convs[i].weights };
    add_pass(oct_conv, convs, true, passes, "bwd");
    for (unsigned i = 0; i < oct_conv->count; ++i) {
        oct_conv->convs[i].deltas = convs[i].input;
        oct_conv->convs[i].options = (pop_options){ &update_pass, 1 };
    }
    poplin_multi_convolution_weight_update(oct_conv->graph, oct_conv->convs, oct_conv->count, program, "wu",
                                           POP_NO_OPTIONS, oct_conv->cache);
}

void build_oct_conv(pop_graph *graph, struct passes *passes, const struct row *row)
{
    struct oct_conv oct_conv = { .graph = graph, .cache = poplin_planning_cache_create() };
    poplin_conv_params whole = row_conv_params(row);
    double alpha = strtod(row_word(row, "alpha", "0.5"), NULL), alpha_in = alpha, alpha_out = alpha;
    if (row_word(row, "alpha-in", NULL))
        alpha_in = strtod(row_word(row, "alpha-in", NULL), NULL);
    if (row_word(row, "alpha-out", NULL))
        alpha_out = strtod(row_word(row, "alpha-out", NULL), NULL);
    split(&oct_conv, &whole, alpha_in, alpha_out);
    forward(&oct_conv, passes);
    backward(&oct_conv, passes);
    poplin_planning_cache_destroy(oct_conv.cache);
}
