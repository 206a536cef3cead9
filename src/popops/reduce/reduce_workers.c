/* SPDX-License-Identifier: Apache-2.0 */
/* How workers divide a tile's work (docs/reference/reductions.md). */
#include "popops/reduce/operations.h"
#include "popops/reduce/reduce.h"
#include "popops/reduce/reduce_cut.h"

#include "poplibs/cpu_parts.h"

unsigned reduce_workers(const pop_target *target)
{
    return target->type == POP_TARGET_CPU ? POPLIBS_CPU_PARTS : target->num_worker_contexts;
}

void reduce_allot(const struct tasks *tasks, unsigned workers, size_t *parts)
{
    size_t total = 1, given = 0;
    for (size_t i = 0; i < tasks->count; ++i)
        total += tasks->list[i].n * tasks->list[i].depth;
    for (size_t i = 0; i < tasks->count; ++i)
        given += parts[i] = poplibs_max(1, tasks->list[i].n * tasks->list[i].depth * workers / total);
    for (; given < workers; ++given) { /* the largest share gets one more worker */
        size_t largest = 0;
        for (size_t i = 1; i < tasks->count; ++i)
            if (tasks->list[i].n * tasks->list[i].depth * parts[largest] >
                tasks->list[largest].n * tasks->list[largest].depth * parts[i])
                largest = i;
        ++parts[largest];
    }
}

size_t reduce_grain(const pop_target *target, popops_operation op, pop_type partials)
{
    size_t vector = poplibs_max(1, pop_target_vector_width(target, partials));
    return reduce_operations[op].class == REDUCE_SUMS ? 2 * vector : vector;
}

enum { START = 30 /* vectors */, FEWEST_ROWS = 4, MORE_ROWS = 4 };

size_t reduce_cost(size_t outputs, size_t depth, size_t grain, size_t parts)
{
    size_t at_once = grain;
    while (at_once > 1 && outputs % at_once && at_once != outputs)
        at_once /= 2;
    return (parts > 1 ? 2 * START : START) + outputs * depth / at_once / parts;
}

/* ---- a CPU device ---- */

enum { MIN_ELEMENTS = 4096, DEEP = 16 * POPLIBS_CPU_PARTS };

/* Parts have at least MIN_ELEMENTS elements; tasks are divided only if their columns are too few.  Tasks with few
 * elements for each output have columns of one vector, others of whole rows, which are read faster. */
static void find_parts_on_cpu(const struct reduction *r, pop_type partials, struct tasks *tasks,
                              const struct reduce_pieces *pieces)
{
    size_t *wanted = poplibs_new(tasks->count, sizeof(*wanted)),
           vector = poplibs_max(1, pop_target_vector_width(r->target, partials));
    reduce_allot(tasks, reduce_workers(r->target), wanted);
    for (size_t i = 0; i < tasks->count; ++i) {
        struct task *task = &tasks->list[i];
        size_t columns = reduce_cut_columns(task, pieces, task->depth < DEEP ? vector : SIZE_MAX / 2);
        task->parts = 1;
        if (columns && columns < wanted[i])
            task->parts = poplibs_max(
                1, poplibs_min(poplibs_min(wanted[i] / columns, task->n * task->depth / columns / MIN_ELEMENTS),
                               task->depth / 2));
    }
    free(wanted);
}

/* ---- a tile of an IPU ---- */

/* A task's columns: reductions of equal cost, each of which is divided into the same number of parts. */
struct worker_columns {
    size_t count, outputs, cost;
    bool whole;
};

/* Outputs with contiguous elements, one output after the other, are not divided.  at_once: outputs that a vertex
 * computes at a time, by which the cost counts. */
static struct worker_columns columns_of(const struct task *task, const struct reduce_pieces *pieces, size_t grain,
                                        size_t at_once)
{
    size_t count = reduce_cut_columns(task, pieces, grain);
    const struct reduce_piece *first = &pieces->list[task->first];
    struct worker_columns columns = { count ? count : 1, poplibs_min(first->width, grain), 0,
                                      !count || task->depth < FEWEST_ROWS ||
                                          (first->inner > 1 && first->rows == 1 && task->n > 1) };
    if (first->inner > 1)
        columns.outputs = 1;
    columns.cost = reduce_cost(columns.outputs, task->depth, at_once, 1);
    return columns;
}

/* The columns of the first of two steps (docs/reference/reductions.md), 0 for one step: rows of several elements for
 * each output are reduced as rows of as many columns, and two or three outputs that fill no vector as rows of several.
 */
