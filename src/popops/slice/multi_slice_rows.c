/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-slices and multi-updates of rows.  With a plan, each tile looks up its share of the indices in its block of
 * rows and columns, and a second step selects (or sums) the results of the blocks.  Without a plan, each tile looks up
 * all indices in its columns. */
#include "popops/slice/multi_slice_rows.h"
#include "poplibs/cpu_parts.h"
#include "poplibs/tiles.h"
#include "popops/slice/slice_cycles.h"

#include <assert.h>
#include <popops/cast.h>
#include <popops/fill.h>

static pop_compute_set add_set(const struct popops_multi *multi, pop_graph *graph, const char *step)
{
    char path[POPLIBS_PATH_SIZE];
    return pop_graph_add_compute_set_at(multi->where, graph, poplibs_path(path, sizeof(path), multi->name, step));
}

static void vertex_name(const struct popops_multi *multi, pop_graph *graph, size_t region, char *name, size_t size)
{
    pop_type type = pop_tensor_type(multi->sub), scale = pop_tensor_type(multi->scale);
    const char *text = pop_type_name(type);
    if (multi->kind == MULTI_ADD)
        snprintf(name, size, "popops::MultiUpdateAdd<%s%s,%s>", text, scale != type ? ",float" : "",
                 region % popops_store_atom(pop_graph_target(graph), type) ? "true" : "false");
    else if (multi->kind == MULTI_MAX || multi->kind == MULTI_MUL)
        snprintf(name, size, "popops::MultiUpdateOp<%s,popops::Operation::%s>", text,
                 multi->kind == MULTI_MAX ? "MAX" : "MUL");
    else
        snprintf(name, size, "popops::%s<%s>", multi->kind == MULTI_SLICE ? "MultiSlice" : "MultiUpdate", text);
}

enum { CPU_PART_BYTES = 64 << 10 };

/* The number of vertices that share n lookups of this many bytes each.  Updates of the same row must not run
 * concurrently, so one worker does all of them, as in Poplibs.  On a CPU device threads share the copies. */
static size_t num_shares(const struct popops_multi *multi, const pop_target *target, size_t n, size_t bytes)
{
    if (multi->kind != MULTI_SLICE)
        return 1;
    if (target->type != POP_TARGET_CPU)
        return target->num_worker_contexts;
    return poplibs_cpu_parts(n, poplibs_ceil_div(CPU_PART_BYTES, bytes));
}

/* Adds vertices that look up n offsets in base, {rows, region}, which begins at row first_row of the matrix; sub is {n,
 * region}. */
static void add_vertices(const struct popops_multi *multi, pop_graph *graph, pop_tensor base, pop_tensor sub,
                         pop_tensor offsets, size_t first_row, unsigned tile)
{
    char name[96];
    size_t n = pop_tensor_num_elements(offsets), region = pop_tensor_dim(sub, 1);
    if (!n || !region || !pop_tensor_dim(base, 0))
        return;
    vertex_name(multi, graph, region, name, sizeof(name));
    const pop_target *target = pop_graph_target(graph);
    size_t bytes = region * pop_type_size(pop_tensor_type(sub));
    size_t share = poplibs_ceil_div(n, num_shares(multi, target, n, bytes));
    pop_tensor flat = pop_tensor_flatten_at(multi->where, base);
    for (size_t first = 0; first < n; first += share) {
        size_t end = poplibs_min(n, first + share);
        pop_vertex vertex = pop_graph_add_vertex_at(multi->where, graph, multi->set, name);
        pop_graph_connect_at(multi->where, graph, vertex, "offsets",
                             pop_tensor_slice_at(multi->where, offsets, first, end, 0));
        pop_graph_connect_at(multi->where, graph, vertex, "baseT", flat);
        pop_graph_connect_at(
            multi->where, graph, vertex, "subT",
            pop_tensor_flatten_at(multi->where, pop_tensor_slice_at(multi->where, sub, first, end, 0)));
        if (multi->kind == MULTI_ADD)
            pop_graph_connect_at(multi->where, graph, vertex, "scale", multi->scale);
        pop_graph_set_field_int_at(multi->where, graph, vertex, "baseOffset", (int64_t)first_row);
        pop_graph_set_field_int_at(multi->where, graph, vertex, "numBaseElements", (int64_t)pop_tensor_dim(base, 0));
        pop_graph_set_field_int_at(multi->where, graph, vertex, "regionSize", (int64_t)region);
        pop_graph_map_vertex_at(multi->where, graph, vertex, tile);
    }
}

