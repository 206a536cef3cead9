/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 5: a basic machine learning example.  Logistic regression of handwritten digits by gradient descent: ten
 * outputs, each a weighted sum of 784 pixels; the weights follow the gradient of the cross entropy of their softmax,
 * batch after batch.
 *
 *     ./regression [-IPU] [DIRECTORY]      a modelled IPU, or one of type IPU; the directory of the MNIST files (data)
 */
#include "digits/digits.h"

#include <poplar/poplar.h>
#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popnn/codelets.h>
#include <popnn/loss.h>
#include <popnn/non_linearity.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
#include <popops/fill.h>
#include <poputil/poputil.h>

enum { BATCH = 16, EPOCHS = 3, DIGITS = 4000, TEST_DIGITS = 1000 };
static const double learning_rate = 0.05;

static void check(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    pop_error_print(error);
    exit(EXIT_FAILURE);
}

/* One device: a model, or the first of type IPU. */
static pop_device *find_device(bool ipu)
{
    pop_error error = { 0 };
    if (!ipu) {
        pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ 0 }, &error);
        check(error.status, &error);
        return device;
    }
    pop_device *device = NULL;
    pop_device_manager *manager = pop_device_manager_create(POP_NO_OPTIONS, &error);
    check(error.status, &error);
    if (!pop_device_manager_devices(manager, POP_TARGET_IPU, 1, &device, 1) || !pop_device_attach(device)) {
        fputs("there is no device of type IPU (TREMULA_IPU=ipu2 models one)\n", stderr);
        exit(EXIT_FAILURE);
    }
    pop_device_manager_destroy(manager);
    return device;
}

struct network {
    pop_graph *graph;
    pop_tensor images, labels, weights, correct;
    pop_program train, test; /* a batch each */
};

static struct network build(pop_graph *graph, poplin_planning_cache *cache)
{
    struct network n = { .graph = graph };
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    popnn_add_codelets(graph);

    /* Streams for the data: a batch of pictures and their labels. */
    n.images =
        pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(BATCH, DIGITS_PIXELS), POP_MAPPING_LINEAR, "images");
    n.labels = pop_graph_add_variable_mapped(graph, POP_UNSIGNED_INT, POP_SHAPE(BATCH), POP_MAPPING_LINEAR, "labels");
    pop_stream images = pop_graph_add_host_to_device_fifo(graph, "images", POP_FLOAT, BATCH * DIGITS_PIXELS,
                                                          POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream labels = pop_graph_add_host_to_device_fifo(graph, "labels", POP_UNSIGNED_INT, BATCH,
                                                          POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_program fetch = pop_sequence(graph, "fetch");
    pop_sequence_add(fetch, pop_copy_from_stream(images, n.images, false, NULL));
    pop_sequence_add(fetch, pop_copy_from_stream(labels, n.labels, false, NULL));

    /* The weights have the layout that the product plans. */
    n.weights =
        poplin_create_mat_mul_input_rhs(graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(BATCH, DIGITS_PIXELS),
                                        POP_SHAPE(DIGITS_PIXELS, DIGITS_CLASSES), "weights", POP_NO_OPTIONS, cache);
    n.correct = pop_graph_add_variable_mapped(graph, POP_UNSIGNED_INT, POP_SHAPE(), POP_MAPPING_LINEAR, "correctSum");
    pop_tensor loss = pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(BATCH), POP_MAPPING_LINEAR, "loss");

    /* Forward: the probability of each digit, and the gradient of the loss. */
    pop_program forward = pop_sequence(graph, "forward");
    pop_sequence_add(forward, fetch);
    pop_tensor outputs = poplin_mat_mul(graph, n.images, n.weights, forward, "outputs", POP_NO_OPTIONS, cache);
    pop_tensor deltas =
        pop_graph_clone(graph, POP_TYPE_NULL, outputs, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "deltas");
    popnn_softmax_in_place(graph, outputs, forward, "softmax");
    pop_sequence_add(forward, popnn_calc_loss_and_accuracy(graph, outputs, n.labels, loss, deltas, n.correct,
                                                           POPNN_CROSS_ENTROPY_LOSS, "loss"));

    /* Backward: update the weights. */
    n.test = forward;
    n.train = pop_sequence_of(graph, POP_PROGRAMS(forward), "train");
    poplin_mat_mul_acc(graph, n.weights, (float)(-learning_rate / BATCH), pop_tensor_transpose(n.images), deltas,
                       n.train, "update", POP_NO_OPTIONS, cache);
    return n;
}

/* Counts from zero over all batches of a set of digits. */
static pop_program over(struct network *n, pop_program batch, const struct digits *digits, const char *name)
{
    pop_program whole = pop_sequence(n->graph, name);
    popops_zero(n->graph, n->correct, whole, name);
    pop_sequence_add(whole, pop_repeat((unsigned)(digits->count / BATCH), batch, name));
    return whole;
}

static double accuracy(pop_engine *engine, unsigned program, struct digits *digits)
{
    pop_error error = { 0 };
    uint32_t correct;
    size_t used = digits->count / BATCH * BATCH;
    check(pop_engine_connect_stream_circular(engine, "images", digits->images, digits->images + used * DIGITS_PIXELS,
                                             &error),
          &error);
    check(pop_engine_connect_stream_circular(engine, "labels", digits->labels, digits->labels + used, &error), &error);
    check(pop_engine_run(engine, program, &error), &error);
    check(pop_engine_read_tensor(engine, "correct", &correct, sizeof(correct), &error), &error);
    return 100.0 * (double)correct / (double)used;
}

int main(int argc, char **argv)
{
    bool ipu = argc > 1 && strcmp(argv[1], "-IPU") == 0;
    const char *directory = argc > 1 + ipu ? argv[1 + ipu] : "data";
    pop_error error = { 0 };
    struct digits train = digits_load(directory, "train", DIGITS, 1),
                  test = digits_load(directory, "t10k", TEST_DIGITS, 2);
    if (train.drawn)
        printf("No MNIST files in %s: %zu digits are drawn instead\n", directory, train.count);

    pop_device *device = find_device(ipu);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    poplin_planning_cache *cache = poplin_planning_cache_create();
    struct network network = build(graph, cache);
    pop_program programs[] = { over(&network, network.train, &train, "epoch"),
                               over(&network, network.test, &test, "test") };
    pop_graph_create_host_read(graph, "correct", network.correct);
    pop_engine *engine = pop_engine_create(graph, (pop_programs){ 2, programs }, POP_NO_OPTIONS, &error);
    check(error.status, &error);
    check(pop_engine_load(engine, device, &error), &error);
    for (int epoch = 1; epoch <= EPOCHS; ++epoch) {
        double right = accuracy(engine, 0, &train);
        printf("Epoch %d: accuracy %.1f %% while training, %.1f %% in the test\n", epoch, right,
               accuracy(engine, 1, &test));
        fflush(stdout);
    }
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    poplin_planning_cache_destroy(cache);
    pop_device_destroy(device);
    digits_free(&train);
    digits_free(&test);
    return 0;
}
