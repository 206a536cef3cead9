/* SPDX-License-Identifier: Apache-2.0 */
/* The first stage: each tile reduces what it holds.  Outputs of which it holds all are done then; of others partial results are left (reduce_gather.c). */
#include "popops/reduce_parts.h"

struct tile_work {
    unsigned tile;
    struct pieces pieces;
    struct tasks tasks;
};
struct work {
    struct tile_work *list;
    size_t count, capacity;
};

/* ---- what lies where ---- */

/* Pieces of one interval, cut where memory is not contiguous: starts are the sorted begins of the contiguous regions. */
static void push_interval(const struct reduction *r, pop_interval interval, const pop_interval *regions, size_t count, struct pieces *pieces)
{
    size_t low = 0, high = count;
    while (low < high) { /* the first region that ends behind the begin */
        size_t middle = (low + high) / 2;
        if (regions[middle].end <= interval.begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < count && regions[i].begin < interval.end; ++i)
        reduce_pieces_of(r, poplibs_max(interval.begin, regions[i].begin), poplibs_min(interval.end, regions[i].end), pieces);
}

static bool find_work(struct reduction *r, struct work *work)
{
    pop_interval_lists mapping;
    if (!pop_graph_get_tile_mapping_at(r->where, r->graph, r->in, NULL, &mapping))
        return false;
    pop_interval *regions;
    size_t count = pop_tensor_contiguous_regions(r->in, &regions);
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        struct tile_work here = { .tile = (unsigned)tile };
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            push_interval(r, mapping.intervals[i], regions, count, &here.pieces);
        if (!here.pieces.count)
            continue;
        reduce_tasks_of(&here.pieces, &here.tasks);
        if (work->count == work->capacity) {
            work->capacity = 2 * work->capacity + 64;
            work->list = poplibs_resize(work->list, work->capacity, sizeof(*work->list));
        }
        work->list[work->count++] = here;
    }
    free(regions);
    pop_interval_lists_free(&mapping);
    return true;
}

static void free_work(struct work *work)
{
    for (size_t i = 0; i < work->count; ++i) {
        free(work->list[i].pieces.list);
        free(work->list[i].tasks.list);
    }
    free(work->list);
}

/* ---- few outputs, many elements of each: workers share the elements ---- */

/* In how many parts workers take the elements of a task of which `wanted` could have some: parts have a certain size, and what columns give is enough. */
static size_t parts_of(const struct reduction *r, const struct task *task, size_t wanted)
{
    bool cpu = r->target->type == POP_TARGET_CPU;
    size_t grain = poplibs_max(1, pop_target_vector_width(r->target, r->in_type)), size = task->n * task->depth;
    size_t columns = poplibs_ceil_div(task->n, grain);
    size_t least = cpu ? 4096 : task->depth == r->factor ? 64 * grain : 16 * grain; /* elements of a part */
    if (cpu && task->depth >= 16 * REDUCE_CPU_PARTS)
        columns = 1; /* whole rows are read faster */
    if (columns >= wanted)
        return 1;
    return poplibs_max(1, poplibs_min(poplibs_min(wanted / columns, size / least), task->depth / 2));
}

static void split_few(const struct reduction *r, struct tile_work *here)
{
    size_t *parts = poplibs_new(here->tasks.count, sizeof(*parts));
    bool split = false;
    reduce_allot(&here->tasks, reduce_workers(r->target), parts);
    for (size_t i = 0; i < here->tasks.count; ++i) {
        parts[i] = parts_of(r, &here->tasks.list[i], parts[i]);
        split = split || parts[i] > 1;
    }
    struct pieces pieces = { 0 };
    struct tasks tasks = { 0 };
    for (size_t i = 0; i < here->tasks.count && split; ++i)
        reduce_split_task(&here->tasks.list[i], &here->pieces, parts[i], &pieces, &tasks);
    free(parts);
    if (!split)
        return;
    free(here->pieces.list);
    free(here->tasks.list);
    here->pieces = pieces;
    here->tasks = tasks;
}

/* ---- the stage ---- */

static bool is_done(const struct reduction *r, const struct task *task)
{
    return task->depth == r->factor;
}
/* What is one partial already can be sent as it is. */
static bool is_row(const struct task *task)
{
    return task->depth == 1;
}

