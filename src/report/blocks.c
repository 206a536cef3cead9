/* SPDX-License-Identifier: Apache-2.0 */
#include "report/blocks.h"

#include "profile/profile.h"

enum { STAMP_CYCLES = 18 }; /* time stamps of ends are taken before these cycles, of begins after them */

/* An open block, and whether its begin was recorded. */
struct open_block {
    uint32_t step;
    bool recorded;
    int64_t from;
};

/* A tile that records blocks. */
struct block_recorder {
    uint32_t tile;
    uint32_t records;          /* records in its buffer */
    bool full;                 /* a record was lost since the last flush */
    int64_t full_from, before; /* cycle of the first loss; the tile's clock before the current event */
    uint64_t lost;             /* blocks of which neither begin nor end was recorded */
    VEC(struct open_block) open;
};

struct blocks_writer {
    struct report *report;
    struct clock *clock;
    const struct model *model;
    struct block_recorder *recorders;
    size_t count;
    uint32_t capacity;
    uint32_t *block_of; /* by step, for steps with begin stamps: the block */
    bool copies;        /* stream copies are recorded */
    bool held;          /* the first sync after a stream copy was seen */
    int64_t run, next;
};

struct blocks_writer *blocks_begin(struct report *report, struct clock *clock)
{
    const struct model *model = &report->image->model;
    struct blocks_writer *w = MEM_NEW(struct blocks_writer);
    w->report = report;
    w->clock = clock;
    w->model = model;
    w->capacity = model->blocks.data[0];
    w->count = model->blocks.count - 1;
    w->recorders = mem_zero(w->count + 1, sizeof(*w->recorders));
    for (size_t i = 0; i < w->count; ++i)
        w->recorders[i].tile = model->blocks.data[i + 1];
    w->block_of = mem_zero(model->steps.count + 1, sizeof(*w->block_of));
    for (uint32_t i = 0; i < model->steps.count; ++i)
        if (model->steps.data[i].mark == MODEL_BLOCK && model->steps.data[i].children)
            w->block_of[model->children.data[model->steps.data[i].first_child]] = i;
    w->copies = report->instrumentation.external_exchange;
    return w;
}

void blocks_end(struct blocks_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->count; ++i)
        vec_free(&w->recorders[i].open);
    free(w->recorders);
    free(w->block_of);
    free(w);
}

/* A cycle or a program of -1 is unknown. */
static void add_row(struct blocks_writer *w, uint32_t tile, int64_t program, enum block_kind kind, int64_t from,
                    int64_t to, uint64_t lost)
{
    const char columns[] = { 'i',
                             'i',
                             'i',
                             program < 0 ? 'x' : 'i',
                             'i',
                             from < 0 ? 'x' : 'i',
                             to < 0 ? 'x' : 'i',
                             kind == BLOCK_OVERFLOW ? 'i' : 'x',
                             0 };
    database_add(w->report->db, TABLE_BLOCKS, columns, w->next++, w->run, (int64_t)tile, program, (int64_t)kind, from,
                 to, (int64_t)lost);
}

static int64_t program_of(const struct blocks_writer *w, uint32_t step, enum step_part part)
{
    return program_id(&w->report->programs, step, part);
}

/* Whether the buffer has space for a record; the first record without space starts an overflow. */
static bool record(struct blocks_writer *w, struct block_recorder *r, int64_t now)
{
    if (!r->full && r->records < w->capacity) {
        ++r->records;
        return true;
    }
    if (!r->full)
        r->full_from = now;
    r->full = true;
    return false;
}

static void begin_block(struct blocks_writer *w, struct block_recorder *r, uint32_t step, int64_t now)
{
    bool recorded = record(w, r, now);
    *vec_push(&r->open) = (struct open_block){ step, recorded, now };
}

/* The record of an end does not name its block; the preceding begins determine it. */
static void end_block(struct blocks_writer *w, struct block_recorder *r, int64_t now)
{
    if (!r->open.count)
        return;
    struct open_block block = r->open.data[--r->open.count];
    bool ended = record(w, r, now);
    if (block.recorded)
        add_row(w, r->tile, program_of(w, block.step, PART_STEP), BLOCK_COMMON, block.from, ended ? now : -1, 0);
    else if (ended)
        add_row(w, r->tile, -1, BLOCK_UNKNOWN, -1, now, 0);
    else
        ++r->lost;
}

