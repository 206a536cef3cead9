/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions on the CPU device, forward and their gradients, compared with the same passes of oneDNN (loaded if it is
 * installed and the build found its header): processor time of one thread, the best of a few rounds in which all
 * alternate, each after a run that is not timed. */
#include "bench.h"
#include "peer_onednn.h"

#include <poplin/codelets.h>
#include <poplin/conv_util.h>
#include <poplin/convolution.h>
#include <popops/codelets.h>
#include <stdio.h>

enum { ROUNDS = 7 };

static pop_engine *build(const pop_device *device, const struct conv_shape *s, pop_type type, enum conv_pass pass)
{
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    poplin_conv_params forward = poplin_conv_params_make(type, type, s->batch, POP_SHAPE(s->field, s->field),
                                                         POP_SHAPE(s->kernel, s->kernel), s->inputs, s->outputs, 1);
    for (int d = 0; d < 2; ++d) {
        forward.output_transform.stride[d] = s->stride;
        forward.input_transform.padding_lower[d] = forward.input_transform.padding_upper[d] = (unsigned)(s->kernel / 2);
    }
    poplin_conv_params gradient = poplin_get_gradient_params(&forward);
    pop_program program = pop_sequence(graph, NULL);
    pop_tensor in = poplin_create_input(graph, &forward, "in", POP_NO_OPTIONS, NULL);
    pop_tensor weights = poplin_create_weights(graph, &forward, "weights", POP_NO_OPTIONS, NULL);
    pop_tensor deltas = poplin_create_input(graph, &gradient, "deltas", POP_NO_OPTIONS, NULL);
    if (pass == CONV_FORWARD)
        poplin_convolution(graph, in, weights, &forward, false, program, "forward", POP_NO_OPTIONS, NULL);
    else if (pass == CONV_INPUT_GRADIENT)
        poplin_convolution(graph, deltas, weights, &gradient, true, program, "backward", POP_NO_OPTIONS, NULL);
    else
        poplin_calculate_weight_deltas(graph, deltas, in, &forward, program, "update", POP_NO_OPTIONS, NULL);
    return bench_engine(graph, program, device);
}

static void keep_best(double *best, double flops, double start)
{
    double now = flops / (bench_processor_seconds() - start) / 1e9;
    *best = now > *best ? now : *best;
}
static void measure(const pop_device *device, const struct conv_shape *s)
{
    static const char *const passes[CONV_PASSES] = { "forward", "gradient of the input", "gradient of the weights" };
    size_t out = (s->field + s->stride - 1) / s->stride;
    double flops =
        2.0 * (double)(s->batch * out * out) * (double)(s->inputs * s->outputs) * (double)(s->kernel * s->kernel);
    double best[CONV_PASSES][2] = { { 0 } }, theirs[CONV_PASSES] = { 0 };
    pop_error error;
    pop_engine *engines[CONV_PASSES][2];
    for (int pass = 0; pass < CONV_PASSES; ++pass)
        for (int half = 0; half < 2; ++half)
            engines[pass][half] = build(device, s, half ? POP_HALF : POP_FLOAT, (enum conv_pass)pass);
    struct peer_conv *peers[CONV_PASSES];
    for (int pass = 0; pass < CONV_PASSES; ++pass)
        peers[pass] = peer_conv_create(s, (enum conv_pass)pass);
    for (int round = 0; round < ROUNDS; ++round) {
        double start;
        for (int pass = 0; pass < CONV_PASSES; ++pass)
            for (int half = 0; half < 2; ++half) {
                bench_must(pop_engine_run(engines[pass][half], 0, &error), &error);
                start = bench_processor_seconds();
                bench_must(pop_engine_run(engines[pass][half], 0, &error), &error);
                keep_best(&best[pass][half], flops, start);
            }
        for (int pass = 0; pass < CONV_PASSES; ++pass) {
            if (peers[pass])
                peer_conv_run(peers[pass]);
            start = bench_processor_seconds();
            if (peers[pass] && peer_conv_run(peers[pass]))
                keep_best(&theirs[pass], flops, start);
        }
    }
    char shape[64], text[160];
    snprintf(shape, sizeof(shape), "%zux%zux%zux%zu, %zux%zu to %zu, stride %u%s", s->batch, s->field, s->field,
             s->inputs, s->kernel, s->kernel, s->outputs, s->stride, s->groups ? ", by channel" : "");
    for (int pass = 0; pass < CONV_PASSES; ++pass) {
        snprintf(text, sizeof(text), "%s: %s", shape, passes[pass]);
        bench_report(text, best[pass][0], "GFLOP/s", 0);
        if (peers[pass]) {
            snprintf(text, sizeof(text), "%s: %s, times oneDNN's", shape, passes[pass]);
            bench_report(text, best[pass][0] / theirs[pass], "", -0.7);
        }
        peer_conv_destroy(peers[pass]);
        snprintf(text, sizeof(text), "%s: %s, half times float", shape, passes[pass]);
        bench_report(text, best[pass][1] / best[pass][0], "", pass == CONV_FORWARD ? -1 / 1.3 : 0);
        for (int half = 0; half < 2; ++half)
            pop_engine_destroy(engines[pass][half]);
    }
}

void row_conv(void)
{
    static const struct conv_shape shapes[] = {
        { 4, 56, 64, 64, 3, 1, 0 },     { 4, 56, 256, 64, 1, 1, 0 }, { 4, 56, 128, 128, 3, 2, 0 },
        { 4, 14, 256, 256, 3, 1, 0 },   { 4, 7, 512, 512, 3, 1, 0 }, { 4, 224, 3, 64, 7, 2, 0 },
        { 4, 56, 144, 144, 3, 1, 144 },
    };
    pop_error error;
    pop_device *device = pop_cpu_device_create(&error);
    if (!device)
        bench_must(error.status, &error);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i)
        measure(device, &shapes[i]);
    pop_device_destroy(device);
}
