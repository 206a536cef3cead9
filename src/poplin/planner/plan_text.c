/* SPDX-License-Identifier: Apache-2.0 */
/* Writes plans as text, and as JSON of planConstraints. */
#include "poplin/params/params.h"
#include "poplin/planner/method.h"
#include "poplin/planner/plan_fields.h"
#include "poplin/planner/planner.h"

#include <jansson.h>

static void add_field(struct params_text *text, const struct conv_plan *plan, const struct plan_field *field)
{
    const unsigned *numbers = plan_numbers(plan, field);
    if (field->kind == PLAN_SPLIT) {
        char name[64];
        snprintf(name, sizeof(name), "%s.serial", field->name);
        params_text_add(text, "        %-27s%u\n", name, numbers[0]);
        snprintf(name, sizeof(name), "%s.parallel", field->name);
        params_text_add(text, "        %-27s%u\n", name, numbers[1]);
        return;
    }
    params_text_add(text, "        %-27s", field->name);
    switch (field->kind) {
    case PLAN_NUMBER:
    case PLAN_FLAG:
    case PLAN_SPLIT:
        params_text_add(text, "%u", *numbers);
        break;
    case PLAN_DIMS:
        plan_text_dims(text, "{}", *numbers);
        break;
    case PLAN_LIST:
        plan_text_list(text, "{}", numbers, plan->num_field_dims);
        break;
    case PLAN_METHOD:
        params_text_add(text, "%s", plan->method->name);
        break;
    case PLAN_TYPE:
        params_text_add(text, "%s", pop_type_name(*(const pop_type *)(const void *)numbers));
        break;
    case PLAN_DIRECTION:
        params_text_add(text, "%s", *numbers ? "descending" : "ascending");
        break;
    }
    params_text_add(text, "\n");
}
static void add_group(struct params_text *text, const struct conv_plan *plan, enum plan_field_group group)
{
    for (const struct plan_field *field = plan_fields; field->name; ++field)
        if (field->group == group && plan_has(plan, field))
            add_field(text, plan, field);
}

/* ---- costs ---- */

static void add_step(struct params_text *text, const char *name, poplin_plan_costs costs)
{
    if (costs.cycles || costs.memory)
        params_text_add(text, "    - %-25s%llu cycles, %llu bytes\n", name, (unsigned long long)costs.cycles,
                        (unsigned long long)costs.memory);
}

size_t plan_text(const struct conv_plan *plan, const struct plan_cost *cost, const poplin_conv_params *params,
                 char *buffer, size_t size)
{
    struct params_text text = { buffer, size, 0 };
    const poplin_detailed_plan_costs *s = &cost->steps;
    char of[400];
    conv_params_text(params, of, sizeof(of));
    params_text_add(&text, "  Params:\n    %s\n  Plan:\n        Transform\n", of);
    add_group(&text, plan, PLAN_TRANSFORM);
    params_text_add(&text, "        Partition\n");
    add_group(&text, plan, PLAN_PARTITION);
    add_group(&text, plan, PLAN_VERTEX);
    params_text_add(&text,
                    "  Total tiles: %u\n  Estimated cost: %llu cycles, %llu bytes; of each of %llu serial steps:\n",
                    cost->tiles, (unsigned long long)cost->cycles, (unsigned long long)cost->bytes,
                    (unsigned long long)s->serial_split);
    add_step(&text, "rearrangement (once)", s->rearrangement);
    add_step(&text, "zeros (once)", s->broadcast);
    add_step(&text, "dynamic slice", s->dynamic_slice);
    add_step(&text, "transform", s->transform);
    add_step(&text, "exchange", s->exchange);
    add_step(&text, "tile level transform", s->tile_level_transform);
    add_step(&text, "compute", s->compute);
    add_step(&text, "reduction", s->reduction);
    add_step(&text, "dynamic update", s->dynamic_update);
    add_step(&text, "add in place", s->add_in_place);
    add_step(&text, "output cast (once)", s->output_cast);
    return text.length;
}

/* ---- planConstraints ---- */

static json_t *dims_of(unsigned dims)
{
    json_t *list = json_array();
    for (unsigned d = 0; dims >> d; ++d)
        if (dims >> d & 1)
            json_array_append_new(list, json_integer(d));
    return list;
}
static json_t *numbers_of(const unsigned *numbers, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(list, json_integer(numbers[i]));
    return list;
}
static json_t *json_of(const struct conv_plan *plan, const struct plan_field *field)
{
    const unsigned *numbers = plan_numbers(plan, field);
    switch (field->kind) {
    case PLAN_FLAG:
        return json_boolean(*numbers);
    case PLAN_DIMS:
        return dims_of(*numbers);
    case PLAN_LIST:
        return numbers_of(numbers, plan->num_field_dims);
    case PLAN_SPLIT:
        return json_pack("{sisi}", "serial", (int)numbers[0], "parallel", (int)numbers[1]);
    case PLAN_METHOD:
        return json_string(plan->method->name);
    case PLAN_NUMBER:
    case PLAN_TYPE:
    case PLAN_DIRECTION:
        break;
    }
    return json_integer(*numbers);
}
static void set_group(json_t *object, const struct conv_plan *plan, enum plan_field_group group)
{
    for (const struct plan_field *field = plan_fields; field->name; ++field)
        if (field->is_constrained && field->group == group && plan_has(plan, field))
            json_object_set_new(object, field->name, json_of(plan, field));
}

bool plan_write_constraints(const struct conv_plan *plan, const char *file)
{
    json_t *root = json_object(), *transform = json_object(), *partition = json_object();
    set_group(transform, plan, PLAN_TRANSFORM);
    set_group(partition, plan, PLAN_PARTITION);
    set_group(root, plan, PLAN_VERTEX);
    json_object_set_new(root, "0", json_pack("{soso}", "transform", transform, "partition", partition));
    bool written = json_dump_file(root, file, JSON_INDENT(2)) == 0;
    json_decref(root);
    return written;
}