static size_t wide_columns(const struct task *task, const struct reduce_piece *p, size_t vector)
{
    bool one_run = p->n == 1 && p->stride == p->inner;
    size_t narrow = vector == 4 && p->n == 2 ? vector : p->n * vector, elements = p->rows * p->n;
    if (task->count != 1 || p->width != p->n || p->rows < 2 || one_run)
        return 0;
    if (p->inner > 1)
        return p->n * p->inner;
    bool fills_none = (p->n == 2 || p->n == 3) && p->n % vector != 0;
    return fills_none && p->stride == p->n && elements % narrow == 0 && elements > narrow ? narrow : 0;
}

/* The largest number of equal ranges of whole vectors among which workers can divide the columns. */
static size_t even_splits(size_t columns, size_t vector, size_t workers)
{
    size_t splits = workers;
    while (splits > 1 && columns % (splits * vector) != 0)
        --splits;
    return poplibs_max(1, splits);
}

/* Divides the tasks of two steps among the workers that would be idle: rows of several elements by columns, others by
 * rows, of which each part has more than MORE_ROWS. */
static void share_two_steps(struct tasks *tasks, const struct reduce_pieces *pieces, size_t vector, size_t idle)
{
    for (size_t i = 0; i < tasks->count; ++i) {
        struct task *task = &tasks->list[i];
        const struct reduce_piece *p = &pieces->list[task->first];
        if (!task->wide)
            continue;
        size_t rows = p->rows * p->n / task->wide;
        if (p->inner > 1)
            task->splits = even_splits(task->wide, vector, idle + 1);
        else
            task->parts = rows > MORE_ROWS * (idle + 1) ? idle + 1 : 1;
        idle -= poplibs_max(task->splits, task->parts) - 1;
    }
}

/* Adds a part to the task of highest cost; false if it cannot be divided further, or that does not reduce the cost. */
static bool split_costliest(struct worker_columns *columns, struct tasks *tasks, size_t at_once, size_t *idle)
{
    size_t largest = 0;
    for (size_t i = 1; i < tasks->count; ++i)
        largest = columns[i].cost > columns[largest].cost ? i : largest;
    struct worker_columns *c = &columns[largest];
    struct task *task = &tasks->list[largest];
    size_t parts = task->parts + 1, cost = reduce_cost(c->outputs, task->depth, at_once, parts);
    if (c->whole || c->count > *idle || parts >= poplibs_min(task->depth / 2, c->cost / 4) || cost >= c->cost)
        return false;
    c->cost = cost;
    task->parts = parts;
    *idle -= c->count;
    return true;
}

static size_t costliest(const struct worker_columns *columns, size_t count)
{
    size_t cost = 0;
    for (size_t i = 0; i < count; ++i)
        cost = poplibs_max(cost, columns[i].cost);
    return cost;
}

static void find_parts_on_tile(const struct reduction *r, popops_operation op, pop_type partials, pop_type out,
                               struct tasks *tasks, const struct reduce_pieces *pieces)
{
    size_t grain = reduce_grain(r->target, op, partials), at_once = reduce_grain(r->target, op, out),
           workers = reduce_workers(r->target), busy = 0,
           vector = poplibs_max(1, pop_target_vector_width(r->target, partials));
    bool numbers = partials == POP_HALF || partials == POP_FLOAT;
    struct worker_columns *columns = poplibs_new(tasks->count, sizeof(*columns));
    for (size_t i = 0; i < tasks->count; ++i) {
        struct task *task = &tasks->list[i];
        columns[i] = columns_of(task, pieces, grain, at_once);
        task->wide = numbers ? wide_columns(task, &pieces->list[task->first], vector) : 0;
        if (task->wide)
            columns[i] = (struct worker_columns){ .count = 1, .whole = true };
        task->parts = task->splits = 1;
        task->grain = task->n == 1 ? vector : 1;
        busy += columns[i].count;
    }
    size_t whole = costliest(columns, tasks->count), idle = busy < workers ? workers - busy : 0;
    while (idle && split_costliest(columns, tasks, at_once, &idle))
        ;
    if (costliest(columns, tasks->count) >= whole)
        for (size_t i = 0; i < tasks->count; ++i)
            tasks->list[i].parts = 1;
    share_two_steps(tasks, pieces, vector, idle);
    free(columns);
}

void reduce_find_parts(const struct reduction *r, popops_operation op, pop_type partials, pop_type out,
                       struct tasks *tasks, const struct reduce_pieces *pieces)
{
    if (!tasks->count)
        return;
    if (r->target->type == POP_TARGET_CPU)
        find_parts_on_cpu(r, partials, tasks, pieces);
    else
        find_parts_on_tile(r, op, partials, out, tasks, pieces);
}
