/* SPDX-License-Identifier: Apache-2.0 */
/* MAC: dot products over the input channels by the workers' multiply-add instructions, for every type and for targets
 * without conv units.  Vertices ConvPartialHorizontalMac (conv_vertices/conv_mac_vertices.c). */
#include "poplin/convolution/conv_partials.h"
#include "poplin/methods/methods.h"
#include "poplin/planner/plan_candidate.h"

static void propose(struct plan_proposals *to, struct conv_plan plan)
{
    const poplin_conv_params *p = to->params;
    size_t grain = 8 / pop_target_type_size(to->target, p->input_type), channels = p->input_channels_per_conv_group;
    size_t whole = poplibs_ceil_div(channels, grain) * grain, groups = SIZE_MAX;
    unsigned units = pop_target_num_conv_units(to->target, p->input_type, plan.tile_partial_type);
    plan.partial_chans_per_group = plan.tile_partial_type == POP_FLOAT ? 1 : 2;
    for (size_t in = grain; in <= whole; in += grain) {
        if (poplibs_ceil_div(channels, in) == groups)
            continue;
        groups = poplibs_ceil_div(channels, in);
        /* in a joint plan they are the update's groups of output channels */
        if (to->joint && units && in % units)
            continue;
        plan.in_chans_per_group = (unsigned)in;
        plan_propose(to, &plan);
    }
}

/* In the update the forward pass' groups of output channels are those of input channels.  Poplibs names AMP where the
 * update's own groups of output channels are not 1; but AMP reads rows of 8 bytes or more, which 1 or 2 channels are
 * not. */
static const struct conv_method *of_pass(const struct conv_plan *forward, const poplin_conv_params *params, size_t pass)
{
    if (pass == 2 && params->output_channels_per_conv_group == 1 && forward->partial_chans_per_group == 1)
        return &method_outer_product;
    return pass == 2 && forward->in_chans_per_group != 1 ? NULL : &method_mac;
}

/* ---- costs ---- */

static uint64_t cycles(const struct plan_candidate *c, const struct plan_tile *t, const struct plan_tile_work *work)
{
    const struct conv_plan *plan = &c->plan;
    size_t last = c->params.num_field_dims - 1;
    uint64_t width = plan_outputs_met(c, last, t->field[last]);
    struct plan_lists lists = plan_lists_make(work->workers, work->positions / width, width);
    struct mac_work mac = { work->workers,
                            work->groups,
                            work->in_groups,
                            work->out_groups,
                            (unsigned)work->kernel,
                            plan->in_chans_per_group,
                            plan->partial_chans_per_group,
                            c->params.input_type == POP_FLOAT,
                            plan->tile_partial_type == POP_FLOAT,
                            true,
                            c->target->poplibs_release };
    uint64_t found = plan_zeroing_cycles(c, t, work) + cycles_horizontal_mac(&mac, lists.lists);
    free(lists.items);
    return found;
}

/* A lower bound of the cycles of a position. */
static uint64_t loop_of(const struct plan_candidate *c)
{
    unsigned in = c->plan.in_chans_per_group;
    return 14 + (c->params.input_type == POP_FLOAT ? in : in / 4);
}
static uint64_t pass_cycles(const struct plan_candidate *c, uint64_t passes, uint64_t work)
{
    return passes * c->target->num_worker_contexts * 35 + plan_work_met(c, work) * loop_of(c);
}
static uint64_t pair_cycles(const struct plan_candidate *c, const struct plan_tile *t)
{
    struct plan_worker_share share;
    uint64_t kernel = 1;
    if (!plan_worker_share(c, t, &share))
        return 0;
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        kernel *= t->kernel[d];
    return t->groups * c->target->num_worker_contexts * kernel * (16 + 19 * share.rows + share.positions * loop_of(c));
}

/* ---- vertices ---- */

static void add_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                       pop_tensor input, pop_tensor weights)
{
    conv_add_row_vertex(work, compute, part, input, weights,
                        &(struct conv_row_vertex){ .type = "ConvPartialHorizontalMac", .filter_height = 1 });
}
static void add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                         pop_tensor input, pop_tensor weights)
{
    const struct conv_part *part;
    for (size_t next = 0; (part = conv_next_part(work, compute, parts, &next));)
        add_vertex(work, compute, part, input, weights);
}

const struct conv_method method_mac = {
    .name = "MAC",
    .other_name = "HMAC", /* its name in later releases */
    .propose = propose,
    .of_pass = of_pass,
    .cycles = cycles,
    .pass_cycles = pass_cycles,
    .pair_cycles = pair_cycles,
    .add_vertices = add_vertices,
};
