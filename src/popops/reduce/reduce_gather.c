/* SPDX-License-Identifier: Apache-2.0 */
/* Stages that exchange: outputs are distributed over tiles, each of which collects the rows of its outputs.  If outputs
 * have many rows, groups of rows are first reduced on several tiles. */
#include "poplibs/tiles.h"
#include "popops/reduce/operations.h"
#include "popops/reduce/reduce.h"
#include "popops/reduce/reduce_cut.h"
#include "popops/reduce/reduce_parts.h"

#include <assert.h>
#include <poputil/util.h>

struct chunk { /* outputs that one tile reduces, or whose rows are divided into blocks for several tiles */
    size_t k, n;
    unsigned tile;
    size_t rows, block; /* number of rows; rows of a block, 0 for all */
    size_t unit;        /* unit of the first block: units are distributed over tiles */
};
struct chunks {
    struct chunk *list;
    size_t count, capacity;
};

struct gather {
    struct reduction *r;
    struct partial_rows rows;    /* sorted by output */
    struct interval_vec outputs; /* the union of all rows' outputs */
    size_t num_outputs, elements, mean_rows;
    pop_tensor partials;
    pop_type type;
    popops_operation op;
    bool one_tile;
};

/* ---- how many stages ---- */

enum { MIN_ELEMENTS = 64 };

static size_t vector_of(const struct gather *g, pop_type type)
{
    return poplibs_max(1, pop_target_vector_width(g->r->target, type));
}

/* The number of tiles that hold partial results. */
static size_t count_tiles(const struct gather *g)
{
    const struct call *call = g->r->call;
    pop_interval_lists mapping;
    pop_tensor from = pop_tensor_valid(g->partials) ? g->partials : g->r->in;
    if (!pop_graph_get_tile_mapping(call->graph, from, NULL, &mapping))
        return 0;
    size_t tiles = poplibs_spread_of(&mapping).tiles;
    pop_interval_lists_free(&mapping);
    return tiles;
}

/* Whether this stage is the last one (docs/reference/reductions.md): each output has few rows, which are spread over
 * most tiles, or there are few elements overall. */
static bool is_last(const struct gather *g)
{
    size_t tiles = pop_target_num_tiles(g->r->target), rows = g->mean_rows;
    return tiles == 1 || g->elements <= MIN_ELEMENTS * g->num_outputs ||
           (rows * rows < 4 * tiles && 4 * count_tiles(g) > 3 * tiles);
}

/* ---- distribution of outputs ---- */

