/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the transforms of a plan to parameters. */
#ifndef POPLIN_PLANNER_PLAN_PARAMS_H
#define POPLIN_PLANNER_PLAN_PARAMS_H

#include "poplin/planner/plan.h"

enum params_step_kind {
    POPLIN_STEP_FIELD_DIMS,
    POPLIN_STEP_SWAP,
    POPLIN_STEP_EXCHANGE,
    POPLIN_STEP_EXPAND,
    POPLIN_STEP_OUT_CHANS,
    POPLIN_STEP_FLATTEN,
    POPLIN_STEP_COMBINE
};
/* One transform of a plan, with the parameters before it. */
struct params_step {
    enum params_step_kind kind;
    unsigned number; /* number of extra dimensions, dimension, set of dimensions, or factor, depending on kind */
    poplin_conv_params before;
};
/* The transforms of a plan in order, and the transformed parameters, which the partition splits; channels and groups
 * are not padded. */
struct params_transformed {
    struct params_step steps[POPLIN_MAX_FIELD_DIMS + 5];
    unsigned count;
    poplin_conv_params params;
};
void params_transform(const struct plan_transform *transform, const poplin_conv_params *params,
                      struct params_transformed *to);

/* The single transforms. */
poplin_conv_params params_add_field_dims(const poplin_conv_params *params, unsigned extra);
poplin_conv_params params_swap_operands(const poplin_conv_params *params);
/* Whether the convolution is a matrix product, with the field for columns; and the product of the exchanged operands:
 * its output channels become the batch, its field the output channels. */
bool params_are_of_product(const poplin_conv_params *params);
poplin_conv_params params_exchange_operands(const poplin_conv_params *params);
poplin_conv_params params_expand_dim(const poplin_conv_params *params, unsigned dim);
poplin_conv_params params_flatten_out_chans(const poplin_conv_params *params, unsigned dims);
/* The dimensions that can be flattened into one (0 if there are fewer than two), and the flattened parameters. */
unsigned params_flattenable(const poplin_conv_params *params);
poplin_conv_params params_flatten(const poplin_conv_params *params, unsigned dims);
poplin_conv_params params_combine_groups(const poplin_conv_params *params, unsigned factor);

#endif
