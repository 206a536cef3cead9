/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/planner/method.h"
#include "poplin/planner/plan_fields.h"
#include "poplin/planner/planner.h"

enum reason { HELD_BY_TRANSFORM, HELD_BY_METHOD, HELD_BY_VERTEX, HELD_BY_PARTITION };
static const char *const reasons[] = {
    "a transform is considered only if it changes the convolution",
    NULL, /* each method's own text */
    "a method's vertices take only certain group sizes, which depend on the types and the target",
    "a split must not be larger than what it divides or leave a part empty, all splits together must not give more "
    "parts than there are tiles, and serial splits must divide the channels exactly",
};

/* All constraints in the order in which they are tried: fields[i]->order is i. */
enum { MAX_FIELDS = 32 };
struct blame_constraints {
    const struct plan_field *fields[MAX_FIELDS];
    size_t count;
};
static struct blame_constraints all_constraints(void)
{
    struct blame_constraints all = { .count = 0 };
    for (const struct plan_field *field = plan_fields; field->name; ++field)
        if (field->is_constrained) {
            all.fields[field->order] = field;
            ++all.count;
        }
    return all;
}
static enum reason reason_of(const struct plan_field *field)
{
    return field->group == PLAN_TRANSFORM   ? HELD_BY_TRANSFORM
           : field->group == PLAN_PARTITION ? HELD_BY_PARTITION
           : field->kind == PLAN_METHOD     ? HELD_BY_METHOD
                                            : HELD_BY_VERTEX;
}

/* Removes a constraint from all alternatives; false if none has it. */
static bool drop(struct plan_cached *asked, const struct plan_field *field)
{
    bool had = false;
    for (unsigned a = 0; a < asked->options.alternatives; ++a) {
        unsigned *values = plan_constraint_of(&asked->options.constraints[a], field);
        for (size_t i = 0; i < plan_field_count(field); ++i) {
            had |= values[i] != POPLIN_FREE;
            values[i] = POPLIN_FREE;
        }
    }
    return had;
}
static void restore(struct plan_cached *to, const struct plan_cached *from, const struct plan_field *field)
{
    for (unsigned a = 0; a < from->options.alternatives; ++a)
        memcpy((char *)&to->options.constraints[a] + field->in_constraints,
               (const char *)&from->options.constraints[a] + field->in_constraints,
               plan_field_count(field) * sizeof(unsigned));
}

/* The smallest set found of constraints without which there is a plan: a single one if that is sufficient, otherwise a
 * set of which all are needed.  *nearest is the plan. */
static unsigned find_set(const struct blame_constraints *all, const pop_target *target, const struct plan_cached *asked,
                         bool (*find)(const pop_target *, struct plan_cached *), struct plan_cached *nearest)
{
    for (size_t i = 0; i < all->count; ++i) {
        *nearest = *asked;
        if (drop(nearest, all->fields[i]) && find(target, nearest))
            return 1u << i;
    }
    unsigned dropped = 0;
    *nearest = *asked;
    for (size_t i = 0; i < all->count; ++i)
        dropped |= drop(nearest, all->fields[i]) ? 1u << i : 0;
    if (!find(target, nearest))
        return 0;
    for (size_t i = 0; i < all->count; ++i) {
        struct plan_cached with = *nearest;
        if (!(dropped >> i & 1))
            continue;
        restore(&with, asked, all->fields[i]);
        if (find(target, &with)) {
            *nearest = with;
            dropped &= ~(1u << i);
        }
    }
    return dropped;
}

/* Adds the plan's value of a constrained field. */
static void add_held(struct params_text *text, const struct conv_plan *plan, const struct plan_field *field)
{
    const unsigned *numbers = plan_numbers(plan, field);
    params_text_add(text, " '%s' ", field->name);
    if (field->kind == PLAN_FLAG)
        params_text_add(text, *numbers ? "true" : "false");
    else if (field->kind == PLAN_DIMS)
        plan_text_dims(text, "[]", *numbers);
    else if (field->kind == PLAN_LIST)
        plan_text_list(text, "[]", numbers, plan->num_field_dims);
    else if (field->kind == PLAN_SPLIT)
        params_text_add(text, "serial %u, parallel %u", numbers[0], numbers[1]);
    else if (field->kind == PLAN_METHOD)
        params_text_add(text, "%s", plan->method->name);
    else
        params_text_add(text, "%u", *numbers);
}

/* Adds "A needs a, B b, C c". */
static void add_reason(struct params_text *text, enum reason reason)
{
    if (reasons[reason])
        params_text_add(text, "%s", reasons[reason]);
    const char *separator = "", *verb = " needs";
    for (size_t i = 0; !reasons[reason] && plan_methods[i]; ++i)
        if (plan_methods[i]->needs) {
            params_text_add(text, "%s%s%s %s", separator, plan_methods[i]->name, verb, plan_methods[i]->needs);
            separator = ", ";
            verb = "";
        }
}

void plan_blame(const pop_target *target, const struct plan_cached *asked,
                bool (*find)(const pop_target *, struct plan_cached *), char *buffer, size_t size)
{
    struct params_text text = { buffer, size, 0 };
    struct plan_cached nearest;
    const struct blame_constraints list = all_constraints(), *all = &list;
    unsigned blamed = find_set(all, target, asked, find, &nearest), named = 0;
    params_text_add(&text, "planConstraints: ");
    if (!blamed) {
        params_text_add(&text, "the convolution has no plan on %u tiles, with or without constraints",
                        asked->options.tiles_per_ipu);
        return;
    }
    for (size_t i = 0, count = 0; i < all->count; ++i)
        if (blamed >> i & 1)
            params_text_add(&text, "%s'%s'", count++ ? ", " : "", all->fields[i]->name);
    params_text_add(&text, blamed & (blamed - 1) ? " cannot be satisfied together: " : " cannot be satisfied: ");
    for (size_t i = 0; i < all->count; ++i)
        if ((blamed >> i & 1) && !(named >> reason_of(all->fields[i]) & 1)) {
            params_text_add(&text, "%s", named ? "; " : "");
            add_reason(&text, reason_of(all->fields[i]));
            named |= 1u << reason_of(all->fields[i]);
        }
    params_text_add(&text, ". The nearest plan has");
    for (size_t i = 0, count = 0; i < all->count; ++i)
        if (blamed >> i & 1) {
            params_text_add(&text, count++ ? "," : "");
            add_held(&text, &nearest.planned.plan, all->fields[i]);
        }
}
