/* SPDX-License-Identifier: Apache-2.0 */
/* The first stage: each tile reduces its own elements.  Outputs of which a tile has all elements are then complete;
 * others result in partial results (reduce_gather.c). */
#include "popops/reduce/operations.h"
#include "popops/reduce/reduce.h"
#include "popops/reduce/reduce_cut.h"
#include "popops/reduce/reduce_parts.h"

#include <assert.h>

struct tile_work {
    unsigned tile;
    struct reduce_pieces pieces;
    struct tasks tasks;
    struct reduce_cut done, left; /* tasks of outputs that this stage completes, and the other tasks */
    pop_interval partials;        /* the partial results of `left` */
    pop_interval parts;           /* the partial results of parts of tasks */
};
struct all_work {
    struct tile_work *list;
    size_t count, capacity;
};

/* ---- order of the input's elements ---- */

/* The input's elements ordered by tile and, on each tile, by address: pieces count in this order. */
struct memory_order {
    pop_interval_lists *tiles; /* for each tile its regions, as intervals of the original input */
    size_t count;
};

static bool find_order(const struct reduction *r, struct memory_order *order)
{
    const struct call *call = r->call;
    pop_interval_lists mapping;
    if (!pop_graph_get_tile_mapping(call->graph, r->in, NULL, &mapping))
        return false;
    *order = (struct memory_order){ poplibs_zeros(mapping.count, sizeof(*order->tiles)), mapping.count };
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        pop_interval_list here = { mapping.first[tile + 1] - mapping.first[tile],
                                   mapping.intervals + mapping.first[tile] };
        if (here.count)
            pop_graph_get_sorted_contiguous_regions(call->graph, r->in, here, false, NULL, &order->tiles[tile]);
    }
    pop_interval_lists_free(&mapping);
    return true;
}

static void free_order(struct memory_order *order)
{
    for (size_t tile = 0; tile < order->count; ++tile)
        pop_interval_lists_free(&order->tiles[tile]);
    free(order->tiles);
}

/* Adds the pieces of one tile, whose first element is at `place`; returns the place after its last element. */
static size_t push_tile(const struct reduction *r, const pop_interval_lists *regions, size_t place,
                        struct reduce_pieces *pieces)
{
    for (size_t region = 0; region < regions->count; ++region)
        for (size_t i = regions->first[region], run = place + 1; i < regions->first[region + 1]; ++i) {
            pop_interval at = regions->intervals[i];
            size_t first = pieces->count;
            reduce_pieces_of(r, at.begin, at.end, pieces);
            for (; first < pieces->count; ++first) {
                pieces->list[first].at += place - at.begin;
                pieces->list[first].run = run;
            }
            place += at.end - at.begin;
        }
    return place;
}

static pop_tensor in_order(const struct reduction *r, const struct memory_order *order)
{
    const struct call *call = r->call;
    struct interval_vec all = { 0 };
    for (size_t tile = 0; tile < order->count; ++tile) {
        const pop_interval_lists *regions = &order->tiles[tile];
        for (size_t i = 0; regions->count && i < regions->first[regions->count]; ++i)
            if (all.count && all.list[all.count - 1].end == regions->intervals[i].begin)
                all.list[all.count - 1].end = regions->intervals[i].end;
            else
                interval_push(&all, regions->intervals[i].begin, regions->intervals[i].end);
    }
    pop_interval_lists whole = { 1, (size_t[]){ 0, all.count }, all.list };
    pop_tensor ordered = r->in;
    if (all.count > 1)
        pop_tensor_slices_nested(r->in, &whole, 0, &ordered);
    free(all.list);
    return ordered;
}

static bool find_work(struct reduction *r, struct all_work *work)
{
    struct memory_order order;
    if (!find_order(r, &order))
        return false;
    size_t place = 0;
    for (size_t tile = 0; tile < order.count; ++tile) {
        struct tile_work here = { .tile = (unsigned)tile };
        place = push_tile(r, &order.tiles[tile], place, &here.pieces);
        if (!here.pieces.count)
            continue;
        reduce_tasks_of(&here.pieces, &here.tasks);
        *poplibs_push(work) = here;
    }
    assert(!call_ready(r->call) || place == pop_tensor_num_elements(r->in));
    r->in = in_order(r, &order);
    free_order(&order);
    return true;
}

static void free_work(struct all_work *work)
{
    for (size_t i = 0; i < work->count; ++i) {
        free(work->list[i].pieces.list);
        free(work->list[i].tasks.list);
        reduce_cut_free(&work->list[i].done);
        reduce_cut_free(&work->list[i].left);
    }
    free(work->list);
}

/* ---- few outputs with many elements: workers divide the elements ---- */

/* The number of outputs in a column if workers divide the elements: what a vertex processes at a time, or on a CPU all
 * contiguous outputs, because whole rows are read faster. */
static size_t column_grain(const struct reduction *r)
{
    return r->target->type == POP_TARGET_CPU ? SIZE_MAX / 2 : reduce_grain(r->target, r->op, r->in_type);
}

/* ---- the stage ---- */

