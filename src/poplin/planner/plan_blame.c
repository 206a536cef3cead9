/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/planner/plan_blame.h"
#include "poplin/planner/method.h"

#include "poplin/params/params.h"

#include <stddef.h>

enum reason { HELD_BY_TRANSFORM, HELD_BY_METHOD, HELD_BY_VERTEX, HELD_BY_PARTITION };
static const char *const reasons[] = {
    "a transform is planned only where the convolution has something to transform",
    NULL, /* what methods need */
    "a method has vertices of certain groups only, which the types and the target decide",
    "a split divides what there is, leaves no part empty, and takes a tile for each part of all splits together; "
    "serial splits divide channels exactly",
};

static const struct member {
    const char *name;
    size_t offset, count;
    enum reason reason;
} members[] = {
#define MEMBER(name, member, count, reason)                                                                            \
    {                                                                                                                  \
        name, offsetof(struct poplin_plan_constraints, member), count, reason                                          \
    }
    MEMBER("swapOperands", swap_operands, 1, HELD_BY_TRANSFORM),
    MEMBER("combineConvGroupsFactor", combine_conv_groups_factor, 1, HELD_BY_TRANSFORM),
    MEMBER("expandDims", expand_dims, 1, HELD_BY_TRANSFORM),
    MEMBER("outChanFlattenDims", out_chan_flatten_dims, 1, HELD_BY_TRANSFORM),
    MEMBER("method", method, 1, HELD_BY_METHOD),
    MEMBER("convGroupsPerGroup", conv_groups_per_group, 1, HELD_BY_VERTEX),
    MEMBER("inChansPerGroup", in_chans_per_group, 1, HELD_BY_VERTEX),
    MEMBER("partialChansPerGroup", partial_chans_per_group, 1, HELD_BY_VERTEX),
    MEMBER("numAmpConvUnits", num_conv_units, 1, HELD_BY_VERTEX),
    MEMBER("slicWindowWidth", slic_window_width, 1, HELD_BY_VERTEX),
    MEMBER("fieldSplit", field_split, POPLIN_MOST_FIELD_DIMS, HELD_BY_PARTITION),
    MEMBER("kernelSplit", kernel_split, POPLIN_MOST_FIELD_DIMS, HELD_BY_PARTITION),
    MEMBER("batchSplit", batch_split, 1, HELD_BY_PARTITION),
    MEMBER("convGroupSplit", conv_group_split, 1, HELD_BY_PARTITION),
    MEMBER("outChanSplit", out_chan_serial, 2, HELD_BY_PARTITION),
    MEMBER("inChanSplit", in_chan_serial, 2, HELD_BY_PARTITION),
#undef MEMBER
};
enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

/* Takes a constraint out of all alternatives; false when none has it. */
static bool drop(struct plan_cached *asked, const struct member *member)
{
    bool had = false;
    for (unsigned a = 0; a < asked->options.alternatives; ++a) {
        unsigned *values = (unsigned *)(void *)((char *)&asked->options.constraints[a] + member->offset);
        for (size_t i = 0; i < member->count; ++i) {
            had |= values[i] != POPLIN_FREE;
            values[i] = POPLIN_FREE;
        }
    }
    return had;
}
static void restore(struct plan_cached *to, const struct plan_cached *from, const struct member *member)
{
    for (unsigned a = 0; a < from->options.alternatives; ++a)
        memcpy((char *)&to->options.constraints[a] + member->offset,
               (const char *)&from->options.constraints[a] + member->offset, member->count * sizeof(unsigned));
}

/* The constraints without which there is a plan, as a set that has none to spare: one alone where that is enough.
 * nearest is the plan. */
static unsigned find_set(const pop_target *target, const struct plan_cached *asked,
                         bool (*find)(const pop_target *, struct plan_cached *), struct plan_cached *nearest)
{
    for (size_t i = 0; i < MEMBERS; ++i) {
        *nearest = *asked;
        if (drop(nearest, &members[i]) && find(target, nearest))
            return 1u << i;
    }
    unsigned dropped = 0;
    *nearest = *asked;
    for (size_t i = 0; i < MEMBERS; ++i)
        dropped |= drop(nearest, &members[i]) ? 1u << i : 0;
    if (!find(target, nearest))
        return 0;
    for (size_t i = 0; i < MEMBERS; ++i) {
        struct plan_cached with = *nearest;
        if (!(dropped >> i & 1))
            continue;
        restore(&with, asked, &members[i]);
        if (find(target, &with)) {
            *nearest = with;
            dropped &= ~(1u << i);
        }
    }
    return dropped;
}

