/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by LSTM and GRU: a call's arguments and options, the weights of several units as one matrix, small
 * operations of a loop's body. */
#ifndef POPNN_RECURRENT_UNITS_H
#define POPNN_RECURRENT_UNITS_H

#include "poplibs/call.h"

#include <poplin/fully_connected.h>
#include <popnn/non_linearity.h>
#include <popops/element_wise.h>

enum { MAX_UNITS = 4 };

/* The pass that a product belongs to. */
enum units_pass { UNITS_FORWARD, UNITS_BACKWARD, UNITS_UPDATE };

struct units {
    const struct call *call;
    pop_type type;
    size_t batch, steps, input, output;
    size_t count; /* number of units of a cell */
    popnn_non_linearity_type activation, recurrent_activation;
    size_t place[MAX_UNITS]; /* index of each unit in weights and biases */
    pop_option given[2];     /* options that are passed on to products */
    size_t num_given;
    bool inference_only, weight_before_loop; /* the options inferenceOnly (set: its default) and preCalcWeights */
    pop_type accumulators; /* type of the weights' gradients: the option weightAccumulatorsType, or the layer's type */
    poplin_planning_cache *cache;
    pop_tensor lengths; /* of the sequences, {batch} or {1} (popnn_gru_params); null: all have all steps */
};

/* Initialises struct units from the parameters of any layer and from the call's arguments, which have these names;
 * further members follow. */
#define UNITS_OF(params, ...)                                                                                          \
    {                                                                                                                  \
        .call = call, .cache = cache, .type = (params)->data_type, .batch = (params)->batch_size,                      \
        .steps = (params)->time_steps, .input = (params)->input_size, .output = (params)->output_size,                 \
        .activation = (params)->activation, __VA_ARGS__                                                                \
    }

/* Checks that a required structure is not NULL; the error begins "the parameters are" or the like. */
bool units_is_given(const struct call *call, const void *structure, const char *what);
/* Checks sizes, type, activations, the order of the units and the options; the caller has filled in the members
 * that UNITS_OF sets. order has an entry for each unit. */
bool units_open(struct units *units, const char *layer, const unsigned *order, pop_options options);

/* Checks that t has this shape and the layer's type. */
bool units_check(const struct units *units, pop_tensor t, pop_shape shape, const char *what);
/* Checks weights {n, input, output}, {n, output, output} and biases {n, output}. */
bool units_check_weights(const struct units *units, pop_tensor input_weights, pop_tensor output_weights,
                         pop_tensor biases);

/* Transposes a matrix. */
static inline pop_tensor units_transposed(const struct units *units, pop_tensor matrix)
{
    const struct call *call = units->call;
    return pop_tensor_transpose(matrix);
}
/* {n, rows, output} as {rows, n output}, and the reverse. */
pop_tensor units_as_matrix(const struct units *units, pop_tensor weights);
pop_tensor units_from_matrix(const struct units *units, pop_tensor matrix);
/* The columns of a unit in {batch, n output}. */
pop_tensor units_columns(const struct units *units, pop_tensor z, unsigned unit);
/* Stacks n tensors {batch, output} to {n, batch, output}. */
pop_tensor units_stack(const struct units *units, const pop_tensor *list, size_t count);
/* Creates operands of the forward product {rows, depth} times {depth, columns}. */
pop_tensor units_left_operand(const struct units *units, size_t rows, size_t depth, size_t columns);
pop_tensor units_right_operand(const struct units *units, size_t rows, size_t depth, size_t columns);
/* A new tensor {n, batch, output}, evenly mapped: elements with the same index are on one tile for all n, and the
 * elements of a tile are contiguous. */
pop_tensor units_new_stack(const struct units *units, size_t n, const char *name);
/* A new tensor, evenly mapped. */
pop_tensor units_spread(const struct units *units, pop_shape shape);
/* A new tensor with the layout of t. */
pop_tensor units_like(const struct units *units, pop_tensor t, const char *name);
/* A new tensor with the layout of t and the type for sums of weights' gradients. */
pop_tensor units_accumulator(const struct units *units, pop_tensor t, const char *name);
/* Adds t to such a sum. */
void units_accumulate(const struct units *units, pop_tensor sum, pop_tensor t, pop_program sequence, const char *name);
/* The sum in the layer's type. */
pop_tensor units_accumulated(const struct units *units, pop_tensor sum, pop_program sequence);

/* Parameters of a product {rows, depth} times {depth, columns}, for planning. */
poplin_fc_mat_mul units_product_params(pop_type type, enum units_pass pass, bool inference_only, size_t rows,
                                       size_t depth, size_t columns);
/* Options of a pass's products, with their storage. */
struct units_options {
    pop_option list[4];
};
pop_options units_options(const struct units *units, enum units_pass pass, struct units_options *storage);

/* Adds a product to a sequence. */
pop_tensor units_product(const struct units *units, enum units_pass pass, pop_tensor a, pop_tensor b,
                         pop_program sequence);
/* A backward product in a loop's body; b, which the loop does not modify, is rearranged once, before the loop. */
pop_tensor units_product_in_loop(const struct units *units, pop_tensor a, pop_tensor b, pop_program before,
                                 pop_program body);
/* Whether to accumulate the weights' gradients in the loop of the backward pass. A separate loop afterwards no
 * longer needs memory for the rearranged weights, but the units' gradients of all steps must be stored: chooses the
 * smaller. */
bool units_update_in_loop(const struct units *units);
/* sum += a^T b */
void units_add_product(const struct units *units, pop_tensor sum, pop_tensor a, pop_tensor b, pop_program sequence);
pop_tensor units_binary(const struct units *units, popops_binary_op op, pop_tensor a, pop_tensor b,
                        pop_program sequence, const char *name);
void units_binary_in_place(const struct units *units, popops_binary_op op, pop_tensor a, pop_tensor b,
                           pop_program sequence, const char *name);
/* a += b */
void units_add_to(const struct units *units, pop_tensor a, pop_tensor b, pop_program sequence, const char *name);
/* Multiplies each of n tensors {batch, output} by factor, as one operation on {n batch, output}, because each
 * operation takes a synchronisation. */
pop_tensor units_times_each(const struct units *units, pop_tensors list, pop_tensor factor, pop_program sequence,
                            const char *name);
/* The i-th {batch, output} in {n batch, output}. */
pop_tensor units_part(const struct units *units, pop_tensor all, size_t i);
pop_tensor units_gradient(const struct units *units, popnn_non_linearity_type type, pop_tensor act, pop_tensor out,
                          pop_program sequence, const char *name);
/* Applies the function to t; returns a new tensor. */
pop_tensor units_non_linearity(const struct units *units, popnn_non_linearity_type type, pop_tensor t,
                               pop_program sequence, const char *name);
void units_copy(const struct units *units, pop_tensor from, pop_tensor to, pop_program sequence);
void units_zero(const struct units *units, pop_tensor t, pop_program sequence);
/* Sums over the first dimension to a new tensor. */
pop_tensor units_sum(const struct units *units, pop_tensor t, pop_program sequence);

#endif