/* Empties the buffer. */
static void flush(struct blocks_writer *w, struct block_recorder *r, int64_t now)
{
    if (r->full)
        add_row(w, r->tile, -1, BLOCK_OVERFLOW, r->full_from, now, r->lost);
    r->records = 0;
    r->lost = 0;
    r->full = false;
}

static bool takes_part(const struct blocks_writer *w, uint32_t step, uint32_t tile)
{
    struct clock_work work = work_at(w->model, NULL, work_of_step(w->model, &w->model->steps.data[step]));
    for (size_t i = 0; i < work.count; ++i) {
        struct span span = work_span(&work, i);
        if (span.tile <= tile && tile < span.tile + span.tiles)
            return true;
    }
    return false;
}

/* A phase of a stream copy on a recording tile: a begin and an end in its buffer; a flush uses no space. */
static void copy_phase(struct blocks_writer *w, struct block_recorder *r, uint32_t step, enum step_part part,
                       int64_t now)
{
    bool flushes = w->model->steps.data[step].mark == MODEL_BLOCK_FLUSH;
    if (flushes && part == PART_BEGIN)
        flush(w, r, r->before);
    if (!w->copies || !takes_part(w, step, r->tile))
        return;
    if (flushes) {
        add_row(w, r->tile, program_of(w, step, part), BLOCK_FLUSH, r->before, now, 0);
    } else if (record(w, r, r->before)) {
        bool ended = record(w, r, now);
        add_row(w, r->tile, program_of(w, step, part), BLOCK_STREAM_COPY, r->before, ended ? now : -1, 0);
    } else {
        ++r->lost;
    }
}

/* The transfer of a copy in which a recording tile takes part, on the copy's other tiles. */
static void copy_elsewhere(struct blocks_writer *w, uint32_t step)
{
    struct clock_work work = work_at(w->model, NULL, work_of_step(w->model, &w->model->steps.data[step]));
    bool ours = false;
    for (size_t i = 0; i < w->count; ++i)
        ours |= takes_part(w, step, w->recorders[i].tile);
    if (!ours || w->model->steps.data[step].mark == MODEL_BLOCK_FLUSH)
        return;
    for (size_t i = 0, at = 0; i < work.count; ++i) {
        struct span span = work_span(&work, i);
        for (uint32_t tile = span.tile; tile < span.tile + span.tiles; ++tile) {
            while (at < w->count && w->recorders[at].tile < tile)
                ++at;
            if (at < w->count && w->recorders[at].tile == tile)
                continue;
            int64_t to = (int64_t)clock_tile(w->clock, tile);
            add_row(w, tile, program_of(w, step, PART_STEP), BLOCK_STREAM_COPY, to - (int64_t)span.cycles, to, 0);
        }
    }
}

static void recorder_event(struct blocks_writer *w, struct block_recorder *r, const struct timeline_event *event,
                           int64_t now)
{
    const struct model_step *step = &w->model->steps.data[event->step];
    if (step->mark == MODEL_BLOCK_BEGIN)
        begin_block(w, r, w->block_of[event->step], now);
    else if (step->mark == MODEL_BLOCK_END)
        end_block(w, r, now - STAMP_CYCLES);
    else if (step->kind == MODEL_STREAM_COPY)
        copy_phase(w, r, event->step,
                   event->phase == TIMELINE_BEGIN    ? PART_BEGIN
                   : event->phase == TIMELINE_MIDDLE ? PART_STEP
                                                     : PART_END,
                   now);
}

void blocks_event(struct blocks_writer *w, int64_t run, const struct timeline_event *event)
{
    w->run = run;
    if (event->phase == TIMELINE_END && (w->held = !w->held)) /* the two syncs are one phase */
        return;
    for (size_t i = 0; i < w->count; ++i) {
        int64_t now = (int64_t)clock_tile(w->clock, w->recorders[i].tile);
        recorder_event(w, &w->recorders[i], event, now);
        w->recorders[i].before = now;
    }
    if (w->copies && event->kind == MODEL_STREAM_COPY)
        copy_elsewhere(w, event->step);
}

void blocks_run_end(struct blocks_writer *w, int64_t run)
{
    w->run = run;
    for (size_t i = 0; i < w->count; ++i)
        flush(w, &w->recorders[i], w->recorders[i].before);
}
