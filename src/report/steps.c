/* SPDX-License-Identifier: Apache-2.0 */

#include "base/str.h"
#include "profile/profile.h"
#include "report/blocks.h"
#include "report/patterns.h"
#include "report/report.h"

#include <assert.h>
#include <inttypes.h>
#include <time.h>

enum {
    SHAPES_MAX = 1 << 16, /* maximum of shapes that the clock keeps; it drops them after a sync */
    CHAIN_MAX = 64,       /* maximum length of a chain of arrays that are sums */
    ROWS_BETWEEN_CHECKS = 1 << 14,
    ROW_REPEAT = 5, /* of a row's columns: its repeat */
    ROW_COLUMNS = 6,
};

struct steps_writer {
    struct report *report;
    struct timeline_walk *walk;
    struct clock *clock;
    struct patterns *patterns;
    struct blocks_writer *blocks; /* of lightweight profiling, or NULL */
    bool lightweight;             /* blocks only, no steps */
    int64_t run, next, repeat;    /* next: step; repeat: id of the next one */
    bool gap;                     /* the next step is not the one behind the last row */
    /* State of the clock before the current event. */
    uint32_t shape;
    uint64_t *base;                            /* by IPU */
    int64_t array;                             /* id of the array of offsets */
    unsigned chain;                            /* number of sums in the array's chain */
    VEC(int64_t) shape_arrays;                 /* by shape: id + 1 of the array of its offsets */
    uint64_t *shift, *offsets;                 /* shift: by IPU; offsets: by tile, at the start of an event */
    bool held;                                 /* the first sync after a stream copy was seen */
    uint32_t work;                             /* of the current event */
    int64_t rows[DATABASE_BATCH][ROW_COLUMNS]; /* not yet written */
    size_t kept;
    int64_t checked_at; /* the row at which the time was last read */
    time_t committed;
};

static time_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void write_rows(struct steps_writer *w)
{
    database_append(w->report->db, TABLE_EXECUTED_ROWS, "run, program, pattern, drift, base, repeat", ROW_COLUMNS,
                    &w->rows[0][0], w->kept);
    w->kept = 0;
}

static void add_row(struct steps_writer *w, uint32_t step, enum step_part part, int64_t pattern)
{
    assert(w->kept < DATABASE_BATCH);
    int64_t *row = w->rows[w->kept];
    row[0] = w->run;
    row[1] = program_id(&w->report->programs, step, part);
    row[2] = pattern;
    row[3] = patterns_drift(w->patterns, w->base);
    row[4] = (int64_t)w->base[0];
    row[ROW_REPEAT] = DATABASE_NULL;
    if (w->gap)
        database_add(w->report->db, TABLE_EXECUTED_ROWS, "iiiiiin", w->next, row[0], row[1], row[2], row[3], row[4]);
    else if (++w->kept == DATABASE_BATCH)
        write_rows(w);
    w->gap = false;
    ++w->next;
}

/* ---- repeats ---- */

static struct timeline_mark mark_steps(void *user)
{
    const struct steps_writer *w = user;
    return (struct timeline_mark){ { (uint64_t)w->next, (uint64_t)w->repeat },
                                   { (uint64_t)w->array, w->chain, w->held } };
}

/* Sets a column of rows from an id on that have none yet. */
static void set_repeat(struct steps_writer *w, const char *table, const char *column, int64_t from)
{
    struct str sql = { 0 };
    str_format(&sql, "UPDATE %s SET %s = %" PRId64 " WHERE id >= %" PRId64 " AND %s IS NULL", table, column, w->repeat,
               from, column);
    database_do(w->report->db, sql.text);
    str_free(&sql);
}

