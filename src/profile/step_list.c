/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include "profile/step_parts.h"
#include "timeline/clock.h"
#include "value/step.h"

enum {
    PIECE = 1024,        /* elements that are made at a time */
    SHAPES_MAX = 1 << 16 /* shapes that the clock keeps: it forgets them after a sync */
};

/* What both lists are made from. */
struct record {
    struct image *image;
    struct trace trace;
    struct step_costs costs; /* of the trace */
    uint8_t *parts;          /* by step of the model */
    unsigned references;
};

struct step_row {
    uint32_t step;
    size_t work;
    uint8_t part, detail; /* enum step_part; of a Sync that is a step of its own */
    uint64_t cycles, from, to, overlapped;
};

struct list {
    struct record *record;
    bool steps; /* else what ran, by number of the program */
    uint32_t *weights;
    struct trace_pieces *pieces;
    struct timeline_walk *walk;
    VEC(struct step_row) rows; /* elements from `first` on */
    size_t first;
    bool held; /* the first sync after a stream copy was seen */
    uint64_t held_from;
    struct timeline_figures *figures; /* by step, those that are known */
    bool *known;
};

static void on_event(void *user, const struct timeline_event *event)
{
    struct list *l = user;
    struct step_row row = { .step = event->step,
                            .work = event->work,
                            .part = PART_STEP,
                            .cycles = event->cycles,
                            .from = event->from,
                            .to = event->to,
                            .overlapped = event->overlapped };
    if (event->kind == MODEL_SYNC) {
        struct clock *clock = timeline_walk_clock(l->walk);
        if (clock->shapes.count > SHAPES_MAX)
            clock_forget(clock);
    }
    if (!l->steps) {
        if (event->phase == TIMELINE_WHOLE || event->phase == TIMELINE_MIDDLE)
            *vec_push(&l->rows) = row;
        return;
    }
    bool before = l->held;
    uint8_t parts = step_parts_of_event(l->record->parts[event->step], event, &l->held);
    if (l->held)
        l->held_from = event->from;
    if (before && !l->held)
        row.from = l->held_from;
    for (int part = 0; part < STEP_PARTS; ++part)
        if (parts >> part & 1) {
            row.part = (uint8_t)part;
            *vec_push(&l->rows) = row;
        }
}

static void stop(struct list *l)
{
    struct timeline timeline;
    if (l->walk) {
        timeline_walk_end(l->walk, &timeline);
        timeline_free(&timeline);
    }
    trace_pieces_free(l->pieces);
    l->walk = NULL;
    l->pieces = NULL;
    l->rows.count = 0;
    l->first = 0;
    l->held = false;
}

static void start(struct list *l)
{
    stop(l);
    l->walk = timeline_walk_begin(l->record->image, on_event, l);
    l->pieces = trace_pieces_begin(&l->record->trace, &l->record->image->model, l->weights);
}

/* Skips steps before an index; repeated ones by multiplication. */
static void skip(struct list *l, size_t index)
{
    struct trace piece = { 0 };
    l->first += l->rows.count;
    l->rows.count = 0;
    l->first += trace_pieces_next(l->pieces, index - l->first, false, &piece);
    timeline_walk_skip(l->walk, &piece);
    trace_free(&piece);
}

/* The element with an index; NULL: there is none. */
static const struct step_row *row_at(struct list *l, size_t index)
{
    if (!l->walk || index < l->first)
        start(l);
    if (index - l->first > l->rows.count + PIECE)
        skip(l, index);
    while (index - l->first >= l->rows.count) {
        struct trace piece = { 0 };
        l->first += l->rows.count;
        l->rows.count = 0;
        trace_pieces_next(l->pieces, PIECE, true, &piece);
        timeline_walk_on(l->walk, &piece);
        bool end = !piece.entries.count;
        trace_free(&piece);
        if (end)
            return NULL;
    }
    return l->rows.data + (index - l->first);
}

