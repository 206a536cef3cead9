/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as text, and as the JSON of planConstraints. */
#include "poplin/planner/plan_text.h"
#include "poplin/params/conv_params.h"
#include "poplin/params/params.h"
#include "poplin/planner/method.h"
#include "poplin/planner/plan.h"

#include <jansson.h>

static void add_dims(struct poplin_text *text, const char *name, unsigned dims)
{
    poplin_text_add(text, "        %-27s{", name);
    bool first = true;
    for (unsigned d = 0; dims >> d; ++d)
        if (dims >> d & 1) {
            poplin_text_add(text, first ? "%u" : ",%u", d);
            first = false;
        }
    poplin_text_add(text, "}\n");
}
static void add_list(struct poplin_text *text, const char *name, const unsigned *list, size_t count)
{
    poplin_text_add(text, "        %-27s{", name);
    for (size_t i = 0; i < count; ++i)
        poplin_text_add(text, i ? ",%u" : "%u", list[i]);
    poplin_text_add(text, "}\n");
}
static void add_number(struct poplin_text *text, const char *name, uint64_t number)
{
    poplin_text_add(text, "        %-27s%llu\n", name, (unsigned long long)number);
}
static void add_step(struct poplin_text *text, const char *name, poplin_plan_costs costs)
{
    if (costs.cycles || costs.memory)
        poplin_text_add(text, "    - %-25s%llu cycles, %llu bytes\n", name, (unsigned long long)costs.cycles,
                        (unsigned long long)costs.memory);
}

size_t poplin_plan_text(const struct poplin_plan *plan, const struct poplin_plan_cost *cost,
                        const poplin_conv_params *params, char *buffer, size_t size)
{
    struct poplin_text text = { buffer, size, 0 };
    const struct poplin_partition *p = &plan->partition;
    const poplin_detailed_plan_costs *s = &cost->steps;
    char of[400];
    poplin_conv_params_text(params, of, sizeof(of));
    poplin_text_add(&text, "  Params:\n    %s\n  Plan:\n        Transform\n", of);
    add_number(&text, "extraFieldDims", plan->transform.extra_field_dims);
    add_number(&text, "swapOperands", plan->transform.swap_operands);
    add_dims(&text, "expandDims", plan->transform.expand_dims);
    add_dims(&text, "outChanFlattenDims", plan->transform.out_chan_flatten_dims);
    add_dims(&text, "flattenDims", plan->transform.flatten_dims);
    add_number(&text, "combineConvGroupsFactor", plan->transform.combine_conv_groups_factor);
    poplin_text_add(&text, "        Partition\n");
    add_list(&text, "fieldSplit", p->field_split, plan->num_field_dims);
    add_number(&text, "batchSplit", p->batch_split);
    add_number(&text, "outChanSplit.serial", p->out_chan_split.serial);
    add_number(&text, "outChanSplit.parallel", p->out_chan_split.parallel);
    add_list(&text, "kernelSplit", p->kernel_split, plan->num_field_dims);
    add_number(&text, "inChanSplit.serial", p->in_chan_split.serial);
    add_number(&text, "inChanSplit.parallel", p->in_chan_split.parallel);
    add_number(&text, "convGroupSplit", p->conv_group_split);
    add_list(&text, "fieldAxisGrainSize", p->field_grain, plan->num_field_dims);
    poplin_text_add(&text, "        %-27s%s\n", "method", plan->method->name);
    add_number(&text, "convGroupsPerGroup", plan->conv_groups_per_group);
    add_number(&text, "inChansPerGroup", plan->in_chans_per_group);
    add_number(&text, "partialChansPerGroup", plan->partial_chans_per_group);
    if (plan->method->fields & POPLIN_HAS_CONV_UNITS)
        add_number(&text, "numAmpConvUnits", plan->num_conv_units);
    if (plan->method->fields & POPLIN_HAS_SLIC_WINDOW)
        add_number(&text, "slicWindowWidth", plan->slic_window_width);
    poplin_text_add(&text, "        %-27s%s\n", "partialType", pop_type_name(plan->tile_partial_type));
    poplin_text_add(&text, "        %-27s%s\n", "resultType", pop_type_name(plan->result_type));
    add_number(&text, "startTile", plan->start_tile);
    poplin_text_add(&text, "        %-27s%s\n", "startTileDirection", plan->reversed ? "descending" : "ascending");
    add_number(&text, "isJointPlan", plan->is_joint);
    poplin_text_add(&text,
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
static json_t *split_of(struct poplin_split split)
{
    return json_pack("{sisi}", "serial", (int)split.serial, "parallel", (int)split.parallel);
}

bool poplin_plan_write_constraints(const struct poplin_plan *plan, const char *file)
{
    const struct poplin_transform *t = &plan->transform;
    const struct poplin_partition *p = &plan->partition;
    json_t *transform = json_object();
    json_object_set_new(transform, "swapOperands", json_boolean(t->swap_operands));
    json_object_set_new(transform, "expandDims", dims_of(t->expand_dims));
    json_object_set_new(transform, "outChanFlattenDims", dims_of(t->out_chan_flatten_dims));
    json_object_set_new(transform, "combineConvGroupsFactor", json_integer(t->combine_conv_groups_factor));
    json_t *partition = json_object();
    json_object_set_new(partition, "fieldSplit", numbers_of(p->field_split, plan->num_field_dims));
    json_object_set_new(partition, "batchSplit", json_integer(p->batch_split));
    json_object_set_new(partition, "outChanSplit", split_of(p->out_chan_split));
    json_object_set_new(partition, "kernelSplit", numbers_of(p->kernel_split, plan->num_field_dims));
    json_object_set_new(partition, "inChanSplit", split_of(p->in_chan_split));
    json_object_set_new(partition, "convGroupSplit", json_integer(p->conv_group_split));
    json_t *root = json_object();
    json_object_set_new(root, "method", json_string(plan->method->name));
    json_object_set_new(root, "convGroupsPerGroup", json_integer(plan->conv_groups_per_group));
    json_object_set_new(root, "inChansPerGroup", json_integer(plan->in_chans_per_group));
    json_object_set_new(root, "partialChansPerGroup", json_integer(plan->partial_chans_per_group));
    if (plan->method->fields & POPLIN_HAS_CONV_UNITS)
        json_object_set_new(root, "numAmpConvUnits", json_integer(plan->num_conv_units));
    if (plan->method->fields & POPLIN_HAS_SLIC_WINDOW)
        json_object_set_new(root, "slicWindowWidth", json_integer(plan->slic_window_width));
    json_object_set_new(root, "0", json_pack("{soso}", "transform", transform, "partition", partition));
    bool written = json_dump_file(root, file, JSON_INDENT(2)) == 0;
    json_decref(root);
    return written;
}
