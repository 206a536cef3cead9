/* SPDX-License-Identifier: Apache-2.0 */
/* The first stage: each tile reduces what it holds.  Outputs of which it holds all are done then; of others partial results are left (reduce_gather.c). */
#include "popops/reduce_parts.h"

enum { LEAST_PART = 24 /* vectors that a worker takes at least where several share outputs */, DEEP = 16 * REDUCE_CPU_PARTS };

struct tile_work {
    unsigned tile;
    struct pieces pieces;
    struct tasks tasks;
    struct reduce_cut done, left; /* tasks whose outputs are done here, and the others */
    pop_interval partials;        /* what these leave */
    pop_interval parts;           /* what parts of tasks leave */
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
        reduce_cut_free(&work->list[i].done);
        reduce_cut_free(&work->list[i].left);
    }
    free(work->list);
}

/* ---- few outputs, many elements of each: workers share the elements ---- */

/* Outputs that workers take together where they share elements: a vector; on a CPU all that lie together, since whole rows are read faster. */
static size_t column_grain(const struct reduction *r)
{
    return r->target->type == POP_TARGET_CPU ? SIZE_MAX / 2 : poplibs_max(1, pop_target_vector_width(r->target, r->in_type));
}

/* In how many parts workers take the elements of a task of which `wanted` could have some: parts have a certain size, and what columns give is enough. */
static size_t parts_of(const struct reduction *r, const struct task *task, const struct pieces *pieces, size_t wanted)
{
    bool cpu = r->target->type == POP_TARGET_CPU;
    size_t vector = poplibs_max(1, pop_target_vector_width(r->target, r->in_type)), least = cpu ? 4096 : LEAST_PART * vector;
    size_t columns = reduce_cut_columns(task, pieces, task->depth < DEEP ? vector : column_grain(r));
    if (!columns || columns >= wanted)
        return 1;
    return poplibs_max(1, poplibs_min(poplibs_min(wanted / columns, task->n * task->depth / columns / least), task->depth / 2));
}

static void find_parts(const struct reduction *r, struct tile_work *here)
{
    size_t *wanted = poplibs_new(here->tasks.count, sizeof(*wanted));
    reduce_allot(&here->tasks, reduce_workers(r->target), wanted);
    for (size_t i = 0; i < here->tasks.count; ++i)
        here->tasks.list[i].parts = parts_of(r, &here->tasks.list[i], &here->pieces, wanted[i]);
    free(wanted);
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

static void map_done(const struct reduction *r, unsigned tile, const struct tasks *tasks)
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

/* What each tile does; rows gets what the next stage takes.  Returns the elements that parts of tasks leave. */
static size_t plan_tiles(const struct reduction *r, struct work *work, bool as_is, struct partial_rows *rows)
{
    size_t place = 0, parts = 0, grain = column_grain(r);
    for (size_t i = 0; i < work->count; ++i) {
        struct tile_work *here = &work->list[i];
        struct tasks done = { 0 }, left = { 0 };
        here->partials.begin = place;
        here->parts.begin = parts;
        choose(r, here, true, as_is, &done, rows, &place);
        choose(r, here, false, as_is, &left, rows, &place);
        reduce_cut_tasks(&done, &here->pieces, grain, &parts, &here->done);
        reduce_cut_tasks(&left, &here->pieces, grain, &parts, &here->left);
        here->partials.end = place;
        here->parts.end = parts;
        if (!r->out_mapped)
            map_done(r, here->tile, &done);
        free(done.list);
        free(left.list);
    }
    return parts;
}

static void map_interval(const struct reduction *r, pop_tensor t, pop_interval interval, unsigned tile)
{
    if (interval.end > interval.begin)
        pop_graph_set_tile_mapping_at(r->where, r->graph, pop_tensor_slice_interval_at(r->where, t, interval, 0), tile);
}

static bool has_vertices(const struct reduce_cut *cut)
{
    return cut->whole.count || cut->cut.count;
}

static void first_stage(struct reduction *r, struct work *work)
{
    pop_type partial_type = work->count == 1 ? r->tile_type : r->exchange_type;
    bool reduces, as_is = r->in_type == partial_type && r->op != POPOPS_SQUARE_ADD, any = false;
    size_t elements = count_partials(r, work, as_is, &reduces);
    elements = reduces ? elements : 0;
    struct partial_rows rows = { 0 };
    size_t parts = plan_tiles(r, work, as_is || !reduces, &rows);
    struct reduce_stage stage = { .op = r->op, .in = r->in_type, .out = r->out_type, .sources = { r->in }, .output = r->out, .last = true };
    struct reduce_join join = { .type = r->tile_type };
    for (size_t i = 0; i < work->count && !any; ++i)
        any = has_vertices(&work->list[i].done) || has_vertices(&work->list[i].left);
    if (any)
        stage.set = reduce_next_set(r, elements ? "ReduceOnTile/InToIntermediateNoExchange/Reduce" : "ReduceOnTile/InToOutNoExchange/Reduce");
    if (parts) {
        join.set = reduce_next_set(r, "ReduceOnTile/PartsToOutput/Reduce");
        join.partials = pop_graph_add_variable_at(r->where, r->graph, join.type, POP_SHAPE(parts), "ReduceOnTile/parts");
    }
    struct reduce_stage partial = stage;
    if (elements) {
        partial.output = pop_graph_add_variable_at(r->where, r->graph, partial_type, POP_SHAPE(elements), "ReduceOnTile/InToIntermediateNoExchange/partials");
        partial.out = partial_type;
        partial.last = false;
    }
    for (size_t i = 0; i < work->count; ++i) {
        const struct tile_work *here = &work->list[i];
        map_interval(r, join.partials, here->parts, here->tile);
        map_interval(r, partial.output, here->partials, here->tile);
        reduce_connect_cut(r, &stage, &join, here->tile, &here->done, &here->pieces);
        reduce_connect_cut(r, &partial, &join, here->tile, &here->left, &here->pieces);
    }
    if (rows.count)
        reduce_gather(r, &rows, elements ? partial.output : (pop_tensor){ 0 }, elements ? partial_type : r->in_type, elements ? reduce_joins(r->op) : r->op, 0);
    free(rows.list);
}

void reduce_stages(struct reduction *r)
{
    struct work work = { 0 };
    if (find_work(r, &work)) {
        for (size_t i = 0; i < work.count; ++i)
            find_parts(r, &work.list[i]);
        first_stage(r, &work);
    }
    free_work(&work);
}
