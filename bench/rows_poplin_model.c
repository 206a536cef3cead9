/* SPDX-License-Identifier: Apache-2.0 */
/* Square matrix products, layers of ResNet-50, LSTM layers and element-wise operations on the modelled IPU compared
 * with the same on the CPU device: processor time of one thread, the best of a few alternating rounds. */
#include "bench.h"

#include <poplin/codelets.h>
#include <poplin/conv_util.h>
#include <poplin/convolution.h>
#include <poplin/mat_mul.h>
#include <popnn/codelets.h>
#include <popnn/lstm.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
#include <poputil/tile_mapping.h>
#include <stdio.h>

enum { ROUNDS = 5 };

static pop_engine *build(const pop_device *device, size_t size, pop_type type)
{
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    pop_tensor a = poplin_create_mat_mul_input_lhs(graph, type, type, POP_SHAPE(size, size), POP_SHAPE(size, size), "a",
                                                   POP_NO_OPTIONS, NULL);
    pop_tensor b = poplin_create_mat_mul_input_rhs(graph, type, type, POP_SHAPE(size, size), POP_SHAPE(size, size), "b",
                                                   POP_NO_OPTIONS, NULL);
    pop_program program = pop_sequence(graph, NULL);
    poplin_mat_mul(graph, a, b, program, "mm", POP_NO_OPTIONS, NULL);
    return bench_engine(graph, program, device);
}

static double run(pop_engine *engine)
{
    pop_error error;
    double start = bench_processor_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    return bench_processor_seconds() - start;
}

/* A layer: square fields, kernels padded by half, and as many images as fit on one IPU. */
struct layer {
    size_t batch, field, inputs, outputs, kernel;
    unsigned stride;
};
static pop_engine *build_layer(const pop_device *device, const struct layer *l, pop_type type)
{
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    poplin_conv_params params = poplin_conv_params_make(type, type, l->batch, POP_SHAPE(l->field, l->field),
                                                        POP_SHAPE(l->kernel, l->kernel), l->inputs, l->outputs, 1);
    for (int d = 0; d < 2; ++d) {
        params.output_transform.stride[d] = l->stride;
        params.input_transform.padding_lower[d] = params.input_transform.padding_upper[d] = (unsigned)(l->kernel / 2);
    }
    pop_tensor in = poplin_create_input(graph, &params, "in", POP_NO_OPTIONS, NULL);
    pop_tensor weights = poplin_create_weights(graph, &params, "weights", POP_NO_OPTIONS, NULL);
    pop_program program = pop_sequence(graph, NULL);
    poplin_convolution(graph, in, weights, &params, false, program, "layer", POP_NO_OPTIONS, NULL);
    return bench_engine(graph, program, device);
}

/* A layer of LSTM cells, forward. */
enum { STEPS = 8, SEQUENCES = 32 };
static pop_engine *build_lstm(const pop_device *device, size_t width, pop_type type)
{
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    popnn_add_codelets(graph);
    popnn_lstm_params params = popnn_lstm_params_make(type, SEQUENCES, STEPS, width, width);
    pop_options inference = POP_OPTIONS({ "inferenceOnly", "true" });
    pop_tensor in = popnn_lstm_create_input(graph, &params, "in", inference, NULL);
    popnn_lstm_weights weights = popnn_lstm_create_weights(graph, &params, "weights", inference, NULL);
    popnn_lstm_state state = popnn_lstm_create_initial_state(graph, &params, "state", inference, NULL);
    pop_program program = pop_sequence(graph, NULL);
    popnn_lstm_fwd(graph, &params, state, in, weights, NULL, NULL, program, "lstm", inference, NULL);
    return bench_engine(graph, program, device);
}

enum { ELEMENTS = 1 << 24 };
static pop_engine *build_elements(const pop_device *device, pop_type type, bool add)
{
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    pop_tensor a = pop_graph_add_variable(graph, type, POP_SHAPE(ELEMENTS), "a"),
               b = pop_graph_add_variable(graph, type, POP_SHAPE(ELEMENTS), "b");
    poputil_map_tensor_linearly(graph, a);
    poputil_map_tensor_linearly(graph, b);
    pop_program program = pop_sequence(graph, NULL);
    if (add)
        popops_add_in_place(graph, a, b, program, "add");
    else
        popops_tanh_in_place(graph, a, program, "tanh");
    return bench_engine(graph, program, device);
}

