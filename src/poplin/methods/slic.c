/* SPDX-License-Identifier: Apache-2.0 */
/* SLIC: windows of four kernel positions by conv units, for few channels per group.  Vertices ConvPartial1x4SLIC
 * (conv_vertices/conv_slic_vertices.c), which slic_build.c adds. */
#include "poplin/methods/methods.h"
#include "poplin/planner/plan_candidate.h"

/* ---- candidates ---- */

/* Conditions: half inputs, strides of 1 or 2 along the rows, outputs without padding (to which no input contributes),
 * not a fully connected layer, and the number of conv units for which the vertices are written. */
static bool takes(const struct plan_proposals *to, const struct conv_plan *plan)
{
    const poplin_conv_params *p = to->params;
    const poplin_output_transform *out = &p->output_transform;
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (out->padding_lower[d] || out->padding_upper[d])
            return false;
    return p->input_type == POP_HALF && out->stride[p->num_field_dims - 1] <= 2 &&
           !pass_is_fully_connected(to->options->pass) && (plan->num_conv_units == 8 || plan->num_conv_units == 16);
}

/* The planner of 2021 does not propose SLIC for flipped operands or a dilated or padded kernel. */
static bool takes_2021(const struct plan_proposals *to)
{
    const poplin_conv_params *p = to->params;
    const poplin_input_transform *kernel = &p->kernel_transform;
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (p->input_transform.flip[d] || kernel->flip[d] || kernel->dilation[d] != 1 || kernel->padding_lower[d] ||
            kernel->padding_upper[d])
            return false;
    return true;
}

/* Proposes a window of four positions along the last dimension, with four output channels, of one convolution or
 * several. */
static void propose(struct plan_proposals *to, struct conv_plan plan)
{
    plan.num_conv_units = pop_target_num_conv_units(to->target, to->params->input_type, plan.tile_partial_type);
    plan.slic_window_width = POPLIN_SLIC_WINDOW;
    bool later = to->target->poplibs_release == POP_POPLIBS_2021, halves = plan.tile_partial_type == POP_HALF;
    if (!takes(to, &plan) || (later && !takes_2021(to)))
        return;
    /* Release 1.2 uses all conv units; that of 2021 uses 8 with float partials, 16 or 8 with half ones. */
    unsigned all = later && !halves ? 8 : plan.num_conv_units, few = later ? 8 : all;
    for (unsigned groups = 4; groups; groups /= 2)
        for (plan.num_conv_units = all; plan.num_conv_units >= few; plan.num_conv_units /= 2) {
            plan.conv_groups_per_group = groups;
            plan.in_chans_per_group = plan.partial_chans_per_group = 4 / groups;
            plan_propose(to, &plan);
        }
}

/* As the original's planner counts: a window for each channel, and twice. */
static double macs(const struct conv_plan *plan, unsigned vector)
{
    return (double)(2 * POPLIN_SLIC_WINDOW * poplibs_min(vector, plan->in_chans_per_group));
}

/* ---- costs ---- */

/* The number of rows of POPLIN_SLIC_WINDOW kernel elements into which a tile's kernel is divided. */
static uint64_t sub_kernels_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    size_t last = c->params.num_field_dims - 1;
    uint64_t width = t->kernel[last] ? (t->kernel[last] - 1) * c->params.kernel_transform.dilation[last] + 1 : 0;
    uint64_t sub_kernels = poplibs_ceil_div(width, POPLIN_SLIC_WINDOW);
    for (size_t d = 0; d < last; ++d)
        sub_kernels *= t->kernel[d];
    return sub_kernels;
}
static unsigned passes_of(const struct plan_candidate *c)
{
    return 4 * POPLIN_SLIC_WINDOW / c->plan.num_conv_units;
}

static uint64_t cycles(const struct plan_candidate *c, const struct plan_tile *t, const struct plan_tile_work *work)
{
    size_t last = c->params.num_field_dims - 1;
    struct plan_lists lists = plan_lists_make(work->workers, plan_outputs_of(c, t) / t->field[last], t->field[last]);
    struct slic_work slic = { work->workers,
                              work->groups,
                              c->plan.conv_groups_per_group,
                              (unsigned)sub_kernels_of(c, t),
                              c->params.output_transform.stride[last],
                              passes_of(c),
                              c->plan.tile_partial_type == POP_FLOAT,
                              c->target->poplibs_release };
    uint64_t found = cycles_slic(&slic, lists.lists);
    free(lists.items);
    return found;
}