/* The steps since a mark are a repeat, in which those that were found among them are contained. */
static void repeat_steps(void *user, const struct timeline_mark *since, uint64_t times, uint64_t growth)
{
    struct steps_writer *w = user;
    int64_t first = (int64_t)since->made[0], steps = w->next - first, kept = w->next - (int64_t)w->kept;
    memcpy(w->base, w->clock->base, w->clock->ipus * sizeof(*w->base));
    if (!steps)
        return;
    for (int64_t id = first > kept ? first : kept; id < w->next; ++id)
        w->rows[id - kept][ROW_REPEAT] = w->repeat;
    if (first < kept)
        set_repeat(w, "executed_rows", "repeat", first);
    if ((int64_t)since->made[1] < w->repeat)
        set_repeat(w, "repeats", "parent", (int64_t)since->made[1]);
    write_rows(w);
    database_add(w->report->db, TABLE_REPEATS, "iniiii", w->repeat++, first, steps, (int64_t)times + 1,
                 (int64_t)growth);
    w->next += steps * (int64_t)times;
    w->gap = true;
}

/* The array of offsets of a clock's shape. */
static int64_t array_of_shape(struct steps_writer *w, uint32_t shape)
{
    while (w->shape_arrays.count <= shape)
        *vec_push(&w->shape_arrays) = 0;
    if (!w->shape_arrays.data[shape])
        w->shape_arrays.data[shape] = patterns_array(w->patterns, clock_offsets(w->clock, shape)) + 1;
    return w->shape_arrays.data[shape] - 1;
}

/* Advances to the clock's current state. */
static void advance(struct steps_writer *w, int64_t array)
{
    assert(w->clock->shape < w->clock->shapes.count);
    w->array = array;
    w->shape = w->clock->shape;
    memcpy(w->base, w->clock->base, w->clock->ipus * sizeof(*w->base));
}

/* Offsets before a work: those after it minus its cycles. */
static struct pattern_offsets work_offsets(void *user)
{
    struct steps_writer *w = user;
    const uint64_t *now = clock_offsets(w->clock, w->clock->shape);
    struct clock_work work = work_at(w->clock->model, w->clock->costs, w->work);
    memcpy(w->offsets, now, (size_t)w->clock->ipus * w->clock->tiles * sizeof(*now));
    for (size_t i = 0; i < work.count; ++i) {
        struct span span = work_span(&work, i);
        for (uint32_t t = span.tile; t < span.tile + span.tiles; ++t)
            w->offsets[t] -= span.cycles;
    }
    return (struct pattern_offsets){ w->offsets, now };
}

static int64_t array_after_work(struct steps_writer *w)
{
    if (w->clock->shape == w->shape && w->shape != SHAPE_DEEP)
        return w->array; /* the work takes no time */
    if (w->clock->shape != SHAPE_DEEP) {
        w->chain = 0;
        return array_of_shape(w, w->clock->shape);
    }
    if (++w->chain < CHAIN_MAX)
        return patterns_sum(w->patterns, w->array, w->work);
    w->chain = 0;
    return patterns_array(w->patterns, clock_offsets(w->clock, SHAPE_DEEP));
}

static void write_work(struct steps_writer *w, uint32_t step, size_t work)
{
    const struct model_step *of = w->clock->model->steps.data + step;
    w->work = (uint32_t)work;
    struct step_pattern pattern = { .start = w->array, .work = w->work, .moves = of->kind != MODEL_EXECUTE };
    pattern.end = array_after_work(w);
    add_row(w, step, PART_STEP, patterns_id(w->patterns, &pattern, work_offsets, w));
    advance(w, pattern.end);
}

/* Must precede other queries of the clock: offsets of a shape that is not kept are valid until then. */
static void keep_offsets(struct steps_writer *w)
{
    memcpy(w->offsets, clock_offsets(w->clock, w->shape),
           (size_t)w->clock->ipus * w->clock->tiles * sizeof(*w->offsets));
}

static struct pattern_offsets sync_offsets(void *user)
{
    struct steps_writer *w = user;
    if (w->shape != SHAPE_DEEP)
        keep_offsets(w);
    return (struct pattern_offsets){ w->offsets, clock_offsets(w->clock, w->clock->shape) };
}

