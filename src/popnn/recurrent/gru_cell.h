/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by GRU's passes. Products of a step: when the reset comes after them, one of x and one of h for all layer;
 * otherwise one for both gates and, with the reset output, one for the candidate. For each step forward stores r, z,
 * c, then h U + b1 of the candidate when the reset comes after the products, then h' when the output is not a
 * sequence. */
#ifndef POPNN_RECURRENT_GRU_CELL_H
#define POPNN_RECURRENT_GRU_CELL_H

#include "popnn/recurrent/layer.h"
#include "popnn/recurrent/steps.h"

#include <popnn/gru.h>

enum {
    R = POPNN_GRU_RESET_GATE,
    Z = POPNN_GRU_UPDATE_GATE,
    C = POPNN_GRU_CANDIDATE,
    KEPT_FED = POPNN_GRU_UNITS,
    KEPT_MAX = KEPT_FED + 2
};

struct gru {
    struct layer layer;
    const popnn_gru_params *params;
    pop_tensor input_weights, output_weights; /* {input, 3 output}, {output, 3 output} */
    pop_tensor unattended; /* 1 - attention, {steps, batch, 1}: the factor of the update gate; null: none */
};

/* The layer of one product when the reset comes before it. */
struct gru_product {
    size_t count;
    unsigned gates[2];
};
extern const struct gru_product gru_gates, gru_candidate;

bool gru_open(const struct call *call, struct gru *gru, const popnn_gru_params *params, poplin_planning_cache *cache);
/* Checks the weights and stores them as matrices. */
bool gru_take_weights(struct gru *gru, const popnn_gru_weights *weights);
bool gru_check_forward(const struct layer *layer, pop_tensor initial, pop_tensor input);

/* Checks attention{batch, steps} and adds the computation of `unattended` to a sequence. */
bool gru_take_attention(struct gru *gru, pop_tensor attention, pop_program sequence);
/* The biases of one of the two products, or of the only product. */
pop_tensor gru_biases_of(const struct gru *gru, pop_tensor biases, size_t which);
/* The columns of {rows, 3 output} that belong to a product's layer. */
pop_tensor gru_columns(const struct layer *layer, pop_tensor whole, struct gru_product product);
/* Concatenates the columns of each gate to {rows, 3 output}, in the order of the weights. */
pop_tensor gru_in_order(const struct layer *layer, pop_tensor r, pop_tensor z, pop_tensor c);
/* The weights of a product for [x h]: {input + output, n output}. */
pop_tensor gru_both_weights(const struct gru *gru, struct gru_product product);
/* The number of tensors stored for a step; the last is h' when it is included. */
size_t gru_count_kept(const popnn_gru_params *params);

#endif
