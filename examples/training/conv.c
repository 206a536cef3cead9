/* SPDX-License-Identifier: Apache-2.0 */
/* A small convolutional network: 8 kernels of 5 x 5 with stride 2, relu, 16 of 3 x 3 with stride 2, relu, and a dense
 * layer to the ten digits. */
#include "training.h"

#include <poplin/conv_util.h>
#include <poplin/convolution.h>

struct conv {
    poplin_conv_params params;
    pop_tensor weights, biases, in, out;
    const char *name;
};

static struct conv add_conv(struct training *t, pop_tensor in, size_t channels, size_t kernel, const char *name)
{
    size_t side = pop_tensor_dim(in, 2);
    struct conv conv = { .in = in, .name = name };
    conv.params = poplin_conv_params_make(POP_FLOAT, POP_FLOAT, t->batch, POP_SHAPE(side, side),
                                          POP_SHAPE(kernel, kernel), pop_tensor_dim(in, 1), channels, 1);
    for (size_t d = 0; d < 2; ++d) {
        conv.params.output_transform.stride[d] = 2;
        conv.params.input_transform.padding_lower[d] = conv.params.input_transform.padding_upper[d] =
            (unsigned)kernel / 2;
    }
    conv.weights = poplin_create_weights(t->graph, &conv.params, name, POP_NO_OPTIONS, t->cache);
    training_first_values(t, conv.weights, sqrtf(2.0f / (float)(kernel * kernel * pop_tensor_dim(in, 1))));
    conv.out =
        poplin_convolution(t->graph, in, conv.weights, &conv.params, false, t->forward, name, POP_NO_OPTIONS, t->cache);
    conv.biases = poplin_create_biases(t->graph, conv.out, name, POP_NO_OPTIONS);
    training_first_values(t, conv.biases, 0);
    poplin_add_bias(t->graph, conv.out, conv.biases, t->forward, name, POP_NO_OPTIONS);
    popnn_non_linearity_in_place(t->graph, POPNN_RELU, conv.out, t->forward, name);
    return conv;
}

/* From the gradient of the layer's output: the gradient of its input, if needed, and the update of its weights. */
static pop_tensor backward(struct training *t, const struct conv *conv, pop_tensor gradient, bool input)
{
    pop_tensor deltas = popnn_non_linearity_input_gradient(t->graph, POPNN_RELU, conv->out, gradient, t->backward,
                                                           conv->name),
               before = { 0 };
    if (input) {
        poplin_conv_params params = poplin_get_gradient_params(&conv->params);
        before = poplin_convolution(t->graph, deltas, conv->weights, &params, true, t->backward, conv->name,
                                    POP_NO_OPTIONS, t->cache);
    }
    poplin_convolution_bias_update_constant(t->graph, deltas, conv->biases, -t->rate / t->batch, t->backward,
                                            conv->name, POP_NO_OPTIONS);
    poplin_convolution_weight_update_constant(t->graph, deltas, conv->weights, conv->in, &conv->params,
                                              -t->rate / t->batch, t->backward, conv->name, POP_NO_OPTIONS, t->cache);
    return before;
}

int main(int argc, char **argv)
{
    struct training defaults = {
        .data = "data", .epochs = 5, .batch = 50, .train_digits = 3000, .test_digits = 1000, .rate = 0.1
    };
    struct training t = training_open(argc, argv, &defaults);
    pop_tensor pictures = pop_tensor_reshape(t.images, POP_SHAPE(t.batch, 1, DIGITS_SIDE, DIGITS_SIDE));
    struct conv first = add_conv(&t, pictures, 8, 5, "first"), second = add_conv(&t, first.out, 16, 3, "second");

    size_t side = pop_tensor_dim(second.out, 2), features = 16 * side * side;
    pop_tensor flat = pop_tensor_reshape(second.out, POP_SHAPE(t.batch, features));
    pop_tensor dense =
        poplin_create_mat_mul_input_rhs(t.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(t.batch, features),
                                        POP_SHAPE(features, DIGITS_CLASSES), "dense", POP_NO_OPTIONS, t.cache);
    training_first_values(&t, dense, 1 / sqrtf((float)features));
    training_loss(&t, poplin_mat_mul(t.graph, flat, dense, t.forward, "dense", POP_NO_OPTIONS, t.cache));

    pop_tensor gradient =
        poplin_mat_mul(t.graph, t.deltas, pop_tensor_transpose(dense), t.backward, "dense", POP_NO_OPTIONS, t.cache);
    gradient = backward(&t, &second, pop_tensor_reshape(gradient, POP_SHAPE(t.batch, 16, side, side)), true);
    backward(&t, &first, gradient, false);
    poplin_mat_mul_acc(t.graph, dense, (float)(-t.rate / t.batch), pop_tensor_transpose(flat), t.deltas, t.backward,
                       "dense", POP_NO_OPTIONS, t.cache);
    return training_run(&t, "convolutions");
}
