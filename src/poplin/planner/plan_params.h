/* SPDX-License-Identifier: Apache-2.0 */
/* What the transforms of a plan do to parameters. */
#ifndef POPLIN_PLANNER_PLAN_PARAMS_H
#define POPLIN_PLANNER_PLAN_PARAMS_H

#include "poplin/planner/plan.h"

/* The parameters of the transformed convolution: what the partition splits, channels and groups not padded yet. */
poplin_conv_params poplin_plan_apply(const struct poplin_transform *transform, const poplin_conv_params *params);
/* One operation of parameters each, which the enumeration and the graph's construction share. */
poplin_conv_params poplin_params_add_field_dims(const poplin_conv_params *params, unsigned extra);
poplin_conv_params poplin_params_swap_operands(const poplin_conv_params *params);
poplin_conv_params poplin_params_expand_dim(const poplin_conv_params *params, unsigned dim);
poplin_conv_params poplin_params_flatten_out_chans(const poplin_conv_params *params, unsigned dims);
/* The dimensions that flatten into one (0 when there are not two), and the result of it. */
unsigned poplin_params_flattenable(const poplin_conv_params *params);
poplin_conv_params poplin_params_flatten(const poplin_conv_params *params, unsigned dims);

#endif
