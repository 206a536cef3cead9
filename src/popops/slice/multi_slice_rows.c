/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-slices and multi-updates of rows.  With a plan, each tile looks up its share of the indices in its block of
 * rows and columns, and a second step selects (or sums) the results of the blocks.  Without a plan, each tile looks up
 * all indices in its columns. */
#include "popops/slice/multi_slice_rows.h"
#include "poplibs/codes.h"
#include "poplibs/cpu_parts.h"
#include "poplibs/tiles.h"
#include "popops/slice/slice_cycles.h"

#include <assert.h>
#include <popops/cast.h>
#include <popops/fill.h>

static pop_compute_set add_set(const struct multi_rows *multi, const char *step)
{
    const struct call *call = multi->call;
    return pop_graph_add_compute_set(call->graph, call_path(call, call->name, step));
}

static void vertex_name(const struct multi_rows *multi, size_t region, char *name, size_t size)
{
    pop_type type = pop_tensor_type(multi->sub), scale = pop_tensor_type(multi->scale);
    const char *text = pop_type_name(poplibs_codes_type(type));
    if (multi->kind == MULTI_ADD)
        snprintf(name, size, "popops::MultiUpdateAdd<%s%s,%s>", text, scale != type ? ",float" : "",
                 region % store_atom(pop_graph_target(multi->call->graph), type) ? "true" : "false");
    else if (multi->kind == MULTI_MAX || multi->kind == MULTI_MUL)
        snprintf(name, size, "popops::MultiUpdateOp<%s,popops::Operation::%s>", text,
                 multi->kind == MULTI_MAX ? "MAX" : "MUL");
    else
        snprintf(name, size, "popops::%s<%s>", multi->kind == MULTI_SLICE ? "MultiSlice" : "MultiUpdate", text);
}

enum { CPU_PART_BYTES = 64 << 10 };

/* The number of vertices that share n lookups of this many bytes each.  Updates of the same row must not run
 * concurrently, so one worker does all of them, as in Poplibs.  On a CPU device threads share the copies. */
static size_t num_shares(const struct multi_rows *multi, const pop_target *target, size_t n, size_t bytes)
{
    if (multi->kind != MULTI_SLICE)
        return 1;
    if (target->type != POP_TARGET_CPU)
        return target->num_worker_contexts;
    return poplibs_cpu_parts(n, poplibs_ceil_div(CPU_PART_BYTES, bytes));
}

/* Adds vertices that look up n offsets in base, {rows, region}, which begins at row first_row of the matrix; sub is {n,
 * region}. */
static void add_vertices(const struct multi_rows *multi, pop_tensor base, pop_tensor sub, pop_tensor offsets,
                         size_t first_row, unsigned tile)
{
    const struct call *call = multi->call;
    char name[96];
    size_t n = pop_tensor_num_elements(offsets), region = pop_tensor_dim(sub, 1);
    if (!n || !region || !pop_tensor_dim(base, 0))
        return;
    vertex_name(multi, region, name, sizeof(name));
    const pop_target *target = pop_graph_target(call->graph);
    size_t bytes = region * pop_type_size(pop_tensor_type(sub));
    size_t share = poplibs_ceil_div(n, num_shares(multi, target, n, bytes));
    pop_tensor flat = pop_tensor_flatten(base);
    for (size_t first = 0; first < n; first += share) {
        size_t end = poplibs_min(n, first + share);
        pop_vertex vertex = call_vertex(call, multi->set, name, tile);
        call_connect(call, vertex, "offsets", pop_tensor_slice(offsets, first, end, 0));
        call_connect(call, vertex, "baseT", flat);
        call_connect(call, vertex, "subT", pop_tensor_flatten(pop_tensor_slice(sub, first, end, 0)));
        if (multi->kind == MULTI_ADD)
            call_connect(call, vertex, "scale", multi->scale);
        call_set(call, vertex, "baseOffset", first_row);
        call_set(call, vertex, "numBaseElements", pop_tensor_dim(base, 0));
        call_set(call, vertex, "regionSize", region);
    }
}

/* ---- without a plan ---- */

/* The columns of {rows, columns} that a tile's intervals cover. */
static pop_tensor columns_of(const struct call *call, pop_tensor t, pop_interval_list intervals)
{
    if (intervals.count == 1)
        return pop_tensor_slice_interval(t, *intervals.list, 1);
    pop_tensor *parts = poplibs_new(intervals.count, sizeof(*parts));
    pop_tensor_slices(t, intervals, 1, parts);
    pop_tensor joined = pop_tensor_concat((pop_tensors){ intervals.count, parts }, 1);
    free(parts);
    return joined;
}

