/* SPDX-License-Identifier: Apache-2.0 */
/* bench_mlp STEPS [FILE]: training steps of a network of three layers, 784-512-512-10, batch 128, plain gradient
 * descent, on the CPU device.  For each line of the input it runs STEPS of them and prints the seconds of one; at the
 * end, the loss of the first and of the last.  FILE has each layer's weights, a row for each input, and its biases; the
 * batch; and its labels: all as float.  Without it they are random. */
#include "../timed.h"

#include <poplar/poplar.h>
#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popnn/codelets.h>
#include <popnn/loss.h>
#include <popnn/non_linearity.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>
#include <popops/scaled_add.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 3, BATCH = 128 };
static const size_t sizes[LAYERS + 1] = { 784, 512, 512, 10 };
static const float rate = 0.05f;

struct network {
    pop_graph *graph;
    pop_program step;
    pop_tensor weights[LAYERS], biases[LAYERS];
    pop_tensor activations[LAYERS + 1]; /* [0] is the batch */
    pop_tensor labels, loss;
};

static pop_tensor variable(struct network *n, pop_type type, pop_shape shape, const char *name)
{
    pop_tensor t = pop_graph_add_variable(n->graph, type, shape, name);
    pop_graph_set_tile_mapping(n->graph, t, 0);
    return t;
}

static void forward(struct network *n)
{
    for (size_t i = 0; i < LAYERS; ++i) {
        pop_tensor act =
            poplin_mat_mul(n->graph, n->activations[i], n->weights[i], n->step, "forward", POP_NO_OPTIONS, NULL);
        popops_add_in_place(n->graph, act, n->biases[i], n->step, "bias");
        if (i + 1 < LAYERS)
            popnn_non_linearity_in_place(n->graph, POPNN_RELU, act, n->step, "relu");
        n->activations[i + 1] = act;
    }
}

/* The gradient of a layer's input is calculated before its weights are updated. */
static void backward(struct network *n, pop_tensor gradient)
{
    for (size_t i = LAYERS; i-- > 0;) {
        pop_tensor next = { 0 };
        if (i > 0) {
            next = poplin_mat_mul(n->graph, gradient, pop_tensor_transpose(n->weights[i]), n->step, "backward",
                                  POP_NO_OPTIONS, NULL);
            next = popnn_non_linearity_input_gradient(n->graph, POPNN_RELU, n->activations[i], next, n->step, "relu");
        }
        float factor = -rate / BATCH;
        poplin_mat_mul_acc(n->graph, n->weights[i], factor, pop_tensor_transpose(n->activations[i]), gradient, n->step,
                           "update", POP_NO_OPTIONS, NULL);
        pop_tensor sums = popops_reduce(n->graph, gradient, POP_FLOAT, POP_DIMS(0),
                                        (popops_reduce_params){ .op = POPOPS_ADD }, n->step, "bias", POP_NO_OPTIONS);
        popops_scaled_add_to_constant(n->graph, n->biases[i], sums, (double)factor, n->step, "bias", POP_NO_OPTIONS);
        gradient = next;
    }
}

static void build(struct network *n)
{
    n->step = pop_sequence(n->graph, "step");
    for (size_t i = 0; i < LAYERS; ++i) {
        char name[16];
        n->weights[i] = variable(n, POP_FLOAT, POP_SHAPE(sizes[i], sizes[i + 1]), "weights");
        n->biases[i] = variable(n, POP_FLOAT, POP_SHAPE(sizes[i + 1]), "biases");
        snprintf(name, sizeof(name), "w%zu", i);
        pop_graph_create_host_write(n->graph, name, n->weights[i]);
        snprintf(name, sizeof(name), "b%zu", i);
        pop_graph_create_host_write(n->graph, name, n->biases[i]);
    }
    n->activations[0] = variable(n, POP_FLOAT, POP_SHAPE(BATCH, sizes[0]), "batch");
    n->labels = variable(n, POP_UNSIGNED_INT, POP_SHAPE(BATCH), "labels");
    n->loss = variable(n, POP_FLOAT, POP_SHAPE(BATCH), "loss");
    pop_graph_create_host_write(n->graph, "batch", n->activations[0]);
    pop_graph_create_host_write(n->graph, "labels", n->labels);
    pop_graph_create_host_read(n->graph, "loss", n->loss);
    forward(n);
    pop_tensor logits = n->activations[LAYERS],
               gradient = variable(n, POP_FLOAT, POP_SHAPE(BATCH, sizes[LAYERS]), "gradient");
    popnn_non_linearity_in_place(n->graph, POPNN_SOFTMAX_STABLE, logits, n->step, "softmax");
    pop_sequence_add(n->step,
                     popnn_calc_loss(n->graph, logits, n->labels, n->loss, gradient, POPNN_CROSS_ENTROPY_LOSS, "loss"));
    backward(n, gradient);
}

