/* SPDX-License-Identifier: Apache-2.0 */
/* A recurrent network: an LSTM reads a digit row by row, 28 steps of 28 pixels, and its last output is classified. */
#include "training.h"

#include <popnn/lstm.h>

enum { HIDDEN = 64 };

static void first_weights(struct training *t, popnn_lstm_weights weights)
{
    training_first_values(t, weights.input_weights, 1 / sqrtf(DIGITS_SIDE));
    training_first_values(t, weights.output_weights, 1 / sqrtf(HIDDEN));
    training_first_values(t, weights.biases, 0);
}

int main(int argc, char **argv)
{
    struct training defaults = {
        .data = "data", .epochs = 5, .batch = 50, .train_digits = 6000, .test_digits = 1000, .rate = 0.5
    };
    struct training t = training_open(argc, argv, &defaults);
    popnn_lstm_params params = popnn_lstm_params_make(POP_FLOAT, t.batch, DIGITS_SIDE, DIGITS_SIDE, HIDDEN);
    params.output_full_sequence = false;
    params.calc_input_gradients = false;
    popnn_lstm_weights weights = popnn_lstm_create_weights(t.graph, &params, "lstm", POP_NO_OPTIONS, t.cache),
                       weight_gradients;
    popnn_lstm_state state = popnn_lstm_create_initial_state(t.graph, &params, "state", POP_NO_OPTIONS, t.cache);
    first_weights(&t, weights);
    pop_tensor dense =
        poplin_create_mat_mul_input_rhs(t.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(t.batch, HIDDEN),
                                        POP_SHAPE(HIDDEN, DIGITS_CLASSES), "dense", POP_NO_OPTIONS, t.cache);
    training_first_values(&t, dense, 1 / sqrtf(HIDDEN));

    /* {batch, rows, pixels} as {rows, batch, pixels}, the order of the LSTM. */
    pop_tensor rows = popnn_lstm_create_input(t.graph, &params, "rows", POP_NO_OPTIONS, t.cache), kept;
    pop_tensor pictures = pop_tensor_reshape(t.images, POP_SHAPE(t.batch, DIGITS_SIDE, DIGITS_SIDE));
    pop_sequence_add(t.forward, pop_copy(pop_tensor_dim_shuffle(pictures, POP_DIMS(1, 0, 2)), rows, false, "rows"));
    popnn_lstm_zero_initial_state(t.graph, state, t.forward, "state");
    pop_tensor said =
        popnn_lstm_fwd(t.graph, &params, state, rows, weights, &kept, NULL, t.forward, "lstm", POP_NO_OPTIONS, t.cache);
    training_loss(&t, poplin_mat_mul(t.graph, said, dense, t.forward, "dense", POP_NO_OPTIONS, t.cache));

    popnn_lstm_forward forward = { state, kept, rows, said, weights };
    pop_tensor gradient =
        poplin_mat_mul(t.graph, t.deltas, pop_tensor_transpose(dense), t.backward, "dense", POP_NO_OPTIONS, t.cache);
    popnn_lstm_bwd_with_wu(t.graph, &params, t.backward, &forward, gradient, NULL, NULL, &weight_gradients, "lstm",
                           POP_NO_OPTIONS, t.cache);
    training_update(&t, weights.input_weights, weight_gradients.input_weights, "input");
    training_update(&t, weights.output_weights, weight_gradients.output_weights, "output");
    training_update(&t, weights.biases, weight_gradients.biases, "biases");
    poplin_mat_mul_acc(t.graph, dense, (float)(-t.rate / t.batch), pop_tensor_transpose(said), t.deltas, t.backward,
                       "dense", POP_NO_OPTIONS, t.cache);
    return training_run(&t, "LSTM");
}