enum { WORKER_CYCLES = 17 }; /* of a worker beside its rows, as in cycles_slic */
/* The cycles of a row of n outputs beyond passes * n.  By row_slic of performance.c a row takes n + 10 in one pass and
 * 2 n + 5 in two, with a stride of 1, which is the faster one. */
static uint64_t row_cycles(const struct plan_candidate *c)
{
    return passes_of(c) > 1 ? 5 : 10;
}
static uint64_t pass_cycles(const struct plan_candidate *c, uint64_t passes, uint64_t work)
{
    uint64_t workers = c->target->num_worker_contexts;
    return passes / POPLIN_SLIC_WINDOW * workers * (WORKER_CYCLES + row_cycles(c)) +
           passes_of(c) * work / POPLIN_SLIC_WINDOW;
}
static uint64_t pair_cycles(const struct plan_candidate *c, const struct plan_tile *t)
{
    size_t last = c->params.num_field_dims - 1;
    uint64_t workers = c->target->num_worker_contexts, all = plan_outputs_of(c, t);
    if (!plan_positions_of(c, t))
        return 0;
    uint64_t min = passes_of(c) * (all / workers) + row_cycles(c) * poplibs_ceil_div(all / t->field[last], workers);
    return t->groups / c->plan.conv_groups_per_group * sub_kernels_of(c, t) * workers * (WORKER_CYCLES + min);
}

/* Input and kernel are copied with their padding and gaps, in whole sub-kernels: zeros are written first, then the
 * elements.  No cost if there are neither.  The planner of 2021 counts the zeros alone, as copies of elements that fill
 * no vector (docs/reference/depthwise.md: what that is inferred from). */
static poplin_plan_costs tile_transforms(const struct plan_candidate *c, const struct plan_tile *t,
                                         const struct plan_elements *e)
{
    size_t last = c->params.num_field_dims - 1;
    uint64_t input = t->groups * t->batch * t->in_chans,
             kernel = t->groups * t->in_chans * t->out_chans * sub_kernels_of(c, t) * POPLIN_SLIC_WINDOW;
    if (!e->inputs || !e->weights || !e->outputs)
        return (poplin_plan_costs){ 0, 0 };
    for (size_t d = 0; d <= last; ++d) {
        uint64_t range = (t->kernel[d] - 1) * c->params.kernel_transform.dilation[d] + 1;
        range = d == last ? poplibs_ceil_div(range, POPLIN_SLIC_WINDOW) * POPLIN_SLIC_WINDOW : range;
        input *= (t->field[d] - 1) * c->params.output_transform.stride[d] + range;
    }
    if (c->target->poplibs_release == POP_POPLIBS_2021) {
        uint64_t zeros = (input > e->inputs ? input - e->inputs : 0) + (kernel > e->weights ? kernel - e->weights : 0);
        uint64_t bytes = zeros * c->input_bytes;
        return (poplin_plan_costs){ poplibs_ceil_div(bytes * 5, (uint64_t)c->input_bytes * 3), bytes };
    }
    uint64_t bytes = ((input == e->inputs ? 0 : input) + (kernel == e->weights ? 0 : kernel)) * c->input_bytes;
    return (poplin_plan_costs){ 2 * poplibs_ceil_div(bytes * 5, c->target->memcpy_bytes_per_cycle * 4), bytes };
}

/* The number of sums of one pass of a vertex. */
static uint64_t buffer_elements(const struct plan_candidate *c, const struct plan_tile *t, uint64_t outputs)
{
    uint64_t sums = outputs / (t->groups / c->plan.conv_groups_per_group);
    if (c->target->poplibs_release == POP_POPLIBS_2021)
        sums += POPLIN_SLIC_OVERHEAD / pop_target_type_size(c->target, c->plan.tile_partial_type);
    return sums;
}

const struct conv_method method_slic = {
    .name = "SLIC",
    .needs =
        "halves, 8 or 16 conv units, strides of 1 or 2 along rows, outputs without padding and no fully connected pass "
        "(poplibsRelease 2021: no flips, no dilated or padded kernel)",
    .fields = POPLIN_HAS_CONV_UNITS | POPLIN_HAS_SLIC_WINDOW,
    .one_in_group = true,
    .one_out_group = true,
    .propose = propose,
    .macs = macs,
    .cycles = cycles,
    .pass_cycles = pass_cycles,
    .pair_cycles = pair_cycles,
    .tile_transforms = tile_transforms,
    .buffer_elements = buffer_elements,
    .add_vertices = slic_add_vertices,
};
