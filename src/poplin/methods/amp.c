/* SPDX-License-Identifier: Apache-2.0 */
/* AMP: conv units multiply a few input channels by a few output channels at many positions.  Vertices ConvPartial1x1Out
 * and ConvPartialnx1 (conv_vertices/conv_amp_vertices.c). */
#include "poplin/convolution/conv_partials.h"
#include "poplin/methods/methods.h"
#include "poplin/planner/plan_candidate.h"

#include <assert.h>

enum { QUARTER_UNITS = 16 }; /* of the vertices with 8-bit inputs */

/* ---- candidates ---- */

/* With groups of as many output channels as a conv unit has weights, the next convolution needs no other layout.  The
 * outputs of fully connected layers are not regrouped. */
static void propose_1_2(struct plan_proposals *to, struct conv_plan plan)
{
    const poplin_conv_params *p = to->params;
    const pop_target *target = to->target;
    unsigned all = pop_target_num_conv_units(target, p->input_type, plan.tile_partial_type);
    unsigned weights = pop_target_weights_per_conv_unit(target, p->input_type),
             element = pop_target_type_size(target, p->input_type);
    bool fully_connected = pass_is_fully_connected(to->options->pass);
    /* with so few outputs the second half of 16 units would be idle */
    bool idle = fully_connected && all == 16 && p->output_channels_per_conv_group <= 8,
         halve = to->options->enable_amp_half_engines_plan || idle;
    for (unsigned units = all; units && units >= 4 && (units == all || halve) && 2 * units >= all; units /= 2)
        for (unsigned in = weights; in && in * element % 8 == 0; in /= 2)
            for (unsigned i = 0; i < 2; ++i) {
                unsigned out = i ? weights : units;
                if ((i && (weights == units || fully_connected)) || (to->joint && in % units))
                    continue;
                plan.num_conv_units = units;
                plan.in_chans_per_group = in;
                plan.partial_chans_per_group = out;
                plan_propose(to, &plan);
            }
}

/* Half of the units are tried too: always where there are 16, with an option where there are 8. */
static void propose_2021(struct plan_proposals *to, struct conv_plan plan)
{
    const poplin_conv_params *p = to->params;
    unsigned all = pop_target_num_conv_units(to->target, p->input_type, plan.tile_partial_type);
    unsigned weights = pop_target_weights_per_conv_unit(to->target, p->input_type),
             element = pop_target_type_size(to->target, p->input_type);
    bool halve = all == 16 || (p->input_type == POP_HALF && to->options->enable_amp_half_engines_plan),
         inference = to->options->pass == POPLIN_PASS_FC_INFERENCE_FWD;
    for (unsigned units = all; units >= 4 && 2 * units >= all && (units == all || halve); units /= 2)
        for (unsigned in = weights; in && in * element % 8 == 0; in /= 2)
            for (unsigned i = 0; i < 2; ++i) {
                unsigned out = i ? weights * units / all : units;
                if ((i && (out == units || inference)) || out % units || (to->joint && in % units))
                    continue;
                plan.num_conv_units = units;
                plan.in_chans_per_group = in;
                plan.partial_chans_per_group = out;
                plan_propose(to, &plan);
            }
}

/* Whether vertices may write half results directly, since nothing is added up: one kernel position and one group of
 * input channels.  The other passes of a joint plan, which have its units, add up. */
static bool writes_results(const struct plan_proposals *to, const struct conv_plan *plan)
{
    const poplin_conv_params *p = to->params;
    unsigned weights = pop_target_weights_per_conv_unit(to->target, p->input_type);
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (poplin_conv_truncated_kernel_size(p, d) != 1)
            return false;
    return !to->joint && p->output_type == POP_HALF && plan->tile_partial_type == POP_FLOAT &&
           p->input_type == POP_HALF && p->input_channels_per_conv_group <= weights;
}

/* 8-bit vertices take all units, whose weights are one group of input channels. */
static void propose_quarter(struct plan_proposals *to, struct conv_plan plan)
{
    plan.num_conv_units = pop_target_num_conv_units(to->target, POP_QUARTER, POP_HALF);
    plan.in_chans_per_group = pop_target_weights_per_conv_unit(to->target, POP_QUARTER);
    plan.partial_chans_per_group = plan.num_conv_units;
    if (plan.num_conv_units == QUARTER_UNITS)
        plan_propose(to, &plan);
}

