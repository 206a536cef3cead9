/* SPDX-License-Identifier: Apache-2.0 */
/* What LSTM and GRU share: a call's arguments and options, the weights of several units as one matrix, small steps of a
 * loop's body. */
#ifndef POPNN_UNITS_H
#define POPNN_UNITS_H

#include "poplibs/support.h"

#include <poplin/fully_connected.h>
#include <popnn/non_linearity.h>
#include <popops/element_wise.h>

enum { MAX_UNITS = 4 };

/* What a product is for. */
enum units_pass { UNITS_FORWARD, UNITS_BACKWARD, UNITS_UPDATE };

struct units {
    pop_where where;
    pop_graph *graph;
    const char *api, *name;
    pop_type type;
    size_t batch, steps, input, output;
    size_t count; /* units of a cell */
    popnn_non_linearity_type activation, recurrent_activation;
    size_t place[MAX_UNITS]; /* of each unit in weights and biases */
    pop_option given[2];     /* the options that products take too */
    size_t num_given;
    bool inference_only, weight_before_loop; /* the options inferenceOnly and preCalcWeights */
    pop_type accumulators; /* of weights' gradients: the option weightAccumulatorsType, or the layer's type */
    poplin_planning_cache *cache;
    pop_tensor lengths; /* of the sequences, {batch} or {1} (popnn_gru_params); null: all have all steps */
};

/* What the parameters of a layer of any kind say, and a call's arguments of these names; what differs follows. */
#define UNITS_OF(params, ...)                                                                                          \
    {                                                                                                                  \
        .where = where, .graph = graph, .api = api, .name = name, .cache = cache, .type = (params)->data_type,         \
        .batch = (params)->batch_size, .steps = (params)->time_steps, .input = (params)->input_size,                   \
        .output = (params)->output_size, .activation = (params)->activation, __VA_ARGS__                               \
    }

/* Whether a structure that a call needs is there; "the parameters are". */
bool units_is_given(pop_where where, pop_graph *graph, const char *api, const void *structure, const char *what);
/* Checks sizes, type, activations, the order of the units and the options; where to api are filled in by the caller.
 * order has an entry for each unit. */
bool units_open(struct units *units, const char *layer, const unsigned *order, pop_options options);

/* Whether t has this shape and the layer's type; "the input is float{2}, and should be float{3}". */
bool units_check(const struct units *units, pop_tensor t, pop_shape shape, const char *what);
/* The same of weights {n, input, output}, {n, output, output} and biases {n, output}. */
bool units_check_weights(const struct units *units, pop_tensor input_weights, pop_tensor output_weights,
                         pop_tensor biases);

/* A matrix with rows and columns exchanged. */
static inline pop_tensor units_transposed(const struct units *units, pop_tensor matrix)
{
    return pop_tensor_transpose_at(units->where, matrix);
}
/* {n, rows, output} as {rows, n output}, and back. */
pop_tensor units_as_matrix(const struct units *units, pop_tensor weights);
pop_tensor units_from_matrix(const struct units *units, pop_tensor matrix);
/* A unit's columns of {batch, n output}. */
pop_tensor units_columns(const struct units *units, pop_tensor z, unsigned unit);
/* {n, batch, output} of n tensors {batch, output}. */
pop_tensor units_stack(const struct units *units, const pop_tensor *list, size_t count);
/* New operands of the forward product {rows, depth} times {depth, columns}. */
pop_tensor units_left_operand(const struct units *units, size_t rows, size_t depth, size_t columns);
pop_tensor units_right_operand(const struct units *units, size_t rows, size_t depth, size_t columns);
/* A new {n, batch, output}, spread evenly: elements of the same place are on one tile for all n, and a tile's whole
 * share is one piece. */
pop_tensor units_new_stack(const struct units *units, size_t n, const char *name);
/* A new tensor, spread evenly. */
pop_tensor units_spread(const struct units *units, pop_shape shape, const char *name);
/* A new tensor with the layout of t. */
pop_tensor units_like(const struct units *units, pop_tensor t, const char *name);
/* The same of the type in which weights' gradients are summed; what adds to it; and its values in the layer's type. */
pop_tensor units_accumulator(const struct units *units, pop_tensor t, const char *name);
void units_accumulate(const struct units *units, pop_tensor sum, pop_tensor t, pop_program sequence, const char *name);
pop_tensor units_accumulated(const struct units *units, pop_tensor sum, pop_program sequence);

/* {rows, depth} times {depth, columns}, to be planned. */
poplin_fc_mat_mul units_product_params(pop_type type, enum units_pass pass, bool inference_only, size_t rows,
                                       size_t depth, size_t columns);
/* The options of a pass's products, in storage. */
struct units_options {
    pop_option list[4];
};
pop_options units_options(const struct units *units, enum units_pass pass, struct units_options *storage);

/* Steps, added to a sequence. */
pop_tensor units_product(const struct units *units, enum units_pass pass, pop_tensor a, pop_tensor b,
                         pop_program sequence);
/* A backward product in a loop's body; b, which the loop leaves as it is, is arranged once, before it. */
pop_tensor units_product_in_loop(const struct units *units, pop_tensor a, pop_tensor b, pop_program before,
                                 pop_program body);
/* Whether weights' gradients are to be added up in the loop of the backward pass.  In a loop after it they take memory
 * when the arranged weights no longer do, but the units' gradients of all steps are kept until then: whichever is less.
 */
bool units_update_in_loop(const struct units *units);
/* sum += a^T b */
void units_add_product(const struct units *units, pop_tensor sum, pop_tensor a, pop_tensor b, pop_program sequence);
pop_tensor units_binary(const struct units *units, popops_binary_op op, pop_tensor a, pop_tensor b,
                        pop_program sequence, const char *name);
void units_binary_in_place(const struct units *units, popops_binary_op op, pop_tensor a, pop_tensor b,
                           pop_program sequence, const char *name);
/* a += b */
void units_add_to(const struct units *units, pop_tensor a, pop_tensor b, pop_program sequence, const char *name);
/* Each of n tensors {batch, output} times one, {n batch, output}; all at once, since each operation costs a
 * synchronisation. */
pop_tensor units_times_each(const struct units *units, pop_tensors list, pop_tensor factor, pop_program sequence,
                            const char *name);
/* The i-th {batch, output} of {n batch, output}. */
pop_tensor units_part(const struct units *units, pop_tensor all, size_t i);
pop_tensor units_gradient(const struct units *units, popnn_non_linearity_type type, pop_tensor act, pop_tensor out,
                          pop_program sequence, const char *name);
/* Of t, to a new tensor. */
pop_tensor units_non_linearity(const struct units *units, popnn_non_linearity_type type, pop_tensor t,
                               pop_program sequence, const char *name);
void units_copy(const struct units *units, pop_tensor from, pop_tensor to, pop_program sequence);
void units_zero(const struct units *units, pop_tensor t, pop_program sequence);
/* The sum over the first dimension, a new tensor. */
pop_tensor units_sum(const struct units *units, pop_tensor t, pop_program sequence);

#endif
