/* SPDX-License-Identifier: Apache-2.0 */
#include "report/programs.h"

#include "compiler/placement/placement.h"
#include "report/writing.h"

#include <assert.h>

void program_ids_make(struct program_ids *ids, const struct image *image)
{
    uint32_t id = 0;
    ids->steps = image->model.steps.count;
    ids->first = mem_zero(ids->steps + 1, sizeof(*ids->first));
    ids->parts = step_parts_all(image);
    assert(ids->parts);
    for (uint32_t i = 0; i < ids->steps; ++i) {
        ids->first[i] = id;
        id += step_parts_count(ids->parts[i]);
    }
    ids->first[ids->steps] = id;
}

void program_ids_free(struct program_ids *ids)
{
    free(ids->first);
    free(ids->parts);
    *ids = (struct program_ids){ 0 };
}

uint32_t program_id(const struct program_ids *ids, uint32_t step, enum step_part part)
{
    assert(step < ids->steps && (ids->parts[step] >> part & 1));
    uint32_t id = ids->first[step];
    for (int before = 0; before < (int)part; ++before)
        id += ids->parts[step] >> before & 1;
    return id;
}

uint32_t exchange_id(const struct model *model, const struct model_step *step)
{
    uint32_t id = step->index;
    if (step->kind != MODEL_EXCHANGE)
        id += (uint32_t)model->exchanges.count;
    if (step->kind == MODEL_STREAM_COPY)
        id += (uint32_t)model->global_exchanges.count;
    return id;
}

/* The type of a column that holds an index or null. */
#define INDEX_COLUMN(exists) ((exists) ? 'i' : 'x')

/* Writes one part of a step. report->array has the control code of the step and its children; the other parts have
 * none. */
static void write_program(struct report *report, uint32_t step, enum step_part part)
{
    const struct model *model = &report->image->model;
    const struct model_step *of = model->steps.data + step;
    bool exchange = of->kind == MODEL_EXCHANGE || of->kind == MODEL_GLOBAL_EXCHANGE || of->kind == MODEL_STREAM_COPY;
    bool call = of->kind == MODEL_CALL, own = part == PART_STEP && report->array.bytes.count;
    uint64_t first = report->image->contexts.programs, context = first && of->program ? first + of->program - 1 : 0;
    const char *type = step_part_type(of, part), *name = image_string(report->image, of->name);
    if (!strcmp(type, "Sync"))
        name = step_part_detail(of, part);
    const char columns[] = { 'i',
                             's',
                             's',
                             's',
                             INDEX_COLUMN(of->kind == MODEL_EXECUTE),
                             INDEX_COLUMN(exchange),
                             INDEX_COLUMN(call),
                             'i',
                             INDEX_COLUMN(context),
                             'i',
                             'b',
                             0 };
    database_add(report->db, TABLE_PROGRAMS, columns, (int64_t)program_id(&report->programs, step, part), type, name,
                 step_part_detail(of, part), (int64_t)of->index, exchange ? (int64_t)exchange_id(model, of) : 0,
                 call ? (int64_t)report->programs.first[model->functions.data[of->index]] : 0, (int64_t)step,
                 (int64_t)context, own ? (int64_t)report->array.sum : 0,
                 own ? (const void *)report->array.bytes.data : NULL, own ? report->array.bytes.count : 0);
}

static void write_children(struct report *report, uint32_t step)
{
    const struct model *model = &report->image->model;
    const struct model_step *of = model->steps.data + step;
    int64_t position = 0, id = program_id(&report->programs, step, PART_STEP);
    for (uint32_t i = 0; i < of->children; ++i) {
        uint32_t child = model->children.data[of->first_child + i];
        for (int part = 0; part < STEP_PARTS; ++part)
            if (report->programs.parts[child] >> part & 1)
                database_add(report->db, TABLE_PROGRAM_CHILDREN, "iii", id, position++,
                             (int64_t)program_id(&report->programs, child, (enum step_part)part));
    }
}

/* Converts instructions to bytes by tile in report->array; tiles without code have none. */
static void code_array(struct report *report, const int64_t *change, const bool *has_code, uint32_t tiles)
{
    uint64_t now = 0;
    array_begin(&report->array);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        now += (uint64_t)change[tile];
        array_add(&report->array, has_code[tile] ? now * report->image->target.instruction_bytes : 0, 1);
    }
    array_end(&report->array);
}

/* Writes a step and its descendants; adds its control code to the parent's, as differences between neighbouring
 * tiles. */
static void write_tree(struct report *report, uint32_t step, const bool *has_code, int64_t *parent)
{
    const struct model *model = &report->image->model;
    const struct model_step *of = model->steps.data + step;
    uint32_t tiles = pop_target_num_tiles(&report->image->target);
    int64_t *change = mem_zero((size_t)tiles + 1, sizeof(*change));
    if (report_has_code(report)) {
        control_code_add(model, of, &report->image->target, change);
        if (model->controls.count && step == model->controls.data[0])
            control_code_start(&report->image->target, change);
    }
    for (uint32_t i = 0; i < of->children; ++i)
        write_tree(report, model->children.data[of->first_child + i], has_code, change);
    code_array(report, change, has_code, tiles);
    for (int part = 0; part < STEP_PARTS; ++part)
        if (report->programs.parts[step] >> part & 1)
            write_program(report, step, (enum step_part)part);
    write_children(report, step);
    for (uint32_t tile = 0; parent && tile <= tiles; ++tile)
        parent[tile] += change[tile];
    free(change);
}

static bool *tiles_with_code(const struct report *report)
{
    const struct model *model = &report->image->model;
    bool *has_code = mem_zero((size_t)pop_target_num_tiles(&report->image->target) + 1, sizeof(*has_code));
    for (size_t i = 0; i < model->uses.count; ++i)
        if (model->uses.data[i].category == MODEL_CONTROL_CODE_CATEGORY && model->uses.data[i].bytes)
            memset(has_code + model->uses.data[i].tile, true, model->uses.data[i].tiles);
    return has_code;
}

void report_write_programs(struct report *report)
{
    const struct model *model = &report->image->model;
    bool *has_code = tiles_with_code(report);
    bool *child = mem_zero(model->steps.count + 1, sizeof(*child));
    for (size_t i = 0; i < model->children.count; ++i)
        child[model->children.data[i]] = true;
    for (uint32_t step = 0; step < model->steps.count; ++step)
        if (!child[step])
            write_tree(report, step, has_code, NULL);
    free(has_code);
    free(child);
    for (size_t i = 0; i < model->controls.count; ++i)
        database_add(report->db, TABLE_CONTROL_PROGRAMS, "ii", (int64_t)i,
                     (int64_t)report->programs.first[model->controls.data[i]]);
    for (size_t i = 0; i < model->functions.count; ++i)
        database_add(report->db, TABLE_FUNCTIONS, "ii", (int64_t)i,
                     (int64_t)report->programs.first[model->functions.data[i]]);
}
