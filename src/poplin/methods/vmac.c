/* SPDX-License-Identifier: Apache-2.0 */
/* VMAC: dot products along a row of the kernel for four convolutions side by side, by the workers' multiply-add
 * instructions.  Vertices ConvPartialVerticalMac (conv_vertices/conv_vmac_vertices.c), which vmac_build.c adds.  It is
 * one of the methods of Poplibs of 2021. */
#include "poplin/methods/methods.h"
#include "poplin/planner/plan_candidate.h"

enum { GROUPS = 4 }; /* convolutions side by side: a vector of halves */

static void propose(struct plan_proposals *to, struct conv_plan plan)
{
    if (to->target->poplibs_release != POP_POPLIBS_2021 || to->params->input_type != POP_HALF ||
        plan.tile_partial_type != POP_FLOAT || pop_target_vector_width(to->target, POP_HALF) % GROUPS)
        return;
    plan.conv_groups_per_group = GROUPS;
    plan.in_chans_per_group = plan.partial_chans_per_group = 1;
    plan_propose(to, &plan);
}

/* ---- costs ---- */

static uint64_t kernel_width(const struct plan_candidate *c, const struct plan_tile *t)
{
    return t->kernel[c->params.num_field_dims - 1];
}
static uint64_t field_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    return t->batch ? plan_outputs_of(c, t) / t->batch : 0;
}

/* As the original's planner: padding and dilation are not taken into account, and the outputs that are zeroed are those
 * of one batch element of one convolution. */
static uint64_t cycles(const struct plan_candidate *c, const struct plan_tile *t, const struct plan_tile_work *work)
{
    uint64_t workers = work->workers, width = kernel_width(c, t), rows = plan_outputs_of(c, t);
    uint64_t split = workers / poplibs_gcd(workers, rows), parts = poplibs_ceil_div(rows * split, workers);
    uint64_t items =
        parts / split * cycles_vmac_item(width) + parts % split * cycles_vmac_item(poplibs_ceil_div(width, split));
    struct vmac_work vmac = { work->workers, work->groups, work->in_groups, field_of(c, t),
                              work->kernel / width * items };
    return cycles_vmac(&vmac);
}

/* Each output of each row of the kernel takes an item, whose first position costs that of an item of one. */
static uint64_t pass_cycles(const struct plan_candidate *c, uint64_t passes, uint64_t work)
{
    uint64_t width = poplin_conv_truncated_kernel_size(&c->params, c->params.num_field_dims - 1);
    (void)passes;
    return 2 * work + (width ? work / width * cycles_vmac_item(0) : 0);
}
static uint64_t pair_cycles(const struct plan_candidate *c, const struct plan_tile *t)
{
    uint64_t workers = c->target->num_worker_contexts, width = kernel_width(c, t), rows = plan_outputs_of(c, t),
             height = 1;
    for (size_t d = 0; d + 1 < c->params.num_field_dims; ++d)
        height *= t->kernel[d];
    uint64_t items = workers * poplibs_ceil_div(rows, workers) * cycles_vmac_item(0) + 2 * rows * width;
    return t->groups / c->plan.conv_groups_per_group * height * items;
}

/* Each worker has partials of its own for a group of convolutions. */
static uint64_t buffer_elements(const struct plan_candidate *c, const struct plan_tile *t, uint64_t outputs)
{
    return c->target->num_worker_contexts * (outputs / (t->groups / c->plan.conv_groups_per_group));
}

const struct conv_method method_vmac = {
    .name = "VMAC",
    .needs = "half inputs, float partials, vectors of a multiple of 4 halves and poplibsRelease 2021",
    .one_out_group = true,
    .reads_flipped = true,
    .propose = propose,
    .cycles = cycles,
    .pass_cycles = pass_cycles,
    .pair_cycles = pair_cycles,
    .buffer_elements = buffer_elements,
    .add_vertices = vmac_add_vertices,
};
