/* SPDX-License-Identifier: Apache-2.0 */
/* One vertex type of one transformed convolution: methods propose them, the best partition of each is searched. */
#ifndef POPLIN_PLANNER_PLAN_TRY_H
#define POPLIN_PLANNER_PLAN_TRY_H

#include "poplin/planner/plan_search.h"

/* The search of a convolution: what is asked for, and the best that was found. */
struct planning {
    const pop_target *target;
    const poplin_conv_params *params;
    const struct poplin_conv_options *options;
    struct plan_goal goal;
    const struct poplin_method *method; /* that is tried, with all transforms */
    bool joint, found;
    struct poplin_plan best;
    struct poplin_plan_cost cost;
};

/* Searches the best partition of a vertex type for a transformed convolution and keeps it if it is better than what was
 * found before.  vertex has transform, method, types and groups. */
void plan_try(struct planning *planning, const poplin_conv_params *transformed, const struct poplin_plan *vertex);

/* Forward parameters and plans of a fully connected layer as those of its other passes (1 backward, 2 update). */
poplin_conv_params plan_pass_params(const poplin_conv_params *forward, size_t pass);
struct poplin_plan plan_pass_plan(const struct poplin_plan *forward, size_t pass);

#endif