/* ---- without a plan ---- */

/* The columns of {rows, columns} that a tile's intervals cover. */
static pop_tensor columns_of(pop_where where, pop_tensor t, pop_interval_list intervals)
{
    if (intervals.count == 1)
        return pop_tensor_slice_interval_at(where, t, *intervals.list, 1);
    pop_tensor *parts = poplibs_new(intervals.count, sizeof(*parts));
    pop_tensor_slices_at(where, t, intervals, 1, parts);
    pop_tensor joined = pop_tensor_concat_at(where, (pop_tensors){ intervals.count, parts }, 1);
    free(parts);
    return joined;
}

static void run_by_columns(struct popops_multi *multi, pop_graph *graph, pop_program sequence)
{
    static const char *const steps[] = { "multiSlice", "multiUpdate", "multiUpdateAdd", "multiUpdateMax",
                                         "multiUpdateMul" };
    pop_interval_lists mapping;
    multi->set = add_set(multi, graph, steps[multi->kind]);
    if (!pop_graph_get_tile_mapping_at(multi->where, graph, pop_tensor_at_at(multi->where, multi->base, 0), NULL,
                                       &mapping))
        return;
    pop_mark mark = pop_graph_mark(graph);
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        pop_interval_list here = { mapping.first[tile + 1] - mapping.first[tile],
                                   mapping.intervals + mapping.first[tile] };
        if (here.count)
            add_vertices(multi, graph, columns_of(multi->where, multi->base, here),
                         columns_of(multi->where, multi->sub, here), multi->offsets, 0, (unsigned)tile);
    }
    pop_graph_release(graph, mark);
    pop_interval_lists_free(&mapping);
    pop_sequence_add_at(multi->where, sequence, pop_execute_at(multi->where, multi->set, multi->name));
}

/* ---- with a plan ---- */

