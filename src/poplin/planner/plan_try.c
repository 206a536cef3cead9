/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/planner/plan_try.h"
#include "poplin/planner/method.h"
#include "poplin/planner/plan_fields.h"
#include "poplin/planner/plan_params.h"
#include "poplin/planner/planner.h"

/* The parameters of a fully connected layer's other passes (1: backward, 2: update), from those of the forward pass. */
poplin_conv_params plan_pass_params(const poplin_conv_params *forward, size_t pass)
{
    poplin_conv_params p = *forward;
    size_t *field = &p.input_field_shape[p.num_field_dims - 1], in = p.input_channels_per_conv_group;
    if (pass == 1) {
        p.input_channels_per_conv_group = *field;
        *field = in;
    } else if (pass == 2) {
        p.input_channels_per_conv_group = p.output_channels_per_conv_group;
        p.output_channels_per_conv_group = in;
    }
    return p;
}

/* ---- types ---- */

pop_type plan_partial_type(const struct conv_options *options, pop_type input_type)
{
    return input_type == POP_FLOAT ? POP_FLOAT : options->partials_type;
}
/* The type of the partial sums that tiles exchange. */
static pop_type sum_type_of(const struct conv_plan *plan, const struct conv_options *options, pop_type input_type)
{
    bool halves = input_type != POP_FLOAT && options->inter_tile_partials_type == POP_HALF;
    return halves ? POP_HALF : plan->tile_partial_type;
}

/* ---- joint plans ---- */

struct conv_plan plan_pass_plan(const struct conv_plan *forward, const poplin_conv_params *params,
                                const struct conv_options *options, size_t pass)
{
    struct conv_plan plan = *forward;
    plan.method = pass ? forward->method->of_pass(forward, params, pass) : forward->method;
    if (pass && plan.method) { /* an outer product's partials are its results, other passes add up */
        plan.tile_partial_type =
            plan.method->partials_are_results ? params->input_type : plan_partial_type(options, params->input_type);
        plan.sum_type = sum_type_of(&plan, options, params->input_type);
    }
    plan.partition = plan_joint_partition(&forward->partition, pass, forward->num_field_dims - 1);
    if (pass == 1)
        plan.tile_order = POPLIN_ORDER_FC_BWD_AS_CONV;
    if (pass == 2) {
        plan.tile_order = POPLIN_ORDER_FC_WU;
        plan.in_chans_per_group = forward->partial_chans_per_group;
        plan.partial_chans_per_group = forward->in_chans_per_group;
    }
    return plan;
}

static struct plan_candidate candidate_of_pass(const struct planning *planning, const poplin_conv_params *forward,
                                               const struct conv_plan *plan, const struct conv_options *options,
                                               size_t pass)
{
    if (pass == 0)
        return plan_candidate_of(planning->target, forward, options, plan);
    poplin_conv_params params = plan_pass_params(planning->params, pass);
    struct conv_plan of_pass = plan_pass_plan(plan, planning->params, options, pass);
    struct params_transformed transformed;
    params_transform(&plan->transform, &params, &transformed);
    return plan_candidate_of(planning->target, &transformed.params, options, &of_pass);
}

void plan_try(struct planning *planning, const poplin_conv_params *transformed, const struct conv_plan *vertex)
{
    if (!plan_keeps(vertex, planning->goal.constraints, PLAN_VERTEX) ||
        (planning->joint && !vertex->method->of_pass(vertex, planning->params, 2)))
        return;
    struct conv_plan plan = *vertex;
    struct plan_partition *p = &plan.partition;
    size_t last = plan.num_field_dims - 1;
    for (size_t d = 0; d <= last; ++d)
        p->field_grain[d] = 1;
    if (planning->joint)
        p->field_grain[last] = plan.in_chans_per_group;
    else if (planning->params->output_type == POP_HALF && plan.partial_chans_per_group % 2 &&
             !plan.transform.swap_operands)
        p->field_grain[last] = 2;
    p->conv_group_grain = plan.conv_groups_per_group;
    p->in_chan_grain = plan.in_chans_per_group;
    p->out_chan_grain = plan.partial_chans_per_group;
    plan.is_joint = planning->joint;
    plan.sum_type = sum_type_of(&plan, planning->options, planning->params->input_type);

    struct plan_candidate candidates[3];
    struct conv_options options[3];
    struct plan_passes passes = { { &candidates[0], &candidates[1], &candidates[2] }, planning->joint ? 3 : 1 };
    for (size_t i = 0; i < passes.count; ++i) {
        options[i] = *planning->options;
        options[i].pass += (int)i; /* forward, backward and update are consecutive */
        candidates[i] = candidate_of_pass(planning, transformed, &plan, &options[i], i);
    }
    struct plan_cost cost;
    bool hopeless = plan_rank_from_cycles(&planning->goal, plan_min_work(&candidates[0], planning->goal.tiles)) >=
                    planning->goal.best;
    if (!hopeless && plan_search(&passes, &planning->goal, p, &cost)) {
        planning->found = true;
        planning->best = plan;
        planning->cost = cost;
        planning->goal.best = plan_rank(&planning->goal, &cost);
    }
    for (size_t i = 0; i < passes.count; ++i)
        plan_candidate_free(&candidates[i]);
}
