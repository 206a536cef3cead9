/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/planner/method.h"
#include "poplin/planner/planner.h"

struct order_key {
    double rate; /* multiplications a cycle, without those of padding */
    uint64_t padding;
    unsigned partial_bytes;
    struct conv_plan plan;
};

/* Pairs of channels, rounded up to whole groups. */
static uint64_t padded_pairs(const struct conv_plan *plan, uint64_t groups, uint64_t in, uint64_t out)
{
    uint64_t group = plan->conv_groups_per_group, in_group = plan->in_chans_per_group,
             out_group = plan->partial_chans_per_group;
    return poplibs_ceil_div(groups, group) * group * (poplibs_ceil_div(in, in_group) * in_group) *
           (poplibs_ceil_div(out, out_group) * out_group);
}

static struct order_key key_of(const struct plan_proposals *proposals, const struct conv_plan *plan)
{
    const poplin_conv_params *p = proposals->params;
    unsigned vector = pop_target_vector_width(proposals->target, p->input_type);
    uint64_t groups = p->num_conv_groups, in = p->input_channels_per_conv_group,
             out = p->output_channels_per_conv_group, padded = padded_pairs(plan, groups, in, out);
    double macs = plan->method->macs ? plan->method->macs(plan, vector) : vector;
    return (struct order_key){ macs * ((double)(groups * in * out) / (double)padded), padded - groups * in * out,
                               pop_target_type_size(proposals->target, plan->tile_partial_type), *plan };
}

static bool is_before(const struct order_key *a, const struct order_key *b)
{
    if (a->rate != b->rate)
        return a->rate > b->rate;
    return a->padding != b->padding ? a->padding < b->padding : a->partial_bytes < b->partial_bytes;
}

void plan_order(struct plan_proposals *proposals)
{
    if (proposals->target->poplibs_release == POP_POPLIBS_1_2 || proposals->count < 2)
        return;
    struct order_key *keys = poplibs_new(proposals->count, sizeof(*keys));
    for (size_t i = 0; i < proposals->count; ++i) { /* equal ones keep the order of methods */
        struct order_key key = key_of(proposals, &proposals->list[i]);
        size_t at = i;
        for (; at && is_before(&key, &keys[at - 1]); --at)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
    for (size_t i = 0; i < proposals->count; ++i)
        proposals->list[i] = keys[i].plan;
    free(keys);
}
