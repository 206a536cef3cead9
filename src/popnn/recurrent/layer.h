/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by LSTM and GRU: a call's arguments and options, the weights of several layer as one matrix, small
 * operations of a loop's body. */
#ifndef POPNN_RECURRENT_LAYER_H
#define POPNN_RECURRENT_LAYER_H

#include "poplibs/call.h"

#include <poplin/fully_connected.h>
#include <popnn/non_linearity.h>
#include <popops/element_wise.h>

enum { MAX_GATES = 4 };

/* The pass that a product belongs to. */
enum layer_pass { LAYER_FORWARD, LAYER_BACKWARD, LAYER_UPDATE };

struct layer {
    const struct call *call;
    pop_type type;
    size_t batch, steps, input, output;
    size_t gates; /* of a cell */
    popnn_non_linearity_type activation, recurrent_activation;
    size_t place[MAX_GATES]; /* index of each gate in weights and biases */
    pop_option given[2];     /* options that are passed on to products */
    size_t num_given;
    bool inference_only, weight_before_loop; /* the options inferenceOnly (set: its default) and preCalcWeights */
    pop_type accumulators; /* type of the weights' gradients: the option weightAccumulatorsType, or the layer's type */
    poplin_planning_cache *cache;
    pop_tensor lengths; /* of the sequences, {batch} or {1} (popnn_gru_params); null: all have all steps */
};

/* Initialises struct layer from the parameters of any layer and from the call's arguments, which have these names;
 * further members follow. */
#define LAYER_OF(params, ...)                                                                                          \
    {                                                                                                                  \
        .call = call, .cache = cache, .type = (params)->data_type, .batch = (params)->batch_size,                      \
        .steps = (params)->time_steps, .input = (params)->input_size, .output = (params)->output_size,                 \
        .activation = (params)->activation, __VA_ARGS__                                                                \
    }

/* Checks that a required structure is not NULL; the error begins "the parameters are" or the like. */
bool layer_is_given(const struct call *call, const void *structure, const char *what);
/* Checks sizes, type, activations, the order of the layer and the options; the caller has filled in the members
 * that LAYER_OF sets. order has an entry for each gate. */
bool layer_open(struct layer *layer, const char *what, const unsigned *order, pop_options options);

/* Checks that t has this shape and the layer's type. */
bool layer_check(const struct layer *layer, pop_tensor t, pop_shape shape, const char *what);
/* Checks weights {n, input, output}, {n, output, output} and biases {n, output}. */
bool layer_check_weights(const struct layer *layer, pop_tensor input_weights, pop_tensor output_weights,
                         pop_tensor biases);

/* Transposes a matrix. */
static inline pop_tensor layer_transposed(const struct layer *layer, pop_tensor matrix)
{
    const struct call *call = layer->call;
    return pop_tensor_transpose(matrix);
}
/* {n, rows, output} as {rows, n output}, and the reverse. */
pop_tensor layer_as_matrix(const struct layer *layer, pop_tensor weights);
pop_tensor layer_from_matrix(const struct layer *layer, pop_tensor matrix);
/* The columns of a gate in {batch, n output}. */
pop_tensor layer_columns(const struct layer *layer, pop_tensor z, unsigned gate);
/* Stacks n tensors {batch, output} to {n, batch, output}. */
pop_tensor layer_stack(const struct layer *layer, const pop_tensor *list, size_t count);
/* Creates operands of the forward product {rows, depth} times {depth, columns}. */
pop_tensor layer_left_operand(const struct layer *layer, size_t rows, size_t depth, size_t columns);
pop_tensor layer_right_operand(const struct layer *layer, size_t rows, size_t depth, size_t columns);
/* A new tensor {n, batch, output}, evenly mapped: elements with the same index are on one tile for all n, and the
 * elements of a tile are contiguous. */
pop_tensor layer_new_stack(const struct layer *layer, size_t n, const char *name);
/* A new tensor, evenly mapped. */
pop_tensor layer_spread(const struct layer *layer, pop_shape shape);
/* A new tensor with the layout of t. */
pop_tensor layer_like(const struct layer *layer, pop_tensor t, const char *name);
/* A new sum of a weight's gradients over the steps: a tensor with the layout of t, in the type of such sums. */
pop_tensor layer_new_gradient_sum(const struct layer *layer, pop_tensor t, const char *name);
/* Adds a step's gradient. */
void layer_add_to_gradient_sum(const struct layer *layer, pop_tensor sum, pop_tensor t, pop_program sequence,
                               const char *name);
/* The gradient in the layer's type, after the last step. */
pop_tensor layer_gradient_of_sum(const struct layer *layer, pop_tensor sum, pop_program sequence);

/* Parameters of a product {rows, depth} times {depth, columns}, for planning. */
poplin_fc_mat_mul layer_product_params(pop_type type, enum layer_pass pass, bool inference_only, size_t rows,
                                       size_t depth, size_t columns);
/* Options of a pass's products, with their storage. */
struct layer_options {
    pop_option list[4];
};
pop_options layer_options(const struct layer *layer, enum layer_pass pass, struct layer_options *storage);

/* Adds a product to a sequence. */
pop_tensor layer_product(const struct layer *layer, enum layer_pass pass, pop_tensor a, pop_tensor b,
                         pop_program sequence);
/* A backward product in a loop's body; b, which the loop does not modify, is rearranged once, before the loop. */
pop_tensor layer_product_in_loop(const struct layer *layer, pop_tensor a, pop_tensor b, pop_program before,
                                 pop_program body);
/* Whether to accumulate the weights' gradients in the loop of the backward pass. A separate loop afterwards no
 * longer needs memory for the rearranged weights, but the gates' gradients of all steps must be stored: chooses the
 * smaller. */
bool layer_update_in_loop(const struct layer *layer);
/* sum += a^T b */
void layer_add_product(const struct layer *layer, pop_tensor sum, pop_tensor a, pop_tensor b, pop_program sequence);
pop_tensor layer_binary(const struct layer *layer, popops_binary_op op, pop_tensor a, pop_tensor b,
                        pop_program sequence, const char *name);
void layer_binary_in_place(const struct layer *layer, popops_binary_op op, pop_tensor a, pop_tensor b,
                           pop_program sequence, const char *name);
/* a += b */
void layer_add_to(const struct layer *layer, pop_tensor a, pop_tensor b, pop_program sequence, const char *name);
/* Multiplies each of n tensors {batch, output} by factor, as one operation on {n batch, output}, because each
 * operation takes a synchronisation. */
pop_tensor layer_times_each(const struct layer *layer, pop_tensors list, pop_tensor factor, pop_program sequence,
                            const char *name);
/* The i-th {batch, output} in {n batch, output}. */
pop_tensor layer_part(const struct layer *layer, pop_tensor all, size_t i);
pop_tensor layer_gradient(const struct layer *layer, popnn_non_linearity_type type, pop_tensor act, pop_tensor out,
                          pop_program sequence, const char *name);
/* Applies the function to t; returns a new tensor. */
pop_tensor layer_non_linearity(const struct layer *layer, popnn_non_linearity_type type, pop_tensor t,
                               pop_program sequence, const char *name);
void layer_copy(const struct layer *layer, pop_tensor from, pop_tensor to, pop_program sequence);
void layer_zero(const struct layer *layer, pop_tensor t, pop_program sequence);
/* Sums over the first dimension to a new tensor. */
pop_tensor layer_sum(const struct layer *layer, pop_tensor t, pop_program sequence);

#endif
