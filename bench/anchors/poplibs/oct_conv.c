/* SPDX-License-Identifier: Apache-2.0 */
/* Octave convolutions forward, backward and with the update of weights: a share of the channels (alpha, or alpha-in and
 * alpha-out) has half the field, and a convolution connects each half of the input with each half of the output, all in
 * one call: four, or fewer if a half has no channels.  Forward, what goes from full to half field is pooled before, and
 * what goes from half to full is repeated after; contributions to one output are added up. */
#include "rows.h"

#include <poplin/conv_util.h>
#include <poplin/multi_convolution.h>
#include <popnn/pooling.h>
#include <popops/element_wise.h>

#include <stdio.h>
#include <stdlib.h>

enum frequency { LOW, HIGH, FREQUENCIES };
/* The convolution of a half of the input and one of the output. */
enum path { LOW_LOW, LOW_HIGH, HIGH_LOW, HIGH_HIGH, PATHS };
static const char *const path_names[PATHS] = { "LowToLow", "LowToHigh", "HighToLow", "HighToHigh" };

static enum frequency input_of(enum path path)
{
    return path / FREQUENCIES;
}
static enum frequency output_of(enum path path)
{
    return path % FREQUENCIES;
}

static const pop_option forward_pass = { "pass", "TRAINING_FWD" }, backward_pass = { "pass", "TRAINING_BWD" },
                        update_pass = { "pass", "TRAINING_WU" };

struct oct_conv {
    pop_graph *graph;
    unsigned count; /* of existing convolutions */
    enum path paths[PATHS];
    poplin_conv_params params[PATHS], gradients[PATHS];
    poplin_conv_params inputs[FREQUENCIES]; /* of a half of the input and the whole output */
    poplin_multi_conv convs[PATHS];         /* forward, and with their deltas the updates */
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
        if (!ins[input_of(path)] || !outs[output_of(path)])
            continue;
        *params = *whole;
        params->input_channels_per_conv_group = ins[input_of(path)];
        params->output_channels_per_conv_group = outs[output_of(path)];
        for (size_t i = 0; i < whole->num_field_dims && path != HIGH_HIGH; ++i)
            params->input_field_shape[i] /= 2;
        oct_conv->gradients[oct_conv->count] = poplin_get_gradient_params(params);
        oct_conv->paths[oct_conv->count++] = path;
    }
    for (enum frequency i = LOW; i < FREQUENCIES; ++i) {
        oct_conv->inputs[i] = *whole;
        oct_conv->inputs[i].input_channels_per_conv_group = ins[i];
        for (size_t d = 0; d < whole->num_field_dims && i == LOW; ++d)
            oct_conv->inputs[i].input_field_shape[d] /= 2;
    }
}

/* ---- passes ---- */

/* The halves of the input; one without channels is null. */
static void make_inputs(struct oct_conv *oct_conv, struct passes *passes, pop_tensor halves[FREQUENCIES])
{
    poplin_multi_conv convs[FREQUENCIES];
    enum frequency of[FREQUENCIES];
    unsigned count = 0;
    for (enum frequency i = LOW; i < FREQUENCIES; ++i)
        if (oct_conv->inputs[i].input_channels_per_conv_group) {
            convs[count] = (poplin_multi_conv){ .params = &oct_conv->inputs[i], .options = { &forward_pass, 1 } };
            of[count++] = i;
        }
    for (unsigned i = 0; i < count; ++i) {
        halves[of[i]] = poplin_multi_create_input(oct_conv->graph, convs, count, i, POP_NO_OPTIONS, oct_conv->cache);
        pass_result(passes, halves[of[i]], of[i] == LOW ? "inLow" : "inHigh");
    }
}