static struct pattern_offsets no_time_offsets(void *user)
{
    struct pattern_offsets offsets = sync_offsets(user);
    return (struct pattern_offsets){ offsets.start, offsets.start };
}

/* The sync before an exchange: one row for the tiles that take part in it and one for the others, where there are
 * any. */
static void write_split_sync(struct steps_writer *w, uint32_t step, struct step_pattern pattern)
{
    pattern.work = (uint32_t)work_of_step(w->clock->model, w->clock->model->steps.data + step);
    if (!(w->report->programs.parts[step] >> PART_SANS & 1)) {
        pattern.work = UINT32_MAX;
        add_row(w, step, PART_SYNC, patterns_id(w->patterns, &pattern, sync_offsets, w));
        return;
    }
    struct step_pattern before = { .start = w->array, .end = w->array, .work = UINT32_MAX };
    add_row(w, step, PART_SANS, patterns_id(w->patterns, &before, no_time_offsets, w));
    pattern.sync = PATTERN_TAKING;
    add_row(w, step, PART_SYNC, patterns_id(w->patterns, &pattern, sync_offsets, w));
    pattern.sync = PATTERN_ANSWERING;
    add_row(w, step, PART_SYNC_ANS, patterns_id(w->patterns, &pattern, sync_offsets, w));
}

static void write_sync(struct steps_writer *w, uint32_t step, enum step_part part)
{
    if (w->shape == SHAPE_DEEP)
        keep_offsets(w);
    for (unsigned i = 0; i < w->clock->ipus; ++i)
        w->shift[i] = w->clock->base[i] - w->base[i];
    struct step_pattern pattern = { .start = w->array, .work = UINT32_MAX, .shift = w->shift };
    pattern.end = array_of_shape(w, w->clock->shape);
    if (part == PART_SYNC)
        write_split_sync(w, step, pattern);
    else
        add_row(w, step, part, patterns_id(w->patterns, &pattern, sync_offsets, w));
    w->chain = 0;
    if (w->clock->shapes.count > SHAPES_MAX) {
        clock_forget(w->clock);
        w->shape_arrays.count = SHAPES_FIXED;
    }
    advance(w, pattern.end);
}

/* Handles an event; control flow takes no time and has no rows. */
static void on_event(void *user, const struct timeline_event *event)
{
    struct steps_writer *w = user;
    if (w->blocks)
        blocks_event(w->blocks, w->run, event);
    if (w->lightweight)
        return;
    uint8_t parts = step_parts_of_event(w->report->programs.parts[event->step], event, &w->held);
    if (!parts)
        return;
    if (event->kind != MODEL_SYNC)
        write_work(w, event->step, event->work);
    else
        write_sync(w, event->step,
                   parts >> PART_BEGIN & 1  ? PART_BEGIN
                   : parts >> PART_END & 1  ? PART_END
                   : parts >> PART_STEP & 1 ? PART_STEP
                                            : PART_SYNC);
    if (w->next - w->checked_at < ROWS_BETWEEN_CHECKS)
        return;
    w->checked_at = w->next;
    if (seconds() != w->committed)
        steps_commit(w);
}

struct steps_writer *steps_begin(struct report *report)
{
    static const struct timeline_repeats repeats = { mark_steps, repeat_steps };
    struct steps_writer *w = MEM_NEW(struct steps_writer);
    w->report = report;
    w->walk = timeline_walk_begin(report->image, on_event, w);
    w->gap = true;
    w->clock = timeline_walk_clock(w->walk);
    w->patterns = patterns_create(report, w->clock);
    if (report->image->model.blocks.count) {
        w->blocks = blocks_begin(report, w->clock);
        w->lightweight = !report->instrumentation.compute;
    } else if (options_bool(&report->options, "engine", "debug.foldLoops")) {
        timeline_walk_repeats(w->walk, &repeats);
    }
    w->base = mem_zero(w->clock->ipus, sizeof(*w->base));
    w->shift = mem_zero(w->clock->ipus, sizeof(*w->shift));
    w->offsets = mem_zero((size_t)w->clock->ipus * w->clock->tiles, sizeof(*w->offsets));
    advance(w, array_of_shape(w, SHAPE_LEVEL));
    w->committed = seconds();
    database_do(report->db, "UPDATE format SET execution = 1");
    return w;
}

