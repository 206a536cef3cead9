/* SPDX-License-Identifier: Apache-2.0 */
/* A network of two layers, 784-128-10, trained by gradient descent: relu between the layers, softmax and cross entropy
 * at the end.  With --replicas N each replica has a part of every batch, and all add up their gradients. */
#include "training.h"

enum { HIDDEN = 128 };

struct layer {
    pop_tensor weights, biases; /* {in, out}, {out} */
};

static struct layer add_layer(struct training *t, size_t in, size_t out, const char *name)
{
    struct layer layer;
    layer.weights = poplin_create_mat_mul_input_rhs(t->graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(t->batch, in),
                                                    POP_SHAPE(in, out), name, POP_NO_OPTIONS, t->cache);
    layer.biases = pop_graph_add_variable(t->graph, POP_FLOAT, POP_SHAPE(out), name);
    poputil_map_tensor_linearly(t->graph, layer.biases);
    training_first_values(t, layer.weights, sqrtf(2.0f / (float)in));
    training_first_values(t, layer.biases, 0);
    return layer;
}

/* x w + b. */
static pop_tensor forward(struct training *t, struct layer layer, pop_tensor x, const char *name)
{
    pop_tensor y = poplin_mat_mul(t->graph, x, layer.weights, t->forward, name, POP_NO_OPTIONS, t->cache);
    popops_add_in_place(t->graph, y, layer.biases, t->forward, name);
    return y;
}

/* The update of the weights and biases, by the gradient of a layer's output. */
static void update(struct training *t, struct layer layer, pop_tensor x, pop_tensor gradient, const char *name)
{
    pop_tensor bias_gradient =
        popops_reduce(t->graph, gradient, POP_TYPE_NULL, POP_DIMS(0), (popops_reduce_params){ .op = POPOPS_ADD },
                      t->backward, name, POP_NO_OPTIONS);
    training_update(t, layer.biases, bias_gradient, name);
    if (t->replicas > 1) {
        training_update(
            t, layer.weights,
            poplin_mat_mul(t->graph, pop_tensor_transpose(x), gradient, t->backward, name, POP_NO_OPTIONS, t->cache),
            name);
        return;
    }
    poplin_mat_mul_acc(t->graph, layer.weights, (float)(-t->rate / t->batch), pop_tensor_transpose(x), gradient,
                       t->backward, name, POP_NO_OPTIONS, t->cache);
}

int main(int argc, char **argv)
{
    struct training defaults = {
        .data = "data", .epochs = 5, .batch = 64, .train_digits = 6000, .test_digits = 1000, .rate = 0.1, .replicas = 1
    };
    struct training t = training_open(argc, argv, &defaults);
    struct layer first = add_layer(&t, DIGITS_PIXELS, HIDDEN, "first"),
                 second = add_layer(&t, HIDDEN, DIGITS_CLASSES, "second");

    pop_tensor hidden = forward(&t, first, t.images, "first");
    popnn_non_linearity_in_place(t.graph, POPNN_RELU, hidden, t.forward, "relu");
    training_loss(&t, forward(&t, second, hidden, "second"));

    pop_tensor gradient = poplin_mat_mul(t.graph, t.deltas, pop_tensor_transpose(second.weights), t.backward, "second",
                                         POP_NO_OPTIONS, t.cache);
    gradient = popnn_non_linearity_input_gradient(t.graph, POPNN_RELU, hidden, gradient, t.backward, "relu");
    update(&t, second, hidden, t.deltas, "second");
    update(&t, first, t.images, gradient, "first");
    return training_run(&t, "two layers");
}
