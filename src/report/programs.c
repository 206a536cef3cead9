/* SPDX-License-Identifier: Apache-2.0 */
#include "report/programs.h"

#include "model/timeline.h"
#include "report/writing.h"

static const char *const types[] = {
#define MODEL_KIND(constant, tag) [MODEL_##constant] = tag,
#include "image/model_kinds.def"
#undef MODEL_KIND
};

static uint8_t parts_of(const struct image *image, uint32_t step)
{
    switch (image->model.steps.data[step].kind) {
    case MODEL_STREAM_COPY:
        return 1u << PART_BEGIN | 1u << PART_STEP | 1u << PART_END;
    case MODEL_EXCHANGE:
    case MODEL_GLOBAL_EXCHANGE:
        if (timeline_answering(image, step))
            return 1u << PART_SANS | 1u << PART_SYNC | 1u << PART_SYNC_ANS | 1u << PART_STEP;
        return 1u << PART_SYNC | 1u << PART_STEP;
    default:
        return 1u << PART_STEP;
    }
}

void program_ids_make(struct program_ids *ids, const struct image *image)
{
    uint32_t id = 0;
    ids->steps = image->model.steps.count;
    ids->first = mem_zero(ids->steps + 1, sizeof(*ids->first));
    ids->parts = mem_zero(ids->steps + 1, sizeof(*ids->parts));
    for (uint32_t i = 0; i < ids->steps; ++i) {
        ids->first[i] = id;
        ids->parts[i] = parts_of(image, i);
        for (int part = 0; part < PROGRAM_PARTS; ++part)
            id += ids->parts[i] >> part & 1;
    }
    ids->first[ids->steps] = id;
}

void program_ids_free(struct program_ids *ids)
{
    free(ids->first);
    free(ids->parts);
    *ids = (struct program_ids){ 0 };
}

uint32_t program_id(const struct program_ids *ids, uint32_t step, enum program_part part)
{
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

static const char *sync_detail(unsigned detail)
{
    return detail == MODEL_SYNC_EXTERNAL ? "External" : "Internal";
}

static const char *type_of(const struct model_step *step, enum program_part part)
{
    static const char *const parts[] = { [PART_SANS] = "Sans",        [PART_SYNC] = "Sync",
                                         [PART_SYNC_ANS] = "SyncAns", [PART_BEGIN] = "StreamCopyBegin",
                                         [PART_STEP] = NULL,          [PART_END] = "StreamCopyEnd" };
    if (parts[part])
        return parts[part];
    if (step->mark == MODEL_BLOCK)
        return "Block";
    return step->kind == MODEL_STREAM_COPY ? "StreamCopyMid" : types[step->kind];
}

/* Kinds of syncs, and what the middle of a stream copy moves. */
static const char *detail_of(const struct model_step *step, enum program_part part)
{
    static const char *const streams[] = {
        [MODEL_STREAM_HOST] = "Host", [MODEL_STREAM_REMOTE] = "RemoteBuffer", [MODEL_STREAM_MIXED] = "Mixed"
    };
    if (part == PART_SANS || part == PART_SYNC || part == PART_SYNC_ANS)
        return sync_detail(step->kind == MODEL_GLOBAL_EXCHANGE ? MODEL_SYNC_EXTERNAL : MODEL_SYNC_INTERNAL);
    if (part != PART_STEP)
        return NULL;
    return step->kind == MODEL_SYNC                                                ? sync_detail(step->detail)
           : step->kind == MODEL_STREAM_COPY && step->detail <= MODEL_STREAM_MIXED ? streams[step->detail]
                                                                                   : NULL;
}

/* An index, or null. */
#define INDEX_COLUMN(exists) ((exists) ? 'i' : 'x')

static void write_program(struct report *report, uint32_t step, enum program_part part)
{
    const struct model *model = &report->image->model;
    const struct model_step *of = model->steps.data + step;
    bool exchange = of->kind == MODEL_EXCHANGE || of->kind == MODEL_GLOBAL_EXCHANGE || of->kind == MODEL_STREAM_COPY;
    bool call = of->kind == MODEL_CALL;
    uint64_t first = report->image->contexts.programs, context = first && of->program ? first + of->program - 1 : 0;
    const char *type = type_of(of, part), *name = image_string(report->image, of->name);
    if (!strcmp(type, "Sync"))
        name = detail_of(of, part);
    const char columns[] = { 'i',
                             's',
                             's',
                             's',
                             INDEX_COLUMN(of->kind == MODEL_EXECUTE),
                             INDEX_COLUMN(exchange),
                             INDEX_COLUMN(call),
                             'i',
                             INDEX_COLUMN(context),
                             'n',
                             'n',
                             0 };
    database_add(report->db, TABLE_PROGRAMS, columns, (int64_t)program_id(&report->programs, step, part), type, name,
                 detail_of(of, part), (int64_t)of->index, exchange ? (int64_t)exchange_id(model, of) : 0,
                 call ? (int64_t)report->programs.first[model->functions.data[of->index]] : 0, (int64_t)step,
                 (int64_t)context);
}

static void write_children(struct report *report, uint32_t step)
{
    const struct model *model = &report->image->model;
    const struct model_step *of = model->steps.data + step;
    int64_t position = 0, id = program_id(&report->programs, step, PART_STEP);
    for (uint32_t i = 0; i < of->children; ++i) {
        uint32_t child = model->children.data[of->first_child + i];
        for (int part = 0; part < PROGRAM_PARTS; ++part)
            if (report->programs.parts[child] >> part & 1)
                database_add(report->db, TABLE_PROGRAM_CHILDREN, "iii", id, position++,
                             (int64_t)program_id(&report->programs, child, (enum program_part)part));
    }
}

void report_write_programs(struct report *report)
{
    const struct model *model = &report->image->model;
    for (uint32_t step = 0; step < model->steps.count; ++step) {
        for (int part = 0; part < PROGRAM_PARTS; ++part)
            if (report->programs.parts[step] >> part & 1)
                write_program(report, step, (enum program_part)part);
        write_children(report, step);
    }
    for (size_t i = 0; i < model->controls.count; ++i)
        database_add(report->db, TABLE_CONTROL_PROGRAMS, "ii", (int64_t)i,
                     (int64_t)report->programs.first[model->controls.data[i]]);
    for (size_t i = 0; i < model->functions.count; ++i)
        database_add(report->db, TABLE_FUNCTIONS, "ii", (int64_t)i,
                     (int64_t)report->programs.first[model->functions.data[i]]);
}