void steps_write(struct steps_writer *w, int64_t run, const struct trace *trace)
{
    w->run = run;
    timeline_walk_on(w->walk, trace);
}

void steps_run_end(struct steps_writer *w)
{
    if (w->blocks)
        blocks_run_end(w->blocks, w->run);
}

int64_t steps_count(const struct steps_writer *w)
{
    return w->next;
}

int64_t steps_now(const struct steps_writer *w)
{
    return (int64_t)clock_now(w->clock);
}

/* Writes an account, a value for each tile. */
static void write_account(struct report *report, const char *name, const struct timeline *timeline, size_t offset)
{
    array_begin(&report->array);
    for (uint32_t t = 0; t < timeline->tile_count; ++t) {
        uint64_t cycles;
        memcpy(&cycles, (const char *)&timeline->tiles[t] + offset, sizeof(cycles));
        array_add(&report->array, cycles, 1);
    }
    array_end(&report->array);
    database_add(report->db, TABLE_EXECUTION_CYCLES_BY_TILE, "sb", name, ARRAY_BLOB(&report->array));
}

static void write_totals(struct steps_writer *w)
{
    static const struct {
        const char *name;
        size_t offset;
    } accounts[] = { { "active_compute", offsetof(struct timeline_tile, cycles.active_compute) },
                     { "compute", offsetof(struct timeline_tile, cycles.compute) },
                     { "exchange", offsetof(struct timeline_tile, cycles.exchange) },
                     { "global_exchange", offsetof(struct timeline_tile, cycles.global_exchange) },
                     { "stream_copy", offsetof(struct timeline_tile, cycles.stream_copy) },
                     { "sync", offsetof(struct timeline_tile, cycles.sync) },
                     { "end", offsetof(struct timeline_tile, end) } };
    struct timeline timeline;
    timeline_walk_sums(w->walk, &timeline);
    const struct timeline_cycles *sum = &timeline.sum;
    database_do(w->report->db, "DELETE FROM execution_cycle_totals; DELETE FROM execution_cycles_by_tile");
    database_add(w->report->db, TABLE_EXECUTION_CYCLE_TOTALS, "iiiiiii", (int64_t)timeline.end,
                 (int64_t)sum->active_compute, (int64_t)sum->compute, (int64_t)sum->exchange,
                 (int64_t)sum->global_exchange, (int64_t)sum->stream_copy, (int64_t)sum->sync);
    for (size_t i = 0; !instruments_one_tile(&w->report->instrumentation) && i < sizeof(accounts) / sizeof(accounts[0]);
         ++i)
        write_account(w->report, accounts[i].name, &timeline, accounts[i].offset);
    timeline_free(&timeline);
}

void steps_commit(struct steps_writer *w)
{
    struct str sql = { 0 };
    write_rows(w);
    str_format(&sql,
               "UPDATE runs SET end_microseconds = %" PRId64 ", cycles_to = %" PRId64 ", steps = %" PRId64
               " - first_step WHERE id = %" PRId64,
               report_now(), steps_now(w), w->next, w->run);
    database_do(w->report->db, sql.text);
    str_free(&sql);
    write_totals(w);
    database_commit(w->report->db);
    w->committed = seconds();
}

void steps_end(struct steps_writer *w)
{
    struct timeline timeline;
    timeline_walk_end(w->walk, &timeline);
    timeline_free(&timeline);
    patterns_free(w->patterns);
    blocks_end(w->blocks);
    vec_free(&w->shape_arrays);
    free(w->base);
    free(w->shift);
    free(w->offsets);
    free(w);
}