static bool is_done(const struct reduction *r, const struct task *task)
{
    return task->depth == r->factor;
}
/* An output with a single element needs no vertex: its element can be sent unchanged. */
static bool is_row(const struct task *task)
{
    return task->depth == 1;
}

/* Selects the tasks of one kind (completed or not) that need vertices; adds the rows of partials for the next stage to
 * rows. */
static void choose(const struct reduction *r, const struct tile_work *here, bool done, bool send_as_is,
                   struct tasks *chosen, struct partial_rows *rows, size_t *place)
{
    for (size_t i = 0; i < here->tasks.count; ++i) {
        struct task task = here->tasks.list[i];
        if (is_done(r, &task) != done)
            continue;
        if (!done && is_row(&task) && send_as_is) {
            *poplibs_push(rows) = (struct partial_row){ task.k, task.n, here->pieces.list[task.first].at, 0 };
            continue;
        }
        task.at = done ? task.k : *place;
        *poplibs_push(chosen) = task;
        if (!done) {
            *poplibs_push(rows) = (struct partial_row){ task.k, task.n, task.at, 1 };
            *place += task.n;
        }
    }
}

static void map_done(const struct reduction *r, unsigned tile, const struct tasks *tasks)
{
    const struct call *call = r->call;
    for (size_t i = 0; i < tasks->count; ++i)
        pop_graph_set_tile_mapping(
            call->graph, pop_tensor_slice(r->out, tasks->list[i].k, tasks->list[i].k + tasks->list[i].n, 0), tile);
}

/* Counts the elements of partial results on all tiles.  *reduces: whether a task that is not completed has more than
 * one element for each output. */
static size_t count_partials(const struct reduction *r, const struct all_work *work, bool send_as_is, bool *reduces)
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

/* Plans the tasks of each tile; adds the rows of partials for the next stage to rows.  Returns the number of results of
 * parts. */
static size_t plan_tiles(const struct reduction *r, struct all_work *work, bool as_is, struct partial_rows *rows)
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
    const struct call *call = r->call;
    if (interval.end > interval.begin)
        pop_graph_set_tile_mapping(call->graph, pop_tensor_slice_interval(t, interval, 0), tile);
}

static bool has_vertices(const struct reduce_cut *cut)
{
    return cut->whole.count || cut->cut.count;
}

/* The type of the partial results that the first stage leaves for the next one. */
static pop_type partial_type(const struct reduction *r, const struct all_work *work)
{
    return work->count == 1 ? r->tile_type : r->exchange_type;
}

/* Whether an output has elements on several tiles. */
static bool is_spread(const struct reduction *r, const struct all_work *work)
{
    for (size_t i = 0; i < work->count; ++i)
        for (size_t k = 0; k < work->list[i].tasks.count; ++k)
            if (!is_done(r, &work->list[i].tasks.list[k]))
                return true;
    return false;
}

static void first_stage(struct reduction *r, struct all_work *work)
{
    const struct call *call = r->call;
    pop_type left_type = partial_type(r, work);
    bool reduces, as_is = r->in_type == left_type && reduce_operations[r->op].joins == r->op, any = false;
    size_t elements = count_partials(r, work, as_is, &reduces);
    elements = reduces ? elements : 0;
    struct partial_rows rows = { 0 };
    size_t parts = plan_tiles(r, work, as_is || !reduces, &rows);
    struct reduce_stage stage = {
        .op = r->op, .in = r->in_type, .out = r->out_type, .sources = { r->in }, .output = r->out, .last = true
    };
    struct reduce_join join = { .type = r->tile_type };
    for (size_t i = 0; i < work->count && !any; ++i)
        any = has_vertices(&work->list[i].done) || has_vertices(&work->list[i].left);
    if (any)
        stage.set = reduce_next_set(r, elements ? "ReduceOnTile/InToIntermediateNoExchange/Reduce"
                                                : "ReduceOnTile/InToOutNoExchange/Reduce");
    if (parts) {
        join.set = reduce_next_set(r, "ReduceOnTile/PartsToOutput/Reduce");
        join.partials = pop_graph_add_variable(call->graph, join.type, POP_SHAPE(parts), "ReduceOnTile/parts");
    }
    struct reduce_stage partial = stage;
    if (elements) {
        partial.output = pop_graph_add_variable(call->graph, left_type, POP_SHAPE(elements),
                                                "ReduceOnTile/InToIntermediateNoExchange/partials");
        partial.out = left_type;
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
        reduce_gather(r, &rows, elements ? partial.output : (pop_tensor){ 0 }, elements ? left_type : r->in_type,
                      elements ? reduce_operations[r->op].joins : r->op, 0);
    free(rows.list);
}

void reduce_stages(struct reduction *r)
{
    struct all_work work = { 0 };
    if (find_work(r, &work)) {
        pop_type out = is_spread(r, &work) ? partial_type(r, &work) : r->out_type;
        for (size_t i = 0; i < work.count; ++i)
            reduce_find_parts(r, r->op, r->in_type, out, &work.list[i].tasks, &work.list[i].pieces);
        first_stage(r, &work);
    }
    free_work(&work);
}