static struct timeline_figures figures_of(const struct list *l, const struct step_row *row)
{
    const struct model *model = &l->record->image->model;
    if (row->work >= work_count(model)) {
        struct clock_work work = work_at(model, &l->record->costs, row->work);
        return timeline_work_figures(&work);
    }
    if (!l->known[row->step])
        l->figures[row->step] = timeline_figures_of(model, row->step);
    l->known[row->step] = true;
    return l->figures[row->step];
}

static pop_profile_value step_value(struct list *l, const struct step_row *row)
{
    const struct image *image = l->record->image;
    const struct model_step *of = image->model.steps.data + row->step;
    struct profile_step step = { .type = step_part_type(of, (enum step_part)row->part),
                                 .name = image_string(image, of->name),
                                 .detail = step_part_detail(of, (enum step_part)row->part),
                                 .program = row->step,
                                 .index = of->index,
                                 .cycles = row->cycles,
                                 .from = row->from,
                                 .to = row->to,
                                 .overlapped = row->overlapped,
                                 .tiles = pop_target_num_tiles(&image->target) };
    if (row->part == PART_STEP && of->kind != MODEL_SYNC) {
        struct timeline_figures f = figures_of(l, row);
        step.active_tiles = f.tiles;
        step.sum = (double)f.sum;
        step.active = (double)f.active_sum;
        step.data = f.data;
        step.data_balance =
            f.data_max && step.tiles ? (double)f.data_sum / ((double)f.data_max * (double)step.tiles) : 0;
    }
    return profile_step_value(&step);
}

static void make(void *user, size_t first, size_t count, pop_profile_value *items)
{
    struct list *l = user;
    for (size_t i = 0; i < count; ++i) {
        const struct step_row *row = row_at(l, first + i);
        if (row)
            items[i] = l->steps ? step_value(l, row) : pop_profile_uint(row->step);
    }
}

static void end(void *user)
{
    struct list *l = user;
    stop(l);
    if (__atomic_sub_fetch(&l->record->references, 1, __ATOMIC_ACQ_REL) == 0) {
        image_release(l->record->image);
        trace_free(&l->record->trace);
        step_costs_free(&l->record->costs);
        free(l->record->parts);
        free(l->record);
    }
    vec_free(&l->rows);
    free(l->weights);
    free(l->figures);
    free(l->known);
    free(l);
}

static pop_profile_value list_of(struct record *record, bool steps, const uint64_t *times)
{
    size_t count = record->image->model.steps.count, size = 0;
    struct list *l = MEM_NEW(struct list);
    l->record = record;
    l->steps = steps;
    l->weights = mem_zero(count + 1, sizeof(*l->weights));
    l->figures = mem_zero(count + 1, sizeof(*l->figures));
    l->known = mem_zero(count + 1, sizeof(*l->known));
    for (size_t i = 0; i < count; ++i) {
        const struct model_step *of = record->image->model.steps.data + i;
        bool runs = of->kind == MODEL_EXECUTE || of->kind == MODEL_EXCHANGE || of->kind == MODEL_GLOBAL_EXCHANGE ||
                    of->kind == MODEL_STREAM_COPY || of->kind == MODEL_SYNC;
        l->weights[i] = !steps ? 1 : runs ? step_parts_count(record->parts[i]) : 0;
        size += times[i] * l->weights[i];
    }
    return profile_made(size, make, end, l);
}

void step_lists(struct image *image, const struct trace *trace, const uint64_t *times, pop_profile_value *steps,
                pop_profile_value *programs)
{
    struct record *record = MEM_NEW(struct record);
    record->image = image_retain(image);
    if (trace->entries.count)
        memcpy(vec_extend(&record->trace.entries, trace->entries.count), trace->entries.data,
               trace->entries.count * sizeof(*trace->entries.data));
    step_costs_copy(&record->costs, trace->costs);
    record->trace.costs = &record->costs;
    record->parts = step_parts_all(image);
    record->references = 2;
    *steps = list_of(record, true, times);
    *programs = list_of(record, false, times);
}