static int by_output(const void *left, const void *right)
{
    const struct partial_row *a = left, *b = right;
    if (a->k != b->k)
        return a->k < b->k ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Computes the union of the rows' outputs, and the mean number of rows of an output; outputs hardly differ in it. */
static void find_outputs(struct gather *g)
{
    for (size_t i = 0; i < g->rows.count; ++i) {
        const struct partial_row *row = &g->rows.list[i];
        struct interval_vec *outputs = &g->outputs;
        if (outputs->count && row->k <= outputs->list[outputs->count - 1].end)
            outputs->list[outputs->count - 1].end = poplibs_max(outputs->list[outputs->count - 1].end, row->k + row->n);
        else
            interval_push(outputs, row->k, row->k + row->n);
    }
    for (size_t i = 0; i < g->outputs.count; ++i)
        g->num_outputs += g->outputs.list[i].end - g->outputs.list[i].begin;
    for (size_t i = 0; i < g->rows.count; ++i)
        g->elements += g->rows.list[i].n;
    g->mean_rows = poplibs_ceil_div(g->elements, poplibs_max(1, g->num_outputs));
}

/* Distributes the outputs evenly over tiles: chunk c is on tile c. */
static void spread(const struct gather *g, size_t grain, size_t min, struct chunks *chunks)
{
    pop_interval_lists parts;
    poputil_split_regions((pop_interval_list){ g->outputs.count, g->outputs.list }, (unsigned)grain,
                          pop_target_num_tiles(g->r->target), (unsigned)min, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT,
                          &parts);
    for (size_t part = 0; part < parts.count; ++part)
        for (size_t i = parts.first[part]; i < parts.first[part + 1]; ++i)
            *poplibs_push(chunks) = (struct chunk){ .k = parts.intervals[i].begin,
                                                    .n = parts.intervals[i].end - parts.intervals[i].begin,
                                                    .tile = (unsigned)part };
    pop_interval_lists_free(&parts);
}
/* Distributes the outputs of the last stage: at least four vectors of sums for each tile. */
static void spread_last(const struct gather *g, struct chunks *chunks)
{
    size_t vector = vector_of(g, g->r->tile_type);
    spread(g, vector, 4 * vector, chunks);
}

/* Maps a new output like the work of the last stage. */
static void map_linearly(const struct gather *g)
{
    struct reduction *r = g->r;
    const struct call *call = r->call;
    struct chunks chunks = { 0 };
    spread_last(g, &chunks);
    for (size_t i = 0; i < chunks.count; ++i)
        pop_graph_set_tile_mapping(call->graph,
                                   pop_tensor_slice(r->out, chunks.list[i].k, chunks.list[i].k + chunks.list[i].n, 0),
                                   chunks.list[i].tile);
    free(chunks.list);
}

/* Whether it is faster to reduce outputs on the tiles to which they are mapped, at most `largest` on one, than evenly
 * distributed, with another exchange. */
static bool is_better_there(const struct gather *g, size_t largest)
{
    const pop_target *target = g->r->target;
    size_t tiles = pop_target_num_tiles(target), vector = vector_of(g, g->r->tile_type),
           even = 8 * poplibs_ceil_div(poplibs_ceil_div(g->num_outputs, 8), tiles), bytes = pop_type_size(g->type),
           rate = poplibs_max(1, target->exchange_bytes_per_cycle), sync = target->max_ipu_sync_delay;
    size_t there = poplibs_ceil_div(largest * bytes, rate) + g->mean_rows * poplibs_ceil_div(largest, vector) + sync;
    size_t balanced = poplibs_ceil_div(even * g->mean_rows * bytes, rate) +
                      g->mean_rows * poplibs_ceil_div(even, vector) +
                      poplibs_ceil_div(largest * pop_type_size(g->r->out_type), rate) + 2 * sync;
    return there < balanced;
}

static int by_place(const void *left, const void *right)
{
    const struct chunk *a = left, *b = right;
    return a->k < b->k ? -1 : a->k > b->k;
}

/* Distributes the outputs by the output's mapping; false if that is too uneven. */
static bool as_mapped(const struct gather *g, struct chunks *chunks)
{
    struct reduction *r = g->r;
    const struct call *call = r->call;
    pop_interval_lists mapping;
    if (!pop_graph_get_tile_mapping(call->graph, r->out, NULL, &mapping))
        return false;
    size_t largest = 0;
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        size_t elements = 0;
        for (size_t i = mapping.first[tile], o = 0; i < mapping.first[tile + 1]; ++i) {
            pop_interval here = mapping.intervals[i];
            while (o && g->outputs.list[o].begin >= here.begin)
                --o;
            for (; o < g->outputs.count && g->outputs.list[o].begin < here.end; ++o) {
                size_t from = poplibs_max(here.begin, g->outputs.list[o].begin),
                       to = poplibs_min(here.end, g->outputs.list[o].end);
                if (from >= to)
                    continue;
                *poplibs_push(chunks) = (struct chunk){ .k = from, .n = to - from, .tile = (unsigned)tile };
                elements += to - from;
            }
            o = poplibs_min(o, g->outputs.count - 1);
        }
        largest = poplibs_max(largest, elements);
    }
    pop_interval_lists_free(&mapping);
    if (chunks->count)
        qsort(chunks->list, chunks->count, sizeof(*chunks->list), by_place);
    bool fine = !r->out_mapped || is_better_there(g, largest);
    if (!fine)
        chunks->count = 0;
    return fine;
}