static void run_by_columns(struct multi_rows *multi)
{
    const struct call *call = multi->call;
    static const char *const steps[] = { "multiSlice", "multiUpdate", "multiUpdateAdd", "multiUpdateMax",
                                         "multiUpdateMul" };
    pop_interval_lists mapping;
    multi->set = add_set(multi, steps[multi->kind]);
    if (!pop_graph_get_tile_mapping(call->graph, pop_tensor_at(multi->base, 0), NULL, &mapping))
        return;
    pop_mark mark = pop_graph_mark(call->graph);
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        pop_interval_list here = { mapping.first[tile + 1] - mapping.first[tile],
                                   mapping.intervals + mapping.first[tile] };
        if (here.count)
            add_vertices(multi, columns_of(call, multi->base, here), columns_of(call, multi->sub, here), multi->offsets,
                         0, (unsigned)tile);
    }
    pop_graph_release(call->graph, mark);
    pop_interval_lists_free(&mapping);
    call_execute(call, multi->set, call->name);
}

/* ---- with a plan ---- */

/* Block `at` of an extent that is divided into blocks of equal size; the last ones may be smaller or empty. */
static pop_interval block(size_t extent, size_t size, size_t at)
{
    return (pop_interval){ poplibs_min(extent, at * size), poplibs_min(extent, (at + 1) * size) };
}
static pop_tensor corner(const struct call *call, pop_tensor t, pop_interval rows, pop_interval columns)
{
    return pop_tensor_slice_interval(pop_tensor_slice_interval(t, rows, 0), columns, 1);
}
/* Part `at` of `count` parts of an interval. */
static pop_interval part_of(pop_interval whole, size_t count, size_t at)
{
    assert(at < count && whole.begin <= whole.end);
    pop_interval part = block(whole.end - whole.begin, poplibs_ceil_div(whole.end - whole.begin, count), at);
    return (pop_interval){ whole.begin + part.begin, whole.begin + part.end };
}

/* A block of the grid: its tile, the rows, lookups and columns it works on, and its own part of the rows and
 * lookups. */
struct row_block {
    size_t row_block, lookup_block;
    unsigned tile;
    pop_interval rows, lookups, columns, own_rows, own_lookups;
};
typedef void (*block_visitor)(const struct multi_rows *multi, const struct row_block *block, pop_tensor partials);

static void for_each_block(const struct multi_rows *multi, pop_tensor partials, block_visitor visit)
{
    pop_graph *graph = multi->call->graph;
    const popops_slice_plan *plan = &multi->plan;
    size_t lookups = multi->lookups, share = poplibs_ceil_div(lookups, plan->lookup_splits);
    for (size_t r = 0; r < plan->row_splits; ++r)
        for (size_t l = 0; l < plan->lookup_splits; ++l)
            for (size_t c = 0; c < plan->column_splits; ++c) {
                struct row_block here = { r,
                                          l,
                                          slice_plan_tile(plan, r, l, c),
                                          block(plan->rows, slice_plan_block_rows(plan), r),
                                          block(lookups, share, l),
                                          block(plan->columns, slice_plan_block_columns(plan), c),
                                          { 0, 0 },
                                          { 0, 0 } };
                here.own_rows = part_of(here.rows, plan->lookup_splits, l);
                assert(here.tile < pop_target_num_tiles(pop_graph_target(graph)) && here.rows.begin <= here.rows.end &&
                       here.lookups.begin <= here.lookups.end);
                here.own_lookups = part_of(here.lookups, plan->row_splits, r);
                pop_mark mark = pop_graph_mark(graph);
                visit(multi, &here, partials);
                pop_graph_release(graph, mark);
            }
}

static void map_table(const struct multi_rows *multi, const struct row_block *block, pop_tensor table)
{
    const struct call *call = multi->call;
    pop_graph_set_tile_mapping(call->graph, corner(call, table, block->own_rows, block->columns), block->tile);
}
static void map_slices(const struct multi_rows *multi, const struct row_block *block, pop_tensor slices)
{
    const struct call *call = multi->call;
    pop_graph_set_tile_mapping(call->graph, corner(call, slices, block->own_lookups, block->columns), block->tile);
}
/* Maps partial slices {row blocks, n, columns}: each block's slices are on its tile. */
static void map_partial_slices(const struct multi_rows *multi, const struct row_block *block, pop_tensor partials)
{
    const struct call *call = multi->call;
    pop_tensor mine = pop_tensor_at(partials, block->row_block);
    pop_graph_set_tile_mapping(call->graph, corner(call, mine, block->lookups, block->columns), block->tile);
}
/* Maps partial sums {lookup blocks, rows, columns}: each block's sums are on its tile. */
static void map_partial_sums(const struct multi_rows *multi, const struct row_block *block, pop_tensor partials)
{
    const struct call *call = multi->call;
    pop_tensor mine = pop_tensor_at(partials, block->lookup_block);
    pop_graph_set_tile_mapping(call->graph, corner(call, mine, block->rows, block->columns), block->tile);
}