static void propose(struct plan_proposals *to, struct conv_plan plan)
{
    if (to->params->input_type == POP_QUARTER) {
        propose_quarter(to, plan);
        return;
    }
    if (to->target->poplibs_release == POP_POPLIBS_1_2) {
        propose_1_2(to, plan);
        return;
    }
    propose_2021(to, plan);
    if (!writes_results(to, &plan))
        return;
    size_t first = to->count;
    plan.tile_partial_type = POP_HALF;
    propose_2021(to, plan);
    size_t kept = first;
    for (size_t i = first; i < to->count; ++i) {
        unsigned in = to->list[i].in_chans_per_group;
        if (poplibs_ceil_div(to->params->input_channels_per_conv_group, in) * in ==
            pop_target_weights_per_conv_unit(to->target, to->params->input_type))
            to->list[kept++] = to->list[i];
    }
    to->count = kept;
}

/* The update's groups of output channels, the forward pass' of input channels, are never 1. */
static const struct conv_method *of_pass(const struct conv_plan *forward, const poplin_conv_params *params, size_t pass)
{
    (void)forward;
    (void)params;
    (void)pass;
    return &method_amp;
}

static double macs(const struct conv_plan *plan, unsigned vector)
{
    return (double)poplibs_min(plan->num_conv_units, plan->partial_chans_per_group) * vector;
}

/* ConvPartial1x1Out needs consecutive positions: one kernel element and no gaps. */
static bool is_1x1(const struct plan_candidate *c, const struct plan_tile *t)
{
    size_t last = c->params.num_field_dims - 1;
    uint64_t outer = t->batch;
    for (size_t d = 0; d <= last; ++d) {
        if (t->kernel[d] != 1 || c->params.input_transform.dilation[d] != c->params.output_transform.stride[d])
            return false;
        outer *= d < last ? t->field[d] : 1;
    }
    return outer == 1;
}
/* Whether the planner counts on ConvPartial1x1Out: as Poplibs' it takes no account of how the field is split, so that
 * tiles that have one row and one position of a larger kernel cost what ConvPartialnx1 takes there. */
static bool is_planned_1x1(const struct plan_candidate *c, const struct plan_tile *t)
{
    size_t outer = c->params.batch_size;
    for (size_t d = 0; d + 1 < c->params.num_field_dims; ++d)
        outer *= c->output[d];
    return outer == 1 && is_1x1(c, t);
}
/* The number of kernel rows whose coefficients the units hold at the same time; the planner of 2021 counts half of them
 * for half of the units. */
static unsigned height_of(const struct plan_candidate *c)
{
    unsigned weights = pop_target_weights_per_conv_unit(c->target, c->params.input_type),
             all = pop_target_num_conv_units(c->target, c->params.input_type, c->plan.tile_partial_type),
             height = weights / c->plan.in_chans_per_group;
    if (c->target->poplibs_release == POP_POPLIBS_2021 && height > 1 && c->plan.num_conv_units < all)
        return height * c->plan.num_conv_units / all;
    return height;
}
static void complete(struct conv_plan *plan, const struct plan_candidate *c, const struct plan_tile *t)
{
    unsigned weights = pop_target_weights_per_conv_unit(c->target, c->params.input_type);
    plan->is_1x1 = c->plan.in_chans_per_group == weights && is_1x1(c, t);
}

/* ---- costs ---- */

static uint64_t cycles(const struct plan_candidate *c, const struct plan_tile *t, const struct plan_tile_work *work)
{
    const struct conv_plan *plan = &c->plan;
    const pop_target *target = c->target;
    size_t last = c->params.num_field_dims - 1;
    unsigned load = target->conv_unit_coeff_load_bytes_per_cycle / (c->options->use_128bit_conv_unit_load ? 1 : 2);
    struct amp_work amp = { work->workers,
                            plan->num_conv_units,
                            load ? load : 1,
                            work->groups,
                            work->in_groups,
                            work->out_groups,
                            plan->in_chans_per_group,
                            plan->partial_chans_per_group,
                            c->params.input_type == POP_FLOAT,
                            plan->tile_partial_type == POP_FLOAT,
                            c->params.input_type == POP_QUARTER,
                            pop_target_conv_unit_input_load_elems_per_cycle(target, c->params.input_type),
                            target->poplibs_release };
    uint64_t width = plan_outputs_met(c, last, t->field[last]);
    unsigned height = height_of(c);
    if (height == 1 && is_planned_1x1(c, t)) {
        unsigned elements[PLAN_MAX_WORKERS];
        for (unsigned w = 0; w < work->workers; ++w)
            elements[w] = (unsigned)((w + 1) * width / work->workers - w * width / work->workers);
        return cycles_1x1(&amp, elements);
    }
    struct plan_lists lists = plan_lists_make(work->workers, work->positions / width, width);
    uint64_t outer = poplibs_ceil_div(t->kernel[0], height) * (work->kernel / t->kernel[0] / t->kernel[last]);
    struct nx1_work nx1 = {
        amp, (unsigned)outer, (unsigned)t->kernel[last], height, 1, (unsigned)plan_zeroing_cycles(c, t, work), true
    };
    uint64_t found = cycles_nx1(&nx1, lists.lists);
    free(lists.items);
    return found;
}