/* ---- a stage ---- */

/* Sweep over the chunks in ascending order; active are the rows that overlap the current chunk. */
struct row_sweep {
    size_t *active, count, next;
};

static void advance(const struct gather *g, struct row_sweep *sweep, const struct chunk *chunk)
{
    size_t kept = 0;
    for (size_t i = 0; i < sweep->count; ++i) {
        const struct partial_row *row = &g->rows.list[sweep->active[i]];
        if (row->k + row->n > chunk->k)
            sweep->active[kept++] = sweep->active[i];
    }
    sweep->count = kept;
    for (; sweep->next < g->rows.count && g->rows.list[sweep->next].k < chunk->k + chunk->n; ++sweep->next)
        if (g->rows.list[sweep->next].k + g->rows.list[sweep->next].n > chunk->k)
            sweep->active[sweep->count++] = sweep->next;
}

static struct reduce_piece piece_within(const struct partial_row *row, const struct chunk *chunk)
{
    assert(row->k < chunk->k + chunk->n && chunk->k < row->k + row->n);
    size_t from = poplibs_max(row->k, chunk->k), n = poplibs_min(row->k + row->n, chunk->k + chunk->n) - from;
    return (struct reduce_piece){ from, n, row->at + (from - row->k), n, 1, 1, n, row->source, 0 };
}

