/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/planner/plan_fields.h"
#include "poplin/planner/method.h"

#include <stddef.h>

const struct plan_field plan_fields[] = {
#define PLAN(member)              offsetof(struct conv_plan, member)
#define CONSTRAINTS(member)       offsetof(struct plan_constraints, member)
#define FIELD(n, g, k, m, c, ...) { n, g, k, PLAN(m), CONSTRAINTS(c), true, __VA_ARGS__ },
#define SHOWN(n, g, k, m)         { n, g, k, PLAN(m), 0, false, 0, 0, 0 },
#include "poplin/planner/plan_fields.def"
#undef FIELD
#undef SHOWN
    { NULL, PLAN_VERTEX, PLAN_NUMBER, 0, 0, false, 0, 0, 0 },
};

const struct plan_field *plan_field_named(const char *name)
{
    for (const struct plan_field *field = plan_fields; field->name; ++field)
        if (field->is_constrained && strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

size_t plan_field_count(const struct plan_field *field)
{
    return field->kind == PLAN_LIST ? POPLIN_MAX_FIELD_DIMS : field->kind == PLAN_SPLIT ? 2 : 1;
}

unsigned *plan_constraint_of(struct plan_constraints *constraints, const struct plan_field *field)
{
    return (unsigned *)(void *)((char *)constraints + field->in_constraints);
}

bool plan_has(const struct conv_plan *plan, const struct plan_field *field)
{
    return !field->of_methods || (plan->method->fields & field->of_methods);
}

const unsigned *plan_numbers(const struct conv_plan *plan, const struct plan_field *field)
{
    return (const unsigned *)(const void *)((const char *)plan + field->in_plan);
}

bool plan_keeps(const struct conv_plan *plan, const struct plan_constraints *constraints, enum plan_field_group group)
{
    for (const struct plan_field *field = plan_fields; field->name; ++field) {
        if (!field->is_constrained || field->group != group || field->kind != PLAN_NUMBER || !plan_has(plan, field))
            continue;
        unsigned wanted = *(const unsigned *)(const void *)((const char *)constraints + field->in_constraints);
        if (wanted != POPLIN_FREE && wanted != *plan_numbers(plan, field))
            return false;
    }
    return true;
}

void plan_text_dims(struct params_text *text, const char *brackets, unsigned dims)
{
    unsigned list[32], count = 0;
    for (unsigned d = 0; d < 32; ++d)
        if (dims >> d & 1)
            list[count++] = d;
    plan_text_list(text, brackets, list, count);
}
void plan_text_list(struct params_text *text, const char *brackets, const unsigned *list, size_t count)
{
    params_text_add(text, "%c", brackets[0]);
    for (size_t i = 0; i < count; ++i)
        params_text_add(text, "%s%u", i ? "," : "", list[i]);
    params_text_add(text, "%c", brackets[1]);
}
