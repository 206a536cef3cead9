/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks whose elements are divided among a tile's workers: a first step reduces the parts, and a second one, without an
 * exchange, combines their results. */
#include "popops/reduce/reduce_cut.h"
#include "popops/reduce/operations.h"
#include "popops/reduce/reduce.h"
#include "popops/reduce/reduce_parts.h"

#include <assert.h>

/* How a task is divided into columns of `step` outputs, within blocks of `width` outputs.  False if it cannot be
 * divided because its pieces have different blocks. */
struct columns {
    size_t width, step;
};
static bool columns_of(const struct task *task, const struct reduce_pieces *pieces, size_t grain,
                       struct columns *columns)
{
    *columns = (struct columns){ task->n, grain };
    for (size_t i = 0; i < task->count; ++i) {
        const struct reduce_piece *p = &pieces->list[task->first + i];
        if (p->width != p->n && task->count > 1)
            return false;
        columns->width = p->width;
        columns->step = p->inner > 1 ? 1 : columns->step;
    }
    return true;
}

size_t reduce_cut_columns(const struct task *task, const struct reduce_pieces *pieces, size_t grain)
{
    struct columns columns;
    if (!columns_of(task, pieces, grain, &columns))
        return 0;
    return task->n / columns.width * poplibs_ceil_div(columns.width, columns.step);
}

/* Divides columns [from, from + n) of a task into parts.  Each part writes a row of partials at *place, which advances;
 * these rows are a task of the second step. */
static void cut_columns(const struct task *task, const struct reduce_pieces *pieces, size_t from, size_t n,
                        size_t *place, struct reduce_cut *cut)
{
    struct reduce_pieces columns = { 0 };
    struct task narrow = {
        .k = task->k + from, .n = n, .count = task->count, .depth = task->depth, .grain = task->grain
    };
    size_t first = cut->cut.count;
    for (size_t i = 0; i < task->count; ++i) {
        const struct reduce_piece *p = &pieces->list[task->first + i];
        *poplibs_push(&columns) = reduce_part_within(p, narrow.k, n);
    }
    reduce_split_task(&narrow, &columns, task->parts, &cut->parts, &cut->cut);
    free(columns.list);
    size_t rows = cut->cut.count - first;
    *poplibs_push(&cut->rows) = (struct reduce_piece){ narrow.k, n, *place, n, rows, 1, n, 1, 0 };
    *poplibs_push(&cut->joined) = (struct task){
        .k = narrow.k, .n = n, .at = task->at + from, .first = cut->rows.count - 1, .count = 1, .depth = rows
    };
    assert(rows);
    for (size_t i = first; i < cut->cut.count; ++i, *place += n)
        cut->cut.list[i].at = *place;
}

/* Adds the first step of a task in two: rows [from, from + rows) of its wide columns, in ranges. */
static void push_wide_rows(const struct task *task, struct reduce_piece rows, size_t place, struct reduce_cut *cut)
{
    size_t columns = task->wide / task->splits;
    for (size_t k = 0; k < task->wide; k += columns) {
        struct reduce_piece range = rows;
        range.k = k;
        range.n = range.width = columns;
        range.at += k;
        *poplibs_push(&cut->cut) = (struct task){ .k = k,
                                                  .n = columns,
                                                  .at = place + k,
                                                  .first = cut->parts.count,
                                                  .count = 1,
                                                  .depth = rows.rows,
                                                  .whole = true };
        *poplibs_push(&cut->parts) = range;
    }
}

static void push_joined(struct reduce_piece from, size_t at, struct reduce_cut *cut)
{
    *poplibs_push(&cut->joined) = (struct task){ .k = from.k,
                                                 .n = from.n,
                                                 .at = at,
                                                 .first = cut->rows.count,
                                                 .count = 1,
                                                 .depth = piece_depth(&from),
                                                 .whole = true };
    *poplibs_push(&cut->rows) = from;
}

/* A task in two steps.  Of rows of several elements for each output, one vertex then reduces these elements of all
 * outputs; of others, one vertex each output's columns. */
static void cut_two_steps(const struct task *task, const struct reduce_piece *p, size_t *place, struct reduce_cut *cut)
{
    size_t rows = p->rows * p->n * p->inner / task->wide, begin = *place,
           stride = p->inner > 1 ? p->stride : task->wide;
    assert(task->n == p->n && task->splits && task->parts && task->parts <= rows);
    for (size_t part = 0; part < task->parts; ++part, *place += task->wide) {
        size_t from = part * rows / task->parts, to = (part + 1) * rows / task->parts;
        push_wide_rows(
            task,
            (struct reduce_piece){
                .at = p->at + from * stride, .rows = to - from, .inner = 1, .stride = stride, .source = p->source },
            *place, cut);
    }
    if (p->inner > 1) {
        push_joined((struct reduce_piece){ p->k, p->n, begin, p->n, 1, p->inner, task->wide, 1, 0 }, task->at, cut);
        return;
    }
    for (size_t i = 0; i < p->n; ++i)
        push_joined((struct reduce_piece){ p->k + i, 1, begin + i, 1, (*place - begin) / p->n, 1, p->n, 1, 0 },
                    task->at + i, cut);
}

void reduce_cut_tasks(const struct tasks *tasks, const struct reduce_pieces *pieces, size_t grain, size_t *place,
                      struct reduce_cut *cut)
{
    for (size_t i = 0; i < tasks->count; ++i) {
        const struct task *task = &tasks->list[i];
        if (task->wide) {
            cut_two_steps(task, &pieces->list[task->first], place, cut);
            continue;
        }
        if (task->parts < 2) {
            *poplibs_push(&cut->whole) = *task;
            continue;
        }
        struct columns columns;
        const bool regular = columns_of(task, pieces, grain, &columns);
        assert(regular && columns.step); /* without columns there is only one part */
        (void)regular;
        for (size_t from = 0, n; from < task->n; from += n) {
            n = poplibs_min(columns.step, columns.width - from % columns.width);
            cut_columns(task, pieces, from, n, place, cut);
        }
    }
}

void reduce_connect_cut(const struct reduction *r, const struct reduce_stage *stage, const struct reduce_join *join,
                        unsigned tile, const struct reduce_cut *cut, const struct reduce_pieces *pieces)
{
    struct reduce_stage parts = *stage, joined = *stage;
    if (cut->whole.count)
        reduce_connect(r, stage, tile, &cut->whole, pieces);
    if (!cut->cut.count)
        return;
    parts.out = joined.in = join->type;
    parts.output = joined.sources[1] = join->partials;
    parts.last = false;
    joined.set = join->set;
    joined.op = reduce_operations[stage->op].joins;
    joined.rows = r->target->type != POP_TARGET_CPU; /* on a CPU threads divide the outputs */
    reduce_connect(r, &parts, tile, &cut->cut, &cut->parts);
    reduce_connect(r, &joined, tile, &cut->joined, &cut->rows);
}

void reduce_cut_free(struct reduce_cut *cut)
{
    free(cut->parts.list);
    free(cut->rows.list);
    free(cut->whole.list);
    free(cut->cut.list);
    free(cut->joined.list);
}