/* A tensor {count, rows, columns}, in which each column block is contiguous, row by row. */
static pop_tensor add_tables(const struct multi_rows *multi, pop_type type, size_t count, size_t rows, const char *name)
{
    const struct call *call = multi->call;
    size_t columns = multi->plan.columns, share = slice_plan_block_columns(&multi->plan), full = columns / share,
           rest = columns % share;
    pop_tensor variable = pop_graph_add_variable(call->graph, type, POP_SHAPE(count * rows * columns), name), parts[2];
    size_t split = count * rows * full * share;
    parts[0] = pop_tensor_reshape(pop_tensor_slice(variable, 0, split, 0), POP_SHAPE(full, count, rows, share));
    parts[0] = pop_tensor_flatten_dims(pop_tensor_dim_shuffle(parts[0], POP_DIMS(1, 2, 0, 3)), 2, 4);
    parts[1] =
        pop_tensor_reshape(pop_tensor_slice(variable, split, count * rows * columns, 0), POP_SHAPE(count, rows, rest));
    return rest ? pop_tensor_concat((pop_tensors){ 2, parts }, 2) : parts[0];
}

pop_tensor multi_table(const struct multi_rows *multi)
{
    const struct call *call = multi->call;
    pop_tensor table = pop_tensor_at(add_tables(multi, multi->plan.type, 1, multi->plan.rows, call->name), 0);
    for_each_block(multi, table, map_table);
    return table;
}
pop_tensor multi_slices(const struct multi_rows *multi)
{
    const struct call *call = multi->call;
    pop_tensor slices = pop_tensor_at(add_tables(multi, multi->plan.type, 1, multi->lookups, call->name), 0);
    for_each_block(multi, slices, map_slices);
    return slices;
}

static void slice_block(const struct multi_rows *multi, const struct row_block *block, pop_tensor partials)
{
    const struct call *call = multi->call;
    pop_tensor sub = multi->plan.row_splits > 1 ? pop_tensor_at(partials, block->row_block) : multi->sub;
    add_vertices(multi, corner(call, multi->base, block->rows, block->columns),
                 corner(call, sub, block->lookups, block->columns),
                 pop_tensor_slice_interval(multi->offsets, block->lookups, 0), block->rows.begin, block->tile);
}

/* Selects the slices of a block's own lookups from the partial slices of all row blocks. */
static void select_block(const struct multi_rows *multi, const struct row_block *block, pop_tensor partials)
{
    const struct call *call = multi->call;
    char name[96];
    size_t n = block->own_lookups.end - block->own_lookups.begin, region = block->columns.end - block->columns.begin;
    snprintf(name, sizeof(name), "popops::MultiSliceSelect<%s>", pop_type_name(poplibs_codes_type(multi->plan.type)));
    size_t share = poplibs_ceil_div(n, pop_graph_target(call->graph)->num_worker_contexts);
    for (size_t first = 0; first < n && region; first += share) {
        pop_interval rows = { block->own_lookups.begin + first,
                              block->own_lookups.begin + poplibs_min(n, first + share) };
        pop_tensor base = pop_tensor_slice_interval(pop_tensor_slice_interval(partials, rows, 1), block->columns, 2);
        pop_vertex vertex = call_vertex(call, multi->set, name, block->tile);
        call_connect(call, vertex, "offsets", pop_tensor_slice_interval(multi->offsets, rows, 0));
        call_connect(call, vertex, "baseT", pop_tensor_flatten(base));
        call_connect(call, vertex, "subT", pop_tensor_flatten(corner(call, multi->sub, rows, block->columns)));
        call_set(call, vertex, "rowsPerPart", slice_plan_block_rows(&multi->plan));
        call_set(call, vertex, "numRows", multi->plan.rows);
        call_set(call, vertex, "regionSize", region);
    }
}

static void slice_by_plan(struct multi_rows *multi)
{
    const struct call *call = multi->call;
    pop_tensor partials = { 0 };
    if (multi->plan.row_splits > 1) {
        partials = add_tables(multi, multi->plan.type, multi->plan.row_splits, multi->lookups,
                              call_path(call, call->name, "slicePartials"));
        for_each_block(multi, partials, map_partial_slices);
    }
    multi->set = add_set(multi, "multiSlice/stage0");
    for_each_block(multi, partials, slice_block);
    call_execute(call, multi->set, call->name);
    if (multi->plan.row_splits > 1) {
        multi->set = add_set(multi, "multiSlice/stage1");
        for_each_block(multi, partials, select_block);
        call_execute(call, multi->set, call->name);
    }
}

