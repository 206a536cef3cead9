/* SPDX-License-Identifier: Apache-2.0 */
/* What GRU's passes share.  Products of a step: of x and of h apart for all units where the reset comes after them;
 * else one for both gates and, with the reset output, one for the candidate.  What forward keeps of a step is r, z, c,
 * then h U + b1 of the candidate where the reset comes after, then h' where the output is no sequence. */
#ifndef POPNN_GRU_CELL_H
#define POPNN_GRU_CELL_H

#include "popnn/steps.h"
#include "popnn/units.h"

#include <popnn/gru.h>

enum {
    R = POPNN_GRU_RESET_GATE,
    Z = POPNN_GRU_UPDATE_GATE,
    C = POPNN_GRU_CANDIDATE,
    KEPT_FED = POPNN_GRU_UNITS,
    KEPT_MAX = KEPT_FED + 2
};

struct gru {
    struct units units;
    const popnn_gru_params *params;
    pop_tensor input_weights, output_weights; /* {input, 3 output}, {output, 3 output} */
};

/* Units of one product each, where the reset comes before. */
struct gru_product {
    size_t count;
    unsigned units[2];
};
extern const struct gru_product gru_gates, gru_candidate;

bool gru_open(struct gru *gru, pop_where where, pop_graph *graph, const popnn_gru_params *params, const char *api,
              const char *name, pop_options options, poplin_planning_cache *cache);
/* Checks weights and keeps them as matrices. */
bool gru_take_weights(struct gru *gru, const popnn_gru_weights *weights);
bool gru_check_forward(const struct units *units, pop_tensor initial, pop_tensor input);

/* Biases of one of the two products; the only ones where there is one. */
pop_tensor gru_biases_of(const struct gru *gru, pop_tensor biases, size_t which);
/* The columns of a product's units of {rows, 3 output}. */
pop_tensor gru_columns(const struct units *units, pop_tensor whole, struct gru_product product);
/* {rows, 3 output} of the columns of each unit, in the order of weights. */
pop_tensor gru_in_order(const struct units *units, pop_tensor r, pop_tensor z, pop_tensor c);
/* Weights of a product for [x h], {input + output, n output}. */
pop_tensor gru_both_weights(const struct gru *gru, struct gru_product product);
/* How many tensors a step keeps; the last is h' where it is one of them. */
size_t gru_count_kept(const popnn_gru_params *params);

#endif