/* Block `at` of an extent that is divided into blocks of equal size; the last ones may be smaller or empty. */
static pop_interval block(size_t extent, size_t size, size_t at)
{
    return (pop_interval){ poplibs_min(extent, at * size), poplibs_min(extent, (at + 1) * size) };
}
static pop_tensor corner(pop_where where, pop_tensor t, pop_interval rows, pop_interval columns)
{
    return pop_tensor_slice_interval_at(where, pop_tensor_slice_interval_at(where, t, rows, 0), columns, 1);
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
typedef void (*block_visitor)(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                              pop_tensor partials);

static void for_each_block(const struct popops_multi *multi, pop_graph *graph, pop_tensor partials, block_visitor visit)
{
    const popops_slice_plan *plan = &multi->plan;
    size_t lookups = multi->lookups, share = poplibs_ceil_div(lookups, plan->lookup_splits);
    for (size_t r = 0; r < plan->row_splits; ++r)
        for (size_t l = 0; l < plan->lookup_splits; ++l)
            for (size_t c = 0; c < plan->column_splits; ++c) {
                struct row_block here = { r,
                                          l,
                                          popops_plan_tile(plan, r, l, c),
                                          block(plan->rows, popops_plan_block_rows(plan), r),
                                          block(lookups, share, l),
                                          block(plan->columns, popops_plan_block_columns(plan), c),
                                          { 0, 0 },
                                          { 0, 0 } };
                here.own_rows = part_of(here.rows, plan->lookup_splits, l);
                assert(here.tile < pop_target_num_tiles(pop_graph_target(graph)) && here.rows.begin <= here.rows.end &&
                       here.lookups.begin <= here.lookups.end);
                here.own_lookups = part_of(here.lookups, plan->row_splits, r);
                pop_mark mark = pop_graph_mark(graph);
                visit(multi, graph, &here, partials);
                pop_graph_release(graph, mark);
            }
}

static void map_table(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                      pop_tensor table)
{
    pop_graph_set_tile_mapping_at(multi->where, graph, corner(multi->where, table, block->own_rows, block->columns),
                                  block->tile);
}
static void map_slices(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                       pop_tensor slices)
{
    pop_graph_set_tile_mapping_at(multi->where, graph, corner(multi->where, slices, block->own_lookups, block->columns),
                                  block->tile);
}
/* Maps partial slices {row blocks, n, columns}: each block's slices are on its tile. */
static void map_partial_slices(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                               pop_tensor partials)
{
    pop_tensor mine = pop_tensor_at_at(multi->where, partials, block->row_block);
    pop_graph_set_tile_mapping_at(multi->where, graph, corner(multi->where, mine, block->lookups, block->columns),
                                  block->tile);
}
/* Maps partial sums {lookup blocks, rows, columns}: each block's sums are on its tile. */
static void map_partial_sums(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                             pop_tensor partials)
{
    pop_tensor mine = pop_tensor_at_at(multi->where, partials, block->lookup_block);
    pop_graph_set_tile_mapping_at(multi->where, graph, corner(multi->where, mine, block->rows, block->columns),
                                  block->tile);
}

/* A tensor {count, rows, columns}, in which each column block is contiguous, row by row. */
static pop_tensor add_tables(const struct popops_multi *multi, pop_graph *graph, pop_type type, size_t count,
                             size_t rows, const char *name)
{
    pop_where where = multi->where;
    size_t columns = multi->plan.columns, share = popops_plan_block_columns(&multi->plan), full = columns / share,
           rest = columns % share;
    pop_tensor variable = pop_graph_add_variable_at(where, graph, type, POP_SHAPE(count * rows * columns), name),
               parts[2];
    size_t split = count * rows * full * share;
    parts[0] = pop_tensor_reshape_at(where, pop_tensor_slice_at(where, variable, 0, split, 0),
                                     POP_SHAPE(full, count, rows, share));
    parts[0] =
        pop_tensor_flatten_dims_at(where, pop_tensor_dim_shuffle_at(where, parts[0], POP_DIMS(1, 2, 0, 3)), 2, 4);
    parts[1] = pop_tensor_reshape_at(where, pop_tensor_slice_at(where, variable, split, count * rows * columns, 0),
                                     POP_SHAPE(count, rows, rest));
    return rest ? pop_tensor_concat_at(where, (pop_tensors){ 2, parts }, 2) : parts[0];
}

pop_tensor popops_multi_table(const struct popops_multi *multi, pop_graph *graph)
{
    pop_tensor table =
        pop_tensor_at_at(multi->where, add_tables(multi, graph, multi->plan.type, 1, multi->plan.rows, multi->name), 0);
    for_each_block(multi, graph, table, map_table);
    return table;
}
pop_tensor popops_multi_slices(const struct popops_multi *multi, pop_graph *graph)
{
    pop_tensor slices =
        pop_tensor_at_at(multi->where, add_tables(multi, graph, multi->plan.type, 1, multi->lookups, multi->name), 0);
    for_each_block(multi, graph, slices, map_slices);
    return slices;
}

static void slice_block(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                        pop_tensor partials)
{
    pop_where where = multi->where;
    pop_tensor sub = multi->plan.row_splits > 1 ? pop_tensor_at_at(where, partials, block->row_block) : multi->sub;
    add_vertices(multi, graph, corner(where, multi->base, block->rows, block->columns),
                 corner(where, sub, block->lookups, block->columns),
                 pop_tensor_slice_interval_at(where, multi->offsets, block->lookups, 0), block->rows.begin,
                 block->tile);
}

/* Selects the slices of a block's own lookups from the partial slices of all row blocks. */
static void select_block(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                         pop_tensor partials)
{
    char name[96];
    pop_where where = multi->where;
    size_t n = block->own_lookups.end - block->own_lookups.begin, region = block->columns.end - block->columns.begin;
    snprintf(name, sizeof(name), "popops::MultiSliceSelect<%s>", pop_type_name(multi->plan.type));
    size_t share = poplibs_ceil_div(n, pop_graph_target(graph)->num_worker_contexts);
    for (size_t first = 0; first < n && region; first += share) {
        pop_interval rows = { block->own_lookups.begin + first,
                              block->own_lookups.begin + poplibs_min(n, first + share) };
        pop_tensor base = pop_tensor_slice_interval_at(where, pop_tensor_slice_interval_at(where, partials, rows, 1),
                                                       block->columns, 2);
        pop_vertex vertex = pop_graph_add_vertex_at(where, graph, multi->set, name);
        pop_graph_connect_at(where, graph, vertex, "offsets",
                             pop_tensor_slice_interval_at(where, multi->offsets, rows, 0));
        pop_graph_connect_at(where, graph, vertex, "baseT", pop_tensor_flatten_at(where, base));
        pop_graph_connect_at(where, graph, vertex, "subT",
                             pop_tensor_flatten_at(where, corner(where, multi->sub, rows, block->columns)));
        pop_graph_set_field_int_at(where, graph, vertex, "rowsPerPart", (int64_t)popops_plan_block_rows(&multi->plan));
        pop_graph_set_field_int_at(where, graph, vertex, "numRows", (int64_t)multi->plan.rows);
        pop_graph_set_field_int_at(where, graph, vertex, "regionSize", (int64_t)region);
        pop_graph_map_vertex_at(where, graph, vertex, block->tile);
    }
}

static void slice_by_plan(struct popops_multi *multi, pop_graph *graph, pop_program sequence)
{
    char path[POPLIBS_PATH_SIZE];
    pop_tensor partials = { 0 };
    if (multi->plan.row_splits > 1) {
        partials = add_tables(multi, graph, multi->plan.type, multi->plan.row_splits, multi->lookups,
                              poplibs_path(path, sizeof(path), multi->name, "slicePartials"));
        for_each_block(multi, graph, partials, map_partial_slices);
    }
    multi->set = add_set(multi, graph, "multiSlice/stage0");
    for_each_block(multi, graph, partials, slice_block);
    pop_sequence_add_at(multi->where, sequence, pop_execute_at(multi->where, multi->set, multi->name));
    if (multi->plan.row_splits > 1) {
        multi->set = add_set(multi, graph, "multiSlice/stage1");
        for_each_block(multi, graph, partials, select_block);
        pop_sequence_add_at(multi->where, sequence, pop_execute_at(multi->where, multi->set, multi->name));
    }
}

/* Applies all updates to the rows that a block owns. */
static void update_block(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                         pop_tensor none)
{
    (void)none;
    pop_interval all = { 0, multi->lookups };
    add_vertices(multi, graph, corner(multi->where, multi->base, block->own_rows, block->columns),
                 corner(multi->where, multi->sub, all, block->columns), multi->offsets, block->own_rows.begin,
                 block->tile);
}
/* Adds the block's updates to its partial sums. */
static void sum_block(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                      pop_tensor partials)
{
    pop_where where = multi->where;
    pop_tensor base = pop_tensor_at_at(where, partials, block->lookup_block);
    add_vertices(multi, graph, corner(where, base, block->rows, block->columns),
                 corner(where, multi->sub, block->lookups, block->columns),
                 pop_tensor_slice_interval_at(where, multi->offsets, block->lookups, 0), block->rows.begin,
                 block->tile);
}
/* Adds the partial sums of a block's own rows to the base. */
static void finish_block(const struct popops_multi *multi, pop_graph *graph, const struct row_block *block,
                         pop_tensor partials)
{
    char name[96];
    pop_where where = multi->where;
    pop_type type = multi->plan.type;
    snprintf(name, sizeof(name), "popops::MultiUpdateSum<%s%s>", pop_type_name(type),
             pop_tensor_type(multi->scale) != type ? ",float" : "");
    size_t n = block->own_rows.end - block->own_rows.begin,
           share = poplibs_ceil_div(n, pop_graph_target(graph)->num_worker_contexts);
    for (size_t first = 0; first < n && block->columns.begin < block->columns.end; first += share) {
        pop_interval rows = { block->own_rows.begin + first, block->own_rows.begin + poplibs_min(n, first + share) };
        pop_tensor parts = pop_tensor_slice_interval_at(where, pop_tensor_slice_interval_at(where, partials, rows, 1),
                                                        block->columns, 2);
        pop_vertex vertex = pop_graph_add_vertex_at(where, graph, multi->set, name);
        pop_graph_connect_at(where, graph, vertex, "partials", pop_tensor_flatten_at(where, parts));
        pop_graph_connect_at(where, graph, vertex, "baseT",
                             pop_tensor_flatten_at(where, corner(where, multi->base, rows, block->columns)));
        pop_graph_connect_at(where, graph, vertex, "scale", multi->scale);
        pop_graph_set_field_int_at(where, graph, vertex, "numPartials", (int64_t)multi->plan.lookup_splits);
        pop_graph_map_vertex_at(where, graph, vertex, block->tile);
    }
}

static void update_by_plan(struct popops_multi *multi, pop_graph *graph, pop_program sequence)
{
    char path[POPLIBS_PATH_SIZE];
    if (multi->kind != MULTI_ADD || multi->plan.lookup_splits == 1) {
        multi->set = add_set(multi, graph, "multiUpdate");
        for_each_block(multi, graph, (pop_tensor){ 0 }, update_block);
        pop_sequence_add_at(multi->where, sequence, pop_execute_at(multi->where, multi->set, multi->name));
        return;
    }
    /* Half is summed in float. */
    pop_type type = popops_partial_sum_type(multi->plan.type);
    struct popops_multi sums = *multi;
    pop_tensor partials = add_tables(multi, graph, type, multi->plan.lookup_splits, multi->plan.rows,
                                     poplibs_path(path, sizeof(path), multi->name, "updatePartials"));
    for_each_block(multi, graph, partials, map_partial_sums);
    popops_zero_at(multi->where, graph, partials, sequence,
                   poplibs_path(path, sizeof(path), multi->name, "zeroPartials"));
    if (type != multi->plan.type)
        sums.sub = popops_cast_at(multi->where, graph, multi->sub, type, sequence,
                                  poplibs_path(path, sizeof(path), multi->name, "castSlices"));
    sums.scale = pop_graph_add_constant_float_at(multi->where, graph, type, POP_SHAPE(), 1, "one");
    pop_graph_set_tile_mapping_at(multi->where, graph, sums.scale, 0);
    sums.plan.type = type;
    sums.set = add_set(multi, graph, "multiUpdateAdd/stage0");
    for_each_block(&sums, graph, partials, sum_block);
    pop_sequence_add_at(multi->where, sequence, pop_execute_at(multi->where, sums.set, multi->name));
    multi->set = add_set(multi, graph, "multiUpdateAdd/stage1");
    for_each_block(multi, graph, partials, finish_block);
    pop_sequence_add_at(multi->where, sequence, pop_execute_at(multi->where, multi->set, multi->name));
}

void popops_run_multi(struct popops_multi *multi, pop_graph *graph, pop_program sequence)
{
    if (!poplibs_ready(graph) || !multi->lookups || !pop_tensor_num_elements(multi->base))
        return;
    if (!multi->plan.rows)
        run_by_columns(multi, graph, sequence);
    else if (multi->kind == MULTI_SLICE)
        slice_by_plan(multi, graph, sequence);
    else
        update_by_plan(multi, graph, sequence);
}
