/* SPDX-License-Identifier: Apache-2.0 */
/* bench_layers: layers of networks on the CPU device, in float, on all threads.  For each line of the input, a number
 * of runs and the name of a layer, it runs the layer that often and prints the seconds of one run.  Layers are built
 * and loaded when they are named first. */
#include "../timed.h"

#include <poplar/poplar.h>
#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popnn/gru.h>
#include <popnn/lstm.h>
#include <popnn/non_linearity.h>
#include <popnn/norms.h>
#include <popnn/pooling.h>
#include <popops/codelets.h>
#include <popops/dynamic_slice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shapes of layers.py. */
enum {
    ROWS = 4096,
    COLUMNS = 1024,
    BATCH = 8,
    CHANNELS = 64,
    SIDE = 112,
    STEPS = 64,
    SEQUENCES = 32,
    WIDTH = 256,
    WORDS = 50000,
    LOOKUPS = 16384
};

static pop_tensor new_tensor(pop_graph *graph, pop_shape shape, const char *name)
{
    pop_tensor t = pop_graph_add_variable(graph, POP_FLOAT, shape, name);
    pop_graph_set_tile_mapping(graph, t, 0);
    return t;
}

/* Where operands are written (NULL: nowhere), the layer that is being built, and how many operands it has. */
static struct {
    const char *directory, *layer;
    unsigned operands;
} written;

static void write_file(const char *what, const void *data, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s.%s", written.directory, written.layer, what);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}
/* Sets an operand's values before the first run. */
static void set(pop_graph *graph, pop_tensor t, const void *values)
{
    char what[16];
    snprintf(what, sizeof(what), "%u", written.operands++);
    pop_graph_set_initial_value(graph, t, pop_tensor_type(t), values);
    if (written.directory)
        write_file(what, values, pop_tensor_num_elements(t) * pop_type_size(pop_tensor_type(t)));
}
static void fill(pop_graph *graph, pop_tensor t, float size)
{
    size_t count = pop_tensor_num_elements(t);
    float *values = malloc(count * sizeof(*values));
    for (size_t i = 0; i < count && values; ++i)
        values[i] = size * (float)(rand() % 2001 - 1000) / 1000.0f;
    set(graph, t, values);
    free(values);
}

static pop_tensor softmax(pop_graph *graph, pop_program program)
{
    pop_tensor t = new_tensor(graph, POP_SHAPE(ROWS, COLUMNS), "in");
    fill(graph, t, 1);
    popnn_non_linearity_in_place(graph, POPNN_SOFTMAX_STABLE, t, program, "softmax");
    return t;
}

static pop_tensor images(pop_graph *graph)
{
    pop_tensor t = new_tensor(graph, POP_SHAPE(BATCH, CHANNELS, SIDE, SIDE), "images");
    fill(graph, t, 1);
    return t;
}

static pop_tensor pool(pop_graph *graph, pop_program program, popnn_pooling_type type, size_t kernel, int padding)
{
    popnn_pool_params params = { .type = type,
                                 .dims = 2,
                                 .input_field = { SIDE, SIDE },
                                 .kernel = { kernel, kernel },
                                 .stride = { 2, 2 },
                                 .padding_lower = { padding, padding },
                                 .padding_upper = { padding, padding },
                                 .channels = CHANNELS,
                                 .batch = BATCH,
                                 .data_type = POP_FLOAT };
    return popnn_pool(graph, &params, images(graph), program, "pool", POP_NO_OPTIONS);
}
static pop_tensor max_pool(pop_graph *graph, pop_program program)
{
    return pool(graph, program, POPNN_POOL_MAX, 3, 1);
}
static pop_tensor average_pool(pop_graph *graph, pop_program program)
{
    return pool(graph, program, POPNN_POOL_AVG, 2, 0);
}

static pop_tensor batch_norm(pop_graph *graph, pop_program program)
{
    pop_tensor in = images(graph), mean, deviation;
    pop_tensor gamma = new_tensor(graph, POP_SHAPE(CHANNELS), "gamma"),
               beta = new_tensor(graph, POP_SHAPE(CHANNELS), "beta");
    fill(graph, gamma, 1);
    fill(graph, beta, 1);
    popnn_batch_norm_statistics(graph, in, 1e-5, program, false, false, POP_FLOAT, "norm", POP_NO_OPTIONS, &mean,
                                &deviation);
    return popnn_batch_normalise(graph, in, gamma, beta, mean, deviation, program, "norm", POP_NO_OPTIONS, NULL);
}

static pop_tensor layer_norm(pop_graph *graph, pop_program program)
{
    pop_tensor in = new_tensor(graph, POP_SHAPE(ROWS, COLUMNS), "in"), mean, deviation;
    pop_tensor gamma = new_tensor(graph, POP_SHAPE(COLUMNS), "gamma"),
               beta = new_tensor(graph, POP_SHAPE(COLUMNS), "beta");
    fill(graph, in, 1);
    fill(graph, gamma, 1);
    fill(graph, beta, 1);
    popnn_layer_norm_statistics(graph, in, 1e-5, program, false, false, POP_FLOAT, "norm", POP_NO_OPTIONS, &mean,
                                &deviation);
    return popnn_layer_normalise(graph, in, gamma, beta, mean, deviation, program, "norm", POP_NO_OPTIONS, NULL);
}

static pop_tensor lstm(pop_graph *graph, pop_program program)
{
    popnn_lstm_params params = popnn_lstm_params_make(POP_FLOAT, SEQUENCES, STEPS, WIDTH, WIDTH);
    pop_tensor in = popnn_lstm_create_input(graph, &params, "in", POP_NO_OPTIONS, NULL);
    popnn_lstm_weights weights = popnn_lstm_create_weights(graph, &params, "weights", POP_NO_OPTIONS, NULL);
    popnn_lstm_state state = popnn_lstm_create_initial_state(graph, &params, "state", POP_NO_OPTIONS, NULL);
    fill(graph, in, 1);
    fill(graph, weights.input_weights, 1 / 16.0f);
    fill(graph, weights.output_weights, 1 / 16.0f);
    fill(graph, weights.biases, 1);
    pop_tensor states[] = { state.output, state.cell_state };
    for (size_t i = 0; i < 2; ++i)
        fill(graph, states[i], 1);
    return popnn_lstm_fwd(graph, &params, state, in, weights, NULL, NULL, program, "lstm",
                          POP_OPTIONS({ "inferenceOnly", "true" }), NULL);
}

static pop_tensor gru(pop_graph *graph, pop_program program)
{
    popnn_gru_params params = popnn_gru_params_make(POP_FLOAT, SEQUENCES, STEPS, WIDTH, WIDTH);
    params.reset_after = true; /* as PyTorch's */
    pop_tensor in = popnn_gru_create_input(graph, &params, "in", POP_NO_OPTIONS, NULL);
    popnn_gru_weights weights = popnn_gru_create_weights(graph, &params, "weights", POP_NO_OPTIONS, NULL);
    pop_tensor state = popnn_gru_create_initial_state(graph, &params, "state", POP_NO_OPTIONS, NULL);
    fill(graph, in, 1);
    fill(graph, weights.input_weights, 1 / 16.0f);
    fill(graph, weights.output_weights, 1 / 16.0f);
    fill(graph, weights.biases, 1);
    fill(graph, state, 1);
    return popnn_gru_fwd(graph, &params, state, in, weights, NULL, program, "gru",
                         POP_OPTIONS({ "inferenceOnly", "true" }), NULL);
}

static pop_tensor embedding(pop_graph *graph, pop_program program)
{
    pop_tensor table = new_tensor(graph, POP_SHAPE(WORDS, WIDTH), "table");
    pop_tensor words = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(LOOKUPS, 1), "words");
    pop_graph_set_tile_mapping(graph, words, 0);
    static uint32_t numbers[LOOKUPS];
    for (size_t i = 0; i < LOOKUPS; ++i)
        numbers[i] = (uint32_t)rand() % WORDS;
    fill(graph, table, 1);
    set(graph, words, numbers);
    return popops_multi_slice(graph, table, words, POP_DIMS(0), POP_SHAPE(1), program, NULL, "embedding",
                              POP_NO_OPTIONS);
}

