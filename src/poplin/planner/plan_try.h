/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates one vertex type of a transformed convolution: methods propose it, and its best partition is searched. */
#ifndef POPLIN_PLANNER_PLAN_TRY_H
#define POPLIN_PLANNER_PLAN_TRY_H

#include "poplin/planner/plan_search.h"

/* The search for a convolution's plan: its goal, and the best plan so far. */
struct planning {
    const pop_target *target;
    const poplin_conv_params *params;
    const struct conv_options *options;
    struct plan_goal goal;
    bool joint, found;
    struct conv_plan best;
    struct plan_cost cost;
};

/* Searches the best partition of a vertex type for a transformed convolution, and keeps it if it is better than the
 * best plan so far. vertex has transform, method, types and groups. */
void plan_try(struct planning *planning, const poplin_conv_params *transformed, const struct conv_plan *vertex);

/* The parameters and plans of a fully connected layer's other passes (1: backward, 2: update), from those of the
 * forward pass; the pass of a joint plan must have a method. */
poplin_conv_params plan_pass_params(const poplin_conv_params *forward, size_t pass);
struct conv_plan plan_pass_plan(const struct conv_plan *forward, const poplin_conv_params *params,
                                const struct conv_options *options, size_t pass);
/* The type of a vertex's partial sums, but for methods whose partials are results. */
pop_type plan_partial_type(const struct conv_options *options, pop_type input_type);

#endif