/* The overhead of workers is at least 15 cycles in ConvPartial1x1Out, 33 in ConvPartialnx1. */
static uint64_t pass_cycles(const struct plan_candidate *c, uint64_t passes, uint64_t work)
{
    const struct conv_plan *plan = &c->plan;
    uint64_t workers = c->target->num_worker_contexts, height = height_of(c),
             each = poplibs_ceil_div(plan->partial_chans_per_group, plan->num_conv_units),
             loop = c->params.input_type == POP_FLOAT ? 8 : 4;
    work = plan_work_met(c, work);
    return each * (passes / height * (workers * (height == 1 ? 15 : 33) + 6) +
                   work / height * (plan->num_conv_units == 4 ? loop / 2 : loop));
}

static uint64_t pair_cycles(const struct plan_candidate *c, const struct plan_tile *t)
{
    const struct conv_plan *plan = &c->plan;
    struct plan_worker_share share;
    if (!plan_worker_share(c, t, &share))
        return 0;
    uint64_t workers = c->target->num_worker_contexts, kernel = 1, height = height_of(c);
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        kernel *= d ? t->kernel[d] : poplibs_ceil_div(t->kernel[d], height);
    uint64_t each = poplibs_ceil_div(plan->partial_chans_per_group, plan->num_conv_units);
    uint64_t loop = (c->params.input_type == POP_FLOAT ? 8 : 4) / (plan->num_conv_units == 4 ? 2 : 1);
    uint64_t pass = height == 1 && is_planned_1x1(c, t)
                        ? workers * (15 + loop * share.positions) + 6
                        : workers * (11 + 21 * share.rows + loop * share.positions) + 18;
    return t->groups * kernel * each * pass;
}

/* A kernel whose number of rows is not a multiple of `height` is padded on its tile, and so is its input: tiles receive
 * the zeros.  The bytes of four published plans of kernels of 7 x 7 (bench/anchors/published/planner-plans.csv) are
 * those of so many rows of the tile's kernel and of its outputs, also where the kernel is split. */
static poplin_plan_costs tile_transforms(const struct plan_candidate *c, const struct plan_tile *t,
                                         const struct plan_elements *e)
{
    unsigned height = height_of(c);
    size_t rows = poplin_conv_truncated_kernel_size(&c->params, 0);
    if (height <= 1 || rows % height == 0 || !t->kernel[0] || !t->field[0])
        return (poplin_plan_costs){ 0, 0 };
    uint64_t inputs = t->groups * t->in_chans * (plan_outputs_of(c, t) / t->field[0]);
    uint64_t bytes = (height - rows % height) * (e->weights / t->kernel[0] + inputs) * c->input_bytes;
    return (poplin_plan_costs){ poplibs_ceil_div(bytes, c->target->exchange_bytes_per_cycle), bytes };
}

/* ---- vertices ---- */

static void add_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                       pop_tensor input, pop_tensor weights)
{
    const struct conv_plan *plan = &work->conv->plan;
    const pop_target *target = pop_graph_target(work->call->graph);
    unsigned of_unit = (unsigned)pop_target_weights_per_conv_unit(target, work->conv->params.input_type);
    assert(work->conv->c2 && of_unit >= work->conv->c2);
    struct conv_row_vertex vertex = {
        .type = plan->is_1x1 && conv_part_positions(work, part) == 1 ? "ConvPartial1x1Out" : "ConvPartialnx1",
        .filter_height = of_unit / (unsigned)work->conv->c2,
    };
    snprintf(vertex.parameters, sizeof(vertex.parameters), ",%s,%u",
             work->conv->request->options.use_128bit_conv_unit_load ? "true" : "false", plan->num_conv_units);
    conv_add_row_vertex(work, compute, part, input, weights, &vertex);
}
static void add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                         pop_tensor input, pop_tensor weights)
{
    const struct conv_part *part;
    for (size_t next = 0; (part = conv_next_part(work, compute, parts, &next));)
        add_vertex(work, compute, part, input, weights);
}

const struct conv_method method_amp = {
    .name = "AMP",
    .needs = "conv units and channels that fill them",
    .fields = POPLIN_HAS_CONV_UNITS,
    .writes_once = true,
    .takes_quarter = true,
    .propose = propose,
    .of_pass = of_pass,
    .macs = macs,
    .complete = complete,
    .cycles = cycles,
    .pass_cycles = pass_cycles,
    .pair_cycles = pair_cycles,
    .tile_transforms = tile_transforms,
    .add_vertices = add_vertices,
};