static struct layer {
    const char *name;
    pop_tensor (*build)(pop_graph *graph, pop_program program);
    pop_engine *engine; /* once it was named */
} layers[] = { { "softmax", softmax, NULL },
               { "max-pool", max_pool, NULL },
               { "average-pool", average_pool, NULL },
               { "batch-norm", batch_norm, NULL },
               { "layer-norm", layer_norm, NULL },
               { "lstm", lstm, NULL },
               { "gru", gru, NULL },
               { "embedding", embedding, NULL } };
enum { LAYERS = sizeof(layers) / sizeof(layers[0]) };

static void load(struct layer *layer, const pop_device *device)
{
    pop_error error = { 0 };
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    popnn_add_codelets(graph);
    pop_program program = pop_sequence(graph, layer->name);
    written.layer = layer->name;
    written.operands = 0;
    pop_tensor out = layer->build(graph, program);
    size_t bytes = pop_tensor_num_elements(out) * sizeof(float);
    pop_graph_create_host_read(graph, "out", out);
    layer->engine = pop_engine_create(graph, POP_PROGRAMS(program), POP_NO_OPTIONS, &error);
    must(error.status, &error);
    must(pop_engine_load(layer->engine, device, &error), &error);
    pop_graph_destroy(graph);
    if (!written.directory)
        return;
    void *values = malloc(bytes);
    must(pop_engine_run(layer->engine, 0, &error), &error);
    must(pop_engine_read_tensor(layer->engine, "out", values, bytes, &error), &error);
    write_file("out", values, bytes);
    free(values);
}

int main(int argc, char **argv)
{
    written.directory = argc > 1 ? argv[1] : NULL;
    pop_error error = { 0 };
    pop_device *device = pop_cpu_device_create(&error);
    must(error.status, &error);
    char name[32];
    for (int runs; scanf("%d %31s", &runs, name) == 2;) {
        struct layer *layer = layers;
        while (layer < layers + LAYERS && strcmp(layer->name, name) != 0)
            ++layer;
        if (layer == layers + LAYERS || runs < 1) {
            fprintf(stderr, "bench_layers: no layer '%s', or %d runs\n", name, runs);
            return 1;
        }
        if (!layer->engine)
            load(layer, device);
        double start = seconds();
        for (int i = 0; i < runs; ++i)
            must(pop_engine_run(layer->engine, 0, &error), &error);
        printf("%.9f\n", (seconds() - start) / runs);
        fflush(stdout);
    }
    for (size_t i = 0; i < LAYERS; ++i)
        pop_engine_destroy(layers[i].engine);
    pop_device_destroy(device);
    return 0;
}