/* Compares the engines of the model and of the CPU device, and destroys them. */
static void compare(pop_engine *engines[2], double flops, const char *what, pop_type type)
{
    double best[] = { 0, 0 };
    for (int round = 0; round < ROUNDS; ++round)
        for (int i = 0; i < 2; ++i) {
            double now = flops / run(engines[i]) / 1e9;
            best[i] = now > best[i] ? now : best[i];
        }
    char text[96];
    snprintf(text, sizeof(text), "%s, one thread", what);
    bench_report(text, best[0], "GFLOP/s", 0);
    snprintf(text, sizeof(text), "%s: times the CPU device", what);
    bench_report(text, best[0] / best[1], "", type == POP_HALF ? -0.4 : -0.5);
    pop_engine_destroy(engines[0]);
    pop_engine_destroy(engines[1]);
}

void row_model(void)
{
    pop_error error;
    pop_device *model = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2" }, &error);
    if (!model)
        bench_must(error.status, &error);
    pop_device *cpu = pop_cpu_device_create(&error);
    if (!cpu)
        bench_must(error.status, &error);
    static const size_t sizes[] = { 1024, 2048, 4096 };
    static const struct layer layers[] = { { 4, 56, 64, 64, 3, 1 },
                                           { 4, 56, 64, 256, 1, 1 },
                                           { 4, 28, 128, 128, 3, 1 },
                                           { 4, 14, 256, 256, 3, 1 },
                                           { 4, 14, 1024, 256, 1, 1 } };
    static const struct {
        pop_type type;
        const char *name;
    } types[] = { { POP_FLOAT, "float" }, { POP_HALF, "half" } };
    char what[64];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
        for (size_t t = 0; t < 2; ++t) {
            size_t size = sizes[i];
            pop_engine *engines[] = { build(model, size, types[t].type), build(cpu, size, types[t].type) };
            snprintf(what, sizeof(what), "product of %zu x %zu, %s", size, size, types[t].name);
            compare(engines, 2.0 * (double)size * (double)size * (double)size, what, types[t].type);
        }
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); ++i)
        for (size_t t = 0; t < 2; ++t) {
            const struct layer *l = &layers[i];
            size_t out = (l->field + l->stride - 1) / l->stride;
            pop_engine *engines[] = { build_layer(model, l, types[t].type), build_layer(cpu, l, types[t].type) };
            snprintf(what, sizeof(what), "%zux%zux%zux%zu, %zux%zu to %zu, %s", l->batch, l->field, l->field, l->inputs,
                     l->kernel, l->kernel, l->outputs, types[t].name);
            compare(engines,
                    2.0 * (double)(l->batch * out * out) * (double)(l->inputs * l->outputs) *
                        (double)(l->kernel * l->kernel),
                    what, types[t].type);
        }
    for (size_t t = 0; t < 2; ++t) {
        pop_type type = types[t].type;
        for (size_t width = 256; width <= 1024; width *= 2) {
            pop_engine *engines[] = { build_lstm(model, width, type), build_lstm(cpu, width, type) };
            snprintf(what, sizeof(what), "LSTM, %d steps of %d x %zu, %s", STEPS, SEQUENCES, width, types[t].name);
            compare(engines, 2.0 * STEPS * SEQUENCES * 8 * (double)(width * width), what, type);
        }
        for (int add = 1; add >= 0; --add) {
            pop_engine *engines[] = { build_elements(model, type, add), build_elements(cpu, type, add) };
            snprintf(what, sizeof(what), "%s, 16M elements, %s", add ? "a += b" : "tanh", types[t].name);
            compare(engines, ELEMENTS, what, type);
        }
    }
    pop_device_destroy(model);
    pop_device_destroy(cpu);
}