/* In the order of their mapping, so that each block has about equally many rows of each output. */
static int by_source(const void *left, const void *right)
{
    const struct reduce_piece *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Counts the rows that overlap each chunk. */
static void count_rows(const struct gather *g, struct chunks *chunks)
{
    struct row_sweep sweep = { poplibs_new(g->rows.count, sizeof(size_t)), 0, 0 };
    for (size_t c = 0; c < chunks->count; ++c) {
        advance(g, &sweep, &chunks->list[c]);
        chunks->list[c].rows = sweep.count;
    }
    free(sweep.active);
}

/* The pieces of each unit: of each tile, or of each block of rows of the chunks. */
static struct reduce_pieces *distribute(const struct gather *g, const struct chunks *chunks, size_t units)
{
    struct reduce_pieces *distributed = poplibs_zeros(units, sizeof(*distributed));
    struct row_sweep sweep = { poplibs_new(g->rows.count, sizeof(size_t)), 0, 0 };
    struct reduce_piece *reached = poplibs_new(g->rows.count, sizeof(*reached));
    for (size_t c = 0; c < chunks->count; ++c) {
        const struct chunk *chunk = &chunks->list[c];
        advance(g, &sweep, chunk);
        for (size_t i = 0; i < sweep.count; ++i)
            reached[i] = piece_within(&g->rows.list[sweep.active[i]], chunk);
        if (chunk->block)
            qsort(reached, sweep.count, sizeof(*reached), by_source);
        assert(!sweep.count ||
               (chunk->block ? chunk->unit + (sweep.count - 1) / chunk->block < units : chunk->tile < units));
        for (size_t i = 0; i < sweep.count; ++i)
            *poplibs_push(&distributed[chunk->block ? chunk->unit + i / chunk->block : chunk->tile]) = reached[i];
    }
    free(sweep.active);
    free(reached);
    return distributed;
}

static void free_distributed(struct reduce_pieces *distributed, size_t tiles)
{
    for (size_t i = 0; i < tiles; ++i)
        free(distributed[i].list);
    free(distributed);
}

static struct reduce_stage stage_of(const struct gather *g, const char *name)
{
    struct reduction *r = g->r;
    return (struct reduce_stage){
        .set = reduce_next_set(r, name), .op = g->op, .in = g->type, .sources = { r->in, g->partials }, .rows = true
    };
}

/* The last stage on a tile.  With fewer outputs than workers, and very many rows, workers divide the rows. */
struct last {
    struct reduce_cut cut;
    size_t first_partial, partials;
};

static void plan_last(const struct gather *g, struct reduce_pieces *distributed, struct last *last, size_t *place)
{
    struct tasks tasks = { 0 };
    reduce_tasks_of(distributed, &tasks);
    if (!g->one_tile)
        reduce_find_parts(g->r, g->op, g->type, g->r->out_type, &tasks, distributed);
    last->first_partial = *place;
    for (size_t i = 0; i < tasks.count; ++i)
        tasks.list[i].at = tasks.list[i].k;
    reduce_cut_tasks(&tasks, distributed, reduce_grain(g->r->target, g->op, g->type), place, &last->cut);
    last->partials = *place - last->first_partial;
    free(tasks.list);
}

static void connect_last(const struct gather *g, const struct last *lasts, const struct reduce_pieces *distributed,
                         unsigned tiles, size_t partials)
{
    struct reduction *r = g->r;
    const struct call *call = r->call;
    struct reduce_stage stage = stage_of(g, "ReduceFinalStage/IntermediateToOutput/Reduce");
    struct reduce_join join = { .type = r->exchange_type };
    stage.out = r->out_type;
    stage.output = r->out;
    stage.last = true;
    if (partials) {
        join.partials =
            pop_graph_add_variable(call->graph, join.type, POP_SHAPE(partials), "ReduceFinalStage/partials");
        join.set = reduce_next_set(r, "ReduceFinalStage/PartialsToOutput/Reduce");
    }
    for (unsigned tile = 0; tile < tiles; ++tile) {
        const struct last *last = &lasts[tile];
        if (last->partials)
            pop_graph_set_tile_mapping(
                call->graph,
                pop_tensor_slice(join.partials, last->first_partial, last->first_partial + last->partials, 0), tile);
        reduce_connect_cut(r, &stage, &join, tile, &last->cut, &distributed[tile]);
    }
}

static void last_stage(struct gather *g)
{
    struct reduction *r = g->r;
    struct chunks chunks = { 0 };
    unsigned tiles = pop_target_num_tiles(r->target);
    size_t partials = 0;
    if (!r->out_mapped)
        map_linearly(g);
    if (!as_mapped(g, &chunks))
        spread_last(g, &chunks);
    struct reduce_pieces *distributed = distribute(g, &chunks, tiles);
    struct last *lasts = poplibs_zeros(tiles, sizeof(*lasts));
    for (unsigned tile = 0; tile < tiles; ++tile)
        plan_last(g, &distributed[tile], &lasts[tile], &partials);
    connect_last(g, lasts, distributed, tiles, partials);
    for (unsigned tile = 0; tile < tiles; ++tile)
        reduce_cut_free(&lasts[tile].cut);
    free(lasts);
    free_distributed(distributed, tiles);
    free(chunks.list);
}

/* Divides the outputs where a row begins or ends. */
static void cut_at_rows(struct gather *g)
{
    char *ends = poplibs_zeros(g->r->outputs + 1, sizeof(*ends));
    struct interval_vec cut = { 0 };
    for (size_t i = 0; i < g->rows.count; ++i)
        ends[g->rows.list[i].k] = ends[g->rows.list[i].k + g->rows.list[i].n] = 1;
    for (size_t i = 0; i < g->outputs.count; ++i)
        for (size_t from = g->outputs.list[i].begin, to; from < g->outputs.list[i].end; from = to) {
            for (to = from + 1; to < g->outputs.list[i].end && !ends[to]; ++to)
                ;
            interval_push(&cut, from, to);
        }
    free(ends);
    free(g->outputs.list);
    g->outputs = cut;
}

/* Divides outputs into chunks, and the rows of each chunk into blocks of neighbouring tiles, so that all tiles have
 * work. A block has at least two rows and MIN_ELEMENTS elements.  Returns the number of units. */
static size_t cut_in_blocks(struct gather *g, struct chunks *chunks)
{
    cut_at_rows(g);
    size_t grain = reduce_grain(g->r->target, g->op, g->type), smallest = g->num_outputs, split = 1, units = 0;
    for (size_t i = 0; i < g->outputs.count; ++i)
        smallest = poplibs_min(smallest, g->outputs.list[i].end - g->outputs.list[i].begin);
    while ((split + 1) * (split + 1) <= g->elements / g->num_outputs)
        ++split;
    spread(g, grain, poplibs_max(grain, smallest / grain / split * grain), chunks);
    count_rows(g, chunks);
    size_t share = poplibs_max(1, g->elements / pop_target_num_tiles(g->r->target));
    for (size_t i = 0; i < chunks->count; ++i) {
        struct chunk *chunk = &chunks->list[i];
        size_t elements = chunk->rows * chunk->n, blocks = poplibs_max(1, elements / share);
        blocks = poplibs_min(blocks, poplibs_max(1, poplibs_min(elements / MIN_ELEMENTS, chunk->rows / 2)));
        chunk->block = poplibs_max(2, poplibs_ceil_div(chunk->rows, blocks));
        chunk->unit = units;
        units += poplibs_ceil_div(chunk->rows, chunk->block);
    }
    return units;
}

/* Reduces each block to a row, and collects these rows in the next stage. */
static void intermediate_stage(struct gather *g, unsigned number)
{
    struct reduction *r = g->r;
    const struct call *call = r->call;
    struct chunks chunks = { 0 };
    unsigned tiles = pop_target_num_tiles(r->target);
    size_t units = cut_in_blocks(g, &chunks), elements = 0;
    struct reduce_pieces *distributed = distribute(g, &chunks, units);
    struct tasks *tasks = poplibs_zeros(units, sizeof(*tasks));
    struct partial_rows rows = { 0 };
    for (size_t unit = 0; unit < units; ++unit) {
        reduce_tasks_of(&distributed[unit], &tasks[unit]);
        for (size_t i = 0; i < tasks[unit].count; ++i) {
            struct task *task = &tasks[unit].list[i];
            task->at = elements;
            *poplibs_push(&rows) = (struct partial_row){ task->k, task->n, elements, 1 };
            elements += task->n;
        }
    }
    char name[64];
    snprintf(name, sizeof(name), "ReduceStage%u/IntermediateToIntermediate/Reduce", number);
    struct reduce_stage stage = stage_of(g, name);
    stage.out = r->exchange_type;
    stage.output = pop_graph_add_variable(call->graph, stage.out, POP_SHAPE(elements), "partials");
    for (size_t unit = 0, from = 0; unit < units; ++unit) {
        unsigned tile = (unsigned)((g->num_outputs + unit) % tiles);
        size_t count = 0;
        for (size_t i = 0; i < tasks[unit].count; ++i)
            count += tasks[unit].list[i].n;
        if (count) {
            pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(stage.output, from, from + count, 0), tile);
            reduce_connect(r, &stage, tile, &tasks[unit], &distributed[unit]);
        }
        from += count;
        free(tasks[unit].list);
    }
    free(tasks);
    free_distributed(distributed, units);
    free(chunks.list);
    reduce_gather(r, &rows, stage.output, stage.out, reduce_operations[g->op].joins, number + 1);
    free(rows.list);
}

void reduce_gather(struct reduction *r, const struct partial_rows *rows, pop_tensor partials, pop_type type,
                   popops_operation op, unsigned number)
{
    struct gather g = { .r = r, .partials = partials, .type = type, .op = op, .rows = *rows };
    qsort(g.rows.list, g.rows.count, sizeof(*g.rows.list), by_output);
    find_outputs(&g);
    g.one_tile = pop_target_num_tiles(r->target) == 1;
    if (is_last(&g))
        last_stage(&g);
    else
        intermediate_stage(&g, number);
    free(g.outputs.list);
}