/* The next numbers of the file, or random ones up to scale. */
static void get(FILE *file, float *values, size_t count, float scale)
{
    if (file && fread(values, sizeof(*values), count, file) != count) {
        fprintf(stderr, "bench_mlp: the file is too short\n");
        exit(1);
    }
    for (size_t i = 0; i < count && !file; ++i)
        values[i] = ((float)rand() / (float)RAND_MAX - 0.5f) * 2 * scale;
}

static void write_values(pop_engine *engine, const char *name, const void *values)
{
    pop_error error;
    must(pop_engine_write_tensor(engine, name, values, POP_WHOLE, &error), &error);
}

static void fill(pop_engine *engine, FILE *file)
{
    static float values[784 * 512];
    unsigned labels[BATCH];
    for (size_t i = 0; i < LAYERS; ++i) {
        char name[16];
        get(file, values, sizes[i] * sizes[i + 1], 0.05f);
        snprintf(name, sizeof(name), "w%zu", i);
        write_values(engine, name, values);
        get(file, values, sizes[i + 1], 0.05f);
        snprintf(name, sizeof(name), "b%zu", i);
        write_values(engine, name, values);
    }
    get(file, values, BATCH * sizes[0], 0.5f);
    write_values(engine, "batch", values);
    get(file, values, BATCH, 0.5f);
    for (size_t k = 0; k < BATCH; ++k)
        labels[k] = file ? (unsigned)values[k] : (unsigned)rand() % 10;
    write_values(engine, "labels", labels);
}

static double mean_loss(pop_engine *engine)
{
    float loss[BATCH];
    double sum = 0;
    pop_error error;
    must(pop_engine_read_tensor(engine, "loss", loss, POP_WHOLE, &error), &error);
    for (size_t i = 0; i < BATCH; ++i)
        sum += (double)loss[i] / BATCH;
    return sum;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1;
    FILE *file = argc > 2 ? fopen(argv[2], "rb") : NULL;
    if (argc > 2 && !file) {
        perror(argv[2]);
        return 1;
    }
    pop_error error;
    pop_device *device = pop_cpu_device_create(&error);
    struct network n = { .graph = pop_graph_create(pop_device_target(device)) };
    popops_add_codelets(n.graph);
    poplin_add_codelets(n.graph);
    popnn_add_codelets(n.graph);
    build(&n);
    pop_engine *engine = pop_engine_create(n.graph, POP_PROGRAMS(n.step), POP_NO_OPTIONS, &error);
    if (!engine)
        must(error.status, &error);
    must(pop_engine_load(engine, device, &error), &error);
    fill(engine, file);
    must(pop_engine_run(engine, 0, &error), &error);
    double first = mean_loss(engine);
    for (char line[16]; fgets(line, sizeof(line), stdin);) {
        double start = seconds();
        for (int i = 0; i < steps; ++i)
            must(pop_engine_run(engine, 0, &error), &error);
        printf("%.9f\n", (seconds() - start) / steps);
        fflush(stdout);
    }
    printf("%.6f %.6f\n", first, mean_loss(engine));
    if (file)
        fclose(file);
    pop_engine_destroy(engine);
    pop_graph_destroy(n.graph);
    pop_device_destroy(device);
    return 0;
}