/* Puts the tasks of one kind (done or not) that have vertices into chosen; rows gets what the next stage takes. */
static void choose(const struct reduction *r, const struct tile_work *here, bool done, bool send_as_is, struct tasks *chosen, struct partial_rows *rows,
                   size_t *place)
{
    for (size_t i = 0; i < here->tasks.count; ++i) {
        struct task task = here->tasks.list[i];
        if (is_done(r, &task) != done)
            continue;
        if (!done && is_row(&task) && send_as_is) {
            partial_rows_push(rows, (struct partial_row){ task.k, task.n, here->pieces.list[task.first].at, 0 });
            continue;
        }
        task.at = done ? task.k : *place;
        tasks_push(chosen, task);
        if (!done) {
            partial_rows_push(rows, (struct partial_row){ task.k, task.n, task.at, 1 });
            *place += task.n;
        }
    }
}

static void map_done(struct reduction *r, unsigned tile, const struct tasks *tasks)
{
    for (size_t i = 0; i < tasks->count; ++i)
        pop_graph_set_tile_mapping_at(r->where, r->graph,
                                      pop_tensor_slice_at(r->where, r->out, tasks->list[i].k, tasks->list[i].k + tasks->list[i].n, 0), tile);
}

/* Elements of partial results of all tiles; *reduces: some task that is not done has more than one. */
static size_t count_partials(const struct reduction *r, const struct work *work, bool send_as_is, bool *reduces)
{
    size_t elements = 0;
    *reduces = false;
    for (size_t i = 0; i < work->count; ++i)
        for (size_t k = 0; k < work->list[i].tasks.count; ++k) {
            const struct task *task = &work->list[i].tasks.list[k];
            if (is_done(r, task))
                continue;
            *reduces = *reduces || !is_row(task);
            elements += is_row(task) && send_as_is ? 0 : task->n;
        }
    return elements;
}

static void first_stage(struct reduction *r, struct work *work)
{
    pop_type partial_type = work->count == 1 ? r->tile_type : r->exchange_type;
    bool reduces, as_is = r->in_type == partial_type && r->op != POPOPS_SQUARE_ADD;
    size_t elements = count_partials(r, work, as_is, &reduces), place = 0;
    if (!reduces) {
        elements = 0;
        as_is = true;
    }
    struct reduce_stage stage = { .op = r->op, .in = r->in_type, .out = r->out_type, .sources = { r->in }, .output = r->out, .last = true };
    struct reduce_stage partial = stage;
    struct partial_rows rows = { 0 };
    bool any = elements > 0;
    for (size_t i = 0; i < work->count && !any; ++i)
        for (size_t k = 0; k < work->list[i].tasks.count && !any; ++k)
            any = is_done(r, &work->list[i].tasks.list[k]);
    if (any)
        stage.set = partial.set = reduce_next_set(r, elements ? "ReduceOnTile/InToIntermediateNoExchange/Reduce" : "ReduceOnTile/InToOutNoExchange/Reduce");
    if (elements) {
        partial.output = pop_graph_add_variable_at(r->where, r->graph, partial_type, POP_SHAPE(elements), "ReduceOnTile/InToIntermediateNoExchange/partials");
        partial.out = partial_type;
        partial.last = false;
    }
    for (size_t i = 0; i < work->count; ++i) {
        struct tasks done = { 0 }, left = { 0 };
        size_t from = place;
        choose(r, &work->list[i], true, as_is, &done, &rows, &place);
        choose(r, &work->list[i], false, as_is, &left, &rows, &place);
        if (done.count)
            reduce_connect(r, &stage, work->list[i].tile, &done, &work->list[i].pieces);
        if (!r->out_mapped)
            map_done(r, work->list[i].tile, &done);
        if (place > from)
            pop_graph_set_tile_mapping_at(r->where, r->graph, pop_tensor_slice_at(r->where, partial.output, from, place, 0), work->list[i].tile);
        if (left.count)
            reduce_connect(r, &partial, work->list[i].tile, &left, &work->list[i].pieces);
        free(done.list);
        free(left.list);
    }
    if (rows.count)
        reduce_gather(r, &rows, elements ? partial.output : (pop_tensor){ 0 }, elements ? partial_type : r->in_type,
                      elements && r->op == POPOPS_SQUARE_ADD ? POPOPS_ADD : r->op, 0);
    free(rows.list);
}

void reduce_stages(struct reduction *r)
{
    struct work work = { 0 };
    if (find_work(r, &work)) {
        for (size_t i = 0; i < work.count; ++i)
            split_few(r, &work.list[i]);
        first_stage(r, &work);
    }
    free_work(&work);
}
