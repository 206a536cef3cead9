/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the transforms of a plan to parameters. */
#ifndef POPLIN_PLANNER_PLAN_PARAMS_H
#define POPLIN_PLANNER_PLAN_PARAMS_H

#include "poplin/planner/plan.h"

enum poplin_step_kind {
    POPLIN_STEP_FIELD_DIMS,
    POPLIN_STEP_SWAP,
    POPLIN_STEP_EXCHANGE,
    POPLIN_STEP_EXPAND,
    POPLIN_STEP_OUT_CHANS,
    POPLIN_STEP_FLATTEN,
    POPLIN_STEP_COMBINE
};
/* One transform of a plan, with the parameters before it. */
struct poplin_step {
    enum poplin_step_kind kind;
    unsigned number; /* number of extra dimensions, dimension, set of dimensions, or factor, depending on kind */
    poplin_conv_params before;
};
/* The transforms of a plan in order, and the transformed parameters, which the partition splits; channels and groups
 * are not padded. */
struct poplin_transformed {
    struct poplin_step steps[POPLIN_MAX_FIELD_DIMS + 5];
    unsigned count;
    poplin_conv_params params;
};
void poplin_transform_params(const struct poplin_transform *transform, const poplin_conv_params *params,
                             struct poplin_transformed *to);

/* The single transforms. */
poplin_conv_params poplin_params_add_field_dims(const poplin_conv_params *params, unsigned extra);
poplin_conv_params poplin_params_swap_operands(const poplin_conv_params *params);
/* Whether the convolution is a matrix product, with the field for columns; and the product of the exchanged operands:
 * its output channels become the batch, its field the output channels. */
bool poplin_params_are_of_product(const poplin_conv_params *params);
poplin_conv_params poplin_params_exchange_operands(const poplin_conv_params *params);
poplin_conv_params poplin_params_expand_dim(const poplin_conv_params *params, unsigned dim);
poplin_conv_params poplin_params_flatten_out_chans(const poplin_conv_params *params, unsigned dims);
/* The dimensions that can be flattened into one (0 if there are fewer than two), and the flattened parameters. */
unsigned poplin_params_flattenable(const poplin_conv_params *params);
poplin_conv_params poplin_params_flatten(const poplin_conv_params *params, unsigned dims);
poplin_conv_params poplin_params_combine_groups(const poplin_conv_params *params, unsigned factor);

#endif