/* What a plan has of each constraint, in its own words. */
static void add_dims(struct poplin_text *text, unsigned dims)
{
    const char *comma = "";
    poplin_text_add(text, "[");
    for (unsigned d = 0; dims >> d; ++d)
        if (dims >> d & 1) {
            poplin_text_add(text, "%s%u", comma, d);
            comma = ",";
        }
    poplin_text_add(text, "]");
}
static void add_splits(struct poplin_text *text, const unsigned *splits, size_t count)
{
    for (size_t d = 0; d < count; ++d)
        poplin_text_add(text, "%s%u", d ? "," : "[", splits[d]);
    poplin_text_add(text, "]");
}
static void add_held(struct poplin_text *text, const struct poplin_plan *plan, const struct member *member)
{
    const struct poplin_partition *p = &plan->partition;
    poplin_text_add(text, " '%s' ", member->name);
    switch (member->offset) {
#define OF(member) offsetof(struct poplin_plan_constraints, member)
    case OF(swap_operands):
        poplin_text_add(text, plan->transform.swap_operands ? "true" : "false");
        break;
    case OF(combine_conv_groups_factor):
        poplin_text_add(text, "%u", plan->transform.combine_conv_groups_factor);
        break;
    case OF(expand_dims):
        add_dims(text, plan->transform.expand_dims);
        break;
    case OF(out_chan_flatten_dims):
        add_dims(text, plan->transform.out_chan_flatten_dims);
        break;
    case OF(method):
        poplin_text_add(text, "%s", plan->method->name);
        break;
    case OF(conv_groups_per_group):
        poplin_text_add(text, "%u", plan->conv_groups_per_group);
        break;
    case OF(in_chans_per_group):
        poplin_text_add(text, "%u", plan->in_chans_per_group);
        break;
    case OF(partial_chans_per_group):
        poplin_text_add(text, "%u", plan->partial_chans_per_group);
        break;
    case OF(num_conv_units):
        poplin_text_add(text, "%u", plan->num_conv_units);
        break;
    case OF(slic_window_width):
        poplin_text_add(text, "%u", plan->slic_window_width);
        break;
    case OF(field_split):
        add_splits(text, p->field_split, plan->num_field_dims);
        break;
    case OF(kernel_split):
        add_splits(text, p->kernel_split, plan->num_field_dims);
        break;
    case OF(batch_split):
        poplin_text_add(text, "%u", p->batch_split);
        break;
    case OF(conv_group_split):
        poplin_text_add(text, "%u", p->conv_group_split);
        break;
    case OF(out_chan_serial):
        poplin_text_add(text, "serial %u, parallel %u", p->out_chan_split.serial, p->out_chan_split.parallel);
        break;
    case OF(in_chan_serial):
        poplin_text_add(text, "serial %u, parallel %u", p->in_chan_split.serial, p->in_chan_split.parallel);
        break;
#undef OF
    }
}

/* "A needs a, B b, C c" */
static void add_reason(struct poplin_text *text, enum reason reason)
{
    if (reasons[reason])
        poplin_text_add(text, "%s", reasons[reason]);
    const char *separator = "", *verb = " needs";
    for (size_t i = 0; !reasons[reason] && poplin_methods[i]; ++i)
        if (poplin_methods[i]->needs) {
            poplin_text_add(text, "%s%s%s %s", separator, poplin_methods[i]->name, verb, poplin_methods[i]->needs);
            separator = ", ";
            verb = "";
        }
}

void plan_blame(const pop_target *target, const struct plan_cached *asked,
                bool (*find)(const pop_target *, struct plan_cached *), char *buffer, size_t size)
{
    struct poplin_text text = { buffer, size, 0 };
    struct plan_cached nearest;
    unsigned blamed = find_set(target, asked, find, &nearest), said = 0;
    poplin_text_add(&text, "planConstraints: ");
    if (!blamed) {
        poplin_text_add(&text, "the convolution has no plan on %u tiles, with or without them",
                        asked->options.tiles_per_ipu);
        return;
    }
    for (size_t i = 0, count = 0; i < MEMBERS; ++i)
        if (blamed >> i & 1)
            poplin_text_add(&text, "%s'%s'", count++ ? ", " : "", members[i].name);
    poplin_text_add(&text, blamed & (blamed - 1) ? " cannot be so together: " : " cannot be so: ");
    for (size_t i = 0; i < MEMBERS; ++i)
        if ((blamed >> i & 1) && !(said >> members[i].reason & 1)) {
            poplin_text_add(&text, "%s", said ? "; " : "");
            add_reason(&text, members[i].reason);
            said |= 1u << members[i].reason;
        }
    poplin_text_add(&text, ". The nearest plan has");
    for (size_t i = 0, count = 0; i < MEMBERS; ++i)
        if (blamed >> i & 1) {
            poplin_text_add(&text, count++ ? "," : "");
            add_held(&text, &nearest.planned.plan, &members[i]);
        }
}