/* Applies all updates to the rows that a block owns. */
static void update_block(const struct multi_rows *multi, const struct row_block *block, pop_tensor none)
{
    (void)none;
    pop_interval all = { 0, multi->lookups };
    add_vertices(multi, corner(multi->call, multi->base, block->own_rows, block->columns),
                 corner(multi->call, multi->sub, all, block->columns), multi->offsets, block->own_rows.begin,
                 block->tile);
}
/* Adds the block's updates to its partial sums. */
static void sum_block(const struct multi_rows *multi, const struct row_block *block, pop_tensor partials)
{
    const struct call *call = multi->call;
    pop_tensor base = pop_tensor_at(partials, block->lookup_block);
    add_vertices(multi, corner(call, base, block->rows, block->columns),
                 corner(call, multi->sub, block->lookups, block->columns),
                 pop_tensor_slice_interval(multi->offsets, block->lookups, 0), block->rows.begin, block->tile);
}
/* Adds the partial sums of a block's own rows to the base. */
static void finish_block(const struct multi_rows *multi, const struct row_block *block, pop_tensor partials)
{
    const struct call *call = multi->call;
    char name[96];
    pop_type type = multi->plan.type;
    snprintf(name, sizeof(name), "popops::MultiUpdateSum<%s%s>", pop_type_name(type),
             pop_tensor_type(multi->scale) != type ? ",float" : "");
    size_t n = block->own_rows.end - block->own_rows.begin,
           share = poplibs_ceil_div(n, pop_graph_target(call->graph)->num_worker_contexts);
    for (size_t first = 0; first < n && block->columns.begin < block->columns.end; first += share) {
        pop_interval rows = { block->own_rows.begin + first, block->own_rows.begin + poplibs_min(n, first + share) };
        pop_tensor parts = pop_tensor_slice_interval(pop_tensor_slice_interval(partials, rows, 1), block->columns, 2);
        pop_vertex vertex = call_vertex(call, multi->set, name, block->tile);
        call_connect(call, vertex, "partials", pop_tensor_flatten(parts));
        call_connect(call, vertex, "baseT", pop_tensor_flatten(corner(call, multi->base, rows, block->columns)));
        call_connect(call, vertex, "scale", multi->scale);
        call_set(call, vertex, "numPartials", multi->plan.lookup_splits);
    }
}

static void update_by_plan(struct multi_rows *multi)
{
    const struct call *call = multi->call;
    pop_graph *graph = call->graph;
    if (multi->kind != MULTI_ADD || multi->plan.lookup_splits == 1) {
        multi->set = add_set(multi, "multiUpdate");
        for_each_block(multi, (pop_tensor){ 0 }, update_block);
        call_execute(call, multi->set, call->name);
        return;
    }
    /* Half is summed in float. */
    pop_type type = partial_sum_type(multi->plan.type);
    struct multi_rows sums = *multi;
    pop_tensor partials = add_tables(multi, type, multi->plan.lookup_splits, multi->plan.rows,
                                     call_path(call, call->name, "updatePartials"));
    for_each_block(multi, partials, map_partial_sums);
    popops_zero(graph, partials, call->sequence, call_path(call, call->name, "zeroPartials"));
    if (type != multi->plan.type)
        sums.sub = popops_cast(graph, multi->sub, type, call->sequence, call_path(call, call->name, "castSlices"));
    sums.scale = pop_graph_add_constant_float(graph, type, POP_SHAPE(), 1, "one");
    pop_graph_set_tile_mapping(graph, sums.scale, 0);
    sums.plan.type = type;
    sums.set = add_set(multi, "multiUpdateAdd/stage0");
    for_each_block(&sums, partials, sum_block);
    call_execute(call, sums.set, call->name);
    multi->set = add_set(multi, "multiUpdateAdd/stage1");
    for_each_block(multi, partials, finish_block);
    call_execute(call, multi->set, call->name);
}

void multi_run(struct multi_rows *multi)
{
    if (!call_ready(multi->call) || !multi->lookups || !pop_tensor_num_elements(multi->base))
        return;
    if (!multi->plan.rows)
        run_by_columns(multi);
    else if (multi->kind == MULTI_SLICE)
        slice_by_plan(multi);
    else
        update_by_plan(multi);
}