/* Averages of 2 x 2 elements. */
static pop_tensor pooled(const struct oct_conv *oct_conv, pop_tensor in, pop_program program)
{
    const poplin_conv_params *from = &oct_conv->inputs[HIGH];
    popnn_pool_params params = { .type = POPNN_POOL_AVG,
                                 .dims = (unsigned)from->num_field_dims,
                                 .channels = from->input_channels_per_conv_group,
                                 .batch = from->batch_size,
                                 .data_type = from->input_type };
    for (unsigned d = 0; d < params.dims; ++d) {
        params.input_field[d] = from->input_field_shape[d];
        params.kernel[d] = params.stride[d] = 2;
    }
    return popnn_pool(oct_conv->graph, &params, in, program, "pool", POP_OPTIONS({ "optimizeForSpeed", "true" }));
}

static pop_tensor repeated(pop_tensor t)
{
    for (unsigned d = 2; d < pop_tensor_rank(t); ++d)
        t = pop_tensor_upsample(t, 2, d, POP_UPSAMPLE_REPEAT);
    return t;
}

static void forward(struct oct_conv *oct_conv, struct passes *passes)
{
    pop_program program = pass_begin(passes, "fwd");
    pop_tensor halves[FREQUENCIES] = { { 0 } }, made[PATHS], out[FREQUENCIES] = { { 0 } };
    poplin_multi_conv *convs = oct_conv->convs;
    make_inputs(oct_conv, passes, halves);
    for (unsigned i = 0; i < oct_conv->count; ++i)
        convs[i] = (poplin_multi_conv){ .params = &oct_conv->params[i],
                                        .options = { &forward_pass, 1 },
                                        .scale_constant = -0.05 };
    for (unsigned i = 0; i < oct_conv->count; ++i) {
        pop_tensor half = halves[input_of(oct_conv->paths[i])];
        convs[i].weights =
            poplin_multi_create_weights(oct_conv->graph, convs, oct_conv->count, i, POP_NO_OPTIONS, oct_conv->cache);
        convs[i].input = oct_conv->paths[i] == HIGH_LOW ? pooled(oct_conv, half, program) : half;
        pass_result(passes, convs[i].weights, path_names[oct_conv->paths[i]]);
    }
    poplin_multi_convolution(oct_conv->graph, convs, oct_conv->count, false, program, "fwd", POP_NO_OPTIONS,
                             oct_conv->cache, made);
    for (unsigned i = 0; i < oct_conv->count; ++i) {
        pop_tensor *to = &out[output_of(oct_conv->paths[i])],
                   part = oct_conv->paths[i] == LOW_HIGH ? repeated(made[i]) : made[i];
        *to = pop_tensor_valid(*to) ? popops_add(oct_conv->graph, *to, part, program, "add") : part;
    }
    for (enum frequency i = LOW; i < FREQUENCIES; ++i)
        if (pop_tensor_valid(out[i]))
            pass_result(passes, out[i], i == LOW ? "outLow" : "outHigh");
}

static void backward(struct oct_conv *oct_conv, struct passes *passes)
{
    pop_program program = pass_begin(passes, "bwd");
    poplin_multi_conv convs[PATHS];
    pop_tensor made[PATHS];
    char text[32];
    for (unsigned i = 0; i < oct_conv->count; ++i)
        convs[i] = (poplin_multi_conv){ .params = &oct_conv->gradients[i],
                                        .options = { &backward_pass, 1 },
                                        .weights = oct_conv->convs[i].weights };
    for (unsigned i = 0; i < oct_conv->count; ++i)
        convs[i].input =
            poplin_multi_create_input(oct_conv->graph, convs, oct_conv->count, i, POP_NO_OPTIONS, oct_conv->cache);
    poplin_multi_convolution(oct_conv->graph, convs, oct_conv->count, true, program, "bwd", POP_NO_OPTIONS,
                             oct_conv->cache, made);
    for (unsigned i = 0; i < oct_conv->count; ++i) {
        snprintf(text, sizeof(text), "bwd%s", path_names[oct_conv->paths[i]]);
        pass_result(passes, made[i], text);
        snprintf(text, sizeof(text), "deltas%s", path_names[oct_conv->paths[i]]);
        pass_result(passes, convs[i].input, text);
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
