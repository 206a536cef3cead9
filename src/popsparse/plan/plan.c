/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a plan: all splits of rows, columns and batch that differ in the size of their largest part. */
#include "popsparse/plan/plan.h"
#include "popsparse/plan/plan_cache.h"

#include <math.h>

struct search {
    const pop_target *target;
    const struct sparse_shape *shape;
    const struct sparse_options *options;
    double limit; /* bytes of a tile */
    size_t tiles;
    struct sparse_plan best;
    bool found;
};

unsigned sparse_plan_tile(const struct sparse_plan *plan, const pop_target *target, size_t cell, size_t z)
{
    size_t y = cell % plan->y, x = cell / plan->y % plan->x, group = cell / plan->y / plan->x;
    return (unsigned)((x + plan->x * (z + plan->z * (y + plan->y * group))) % pop_target_num_tiles(target));
}

/* ---- sizes ---- */

/* Blocks of a cell that is not at an edge. */
static size_t cell_blocks(const struct sparse_shape *shape, const struct sparse_plan *plan)
{
    return plan->cell_rows / shape->block_rows * (plan->cell_columns / shape->block_columns);
}
/* Elements for a pattern of so many blocks, of which the cell's rows bound the number of rows. */
static size_t pattern_elements(size_t blocks, size_t rows, double oversize)
{
    size_t used = poplibs_min(blocks, rows), elements = SPARSE_ROW * used + blocks;
    size_t parts = 1 + poplibs_ceil_div(elements, SPARSE_PART_MAX - SPARSE_PART - SPARSE_ROW);
    /* Values of other cells need rows and parts of their own. */
    size_t others = (size_t)ceil(oversize * (double)(SPARSE_ROW * used + SPARSE_PART));
    elements += parts * (SPARSE_PART + SPARSE_ROW) + others;
    return poplibs_ceil_div(elements, 4) * 4;
}

void sparse_plan_size_buckets(const struct sparse_shape *shape, size_t blocks, double oversize,
                              struct sparse_plan *plan)
{
    size_t atom = shape->type == POP_HALF ? 4 : 2; /* 8 bytes */
    plan->nz = poplibs_ceil_div(blocks * sparse_block_area(shape), atom) * atom;
    plan->meta_info = pattern_elements(blocks, plan->cell_rows / shape->block_rows, oversize);
}
static void size_buckets(const struct sparse_shape *shape, double oversize, struct sparse_plan *plan)
{
    size_t stored = poplibs_ceil_div(shape->nz, sparse_block_area(shape));
    double even = (double)poplibs_ceil_div(stored, poplibs_max(plan->cells, 1));
    /* Of few values, a random pattern has more than the share that is asked for in some cells: three standard
     * deviations keep nearly all at home, where one that travels delays all tiles. */
    if (oversize > 0)
        even += fmax(even * oversize, 3 * sqrt(even));
    sparse_plan_size_buckets(shape, poplibs_min((size_t)ceil(even), cell_blocks(shape, plan)), oversize, plan);
}

struct sparse_work sparse_plan_work(const struct sparse_shape *shape, const struct sparse_plan *plan)
{
    double blocks = (double)shape->groups * (double)(shape->rows / shape->block_rows) *
                    (double)(shape->columns / shape->block_columns);
    double ratio = blocks > 0 ? (double)shape->nz / (double)sparse_block_area(shape) / blocks : 0;
    double rows = (double)(plan->cell_rows / shape->block_rows),
           columns = (double)(plan->cell_columns / shape->block_columns);
    double used = ceil(rows * (1 - pow(1 - fmin(ratio, 1), columns)));
    double each = used > 0 ? ceil(rows * columns * fmin(ratio, 1) / used) : 0;
    return (struct sparse_work){ .type = shape->type,
                                 .sums = POP_FLOAT,
                                 .rows = (size_t)used,
                                 .columns = (size_t)each,
                                 .batch = plan->cell_batch,
                                 .block_rows = shape->block_rows,
                                 .block_columns = shape->block_columns,
                                 .own = true };
}

/* ---- costs ---- */

enum { SYNC = 200, VECTOR_BYTES = 8 };

/* Cycles in which n partial results of `elements` sums of `size` bytes are exchanged and added by as many tiles. */
static double reduce_cycles(const pop_target *target, double elements, double size, size_t n)
{
    double received = elements * size * (double)(n - 1) / (double)n;
    return n > 1 ? 2 * SYNC + received / target->exchange_bytes_per_cycle + elements * size / VECTOR_BYTES : 0;
}

/* A product: the operand's and the result's elements of a tile, and how many tiles' results are added. */
static double pass_cycles(const struct search *search, const struct sparse_plan *plan, enum sparse_phase pass)
{
    const struct sparse_shape *shape = search->shape;
    double size = shape->type == POP_HALF ? 2 : 4, sum = (double)pop_type_size(search->options->sums),
           batch = (double)plan->cell_batch;
    double rows = (double)plan->cell_rows * batch, columns = (double)plan->cell_columns * batch;
    double bucket = (double)plan->nz * size + (double)plan->meta_info * 2;
    double in = pass == SPARSE_FORWARD ? columns : pass == SPARSE_GRAD_A ? rows : rows + columns;
    double out = pass == SPARSE_FORWARD ? rows : pass == SPARSE_GRAD_A ? columns : (double)plan->nz;
    size_t parts = pass == SPARSE_FORWARD ? plan->y : pass == SPARSE_GRAD_A ? plan->x : plan->z;
    struct sparse_work work = sparse_plan_work(shape, plan);
    work.sums = search->options->sums;
    double received = in * size + bucket * (double)(plan->z - 1) / (double)plan->z;
    unsigned workers = search->target->num_worker_contexts;
    return 3 * SYNC + received / search->target->exchange_bytes_per_cycle + out * sum / VECTOR_BYTES +
           (double)sparse_cycles(pass, &work, workers) + reduce_cycles(search->target, out, sum, parts);
}
static double pass_bytes(const struct search *search, const struct sparse_plan *plan)
{
    double size = search->shape->type == POP_HALF ? 2 : 4, sum = (double)pop_type_size(search->options->sums),
           batch = (double)plan->cell_batch;
    double rows = (double)plan->cell_rows * batch, columns = (double)plan->cell_columns * batch;
    double bucket = (double)plan->nz * size + (double)plan->meta_info * 2;
    double product = columns * size + rows * sum;
    if (search->options->grad_a)
        product = fmax(product, rows * size + columns * sum);
    if (search->options->grad_w)
        product = fmax(product, (rows + columns) * size + (double)plan->nz * sum);
    return product + 3 * bucket; /* its own, and two that travel */
}

/* ---- search ---- */

static void consider(struct search *search, struct sparse_plan *plan)
{
    const struct sparse_shape *shape = search->shape;
    plan->cells = shape->groups * plan->x * plan->y;
    plan->cell_batch = shape->batch / plan->z;
    size_buckets(shape, search->options->oversize, plan);
    double cycles = pass_cycles(search, plan, SPARSE_FORWARD), bytes = pass_bytes(search, plan);
    if (search->options->grad_a)
        cycles += pass_cycles(search, plan, SPARSE_GRAD_A);
    if (search->options->grad_w)
        cycles += pass_cycles(search, plan, SPARSE_GRAD_W);
    plan->cycles = (uint64_t)cycles;
    plan->bytes = (uint64_t)bytes;
    bool fits = bytes <= search->limit, best_fits = (double)search->best.bytes <= search->limit;
    bool better =
        fits == best_fits ? (fits ? plan->cycles < search->best.cycles : plan->bytes < search->best.bytes) : fits;
    if (!search->found || better)
        search->best = *plan;
    search->found = true;
}

/* The next number of parts of `blocks` blocks with smaller parts than `parts` have; 0: none. */
static size_t next_split(size_t blocks, size_t parts)
{
    size_t part = poplibs_ceil_div(blocks, parts);
    return part > 1 ? poplibs_ceil_div(blocks, part - 1) : 0;
}
/* Positions of blocks have 16 bits. */
enum { LARGEST_PART = 65535, LARGEST_CELL = 65534 };
static size_t first_split(size_t blocks, size_t constrained)
{
    return constrained ? constrained : poplibs_max(poplibs_ceil_div(blocks, LARGEST_PART), 1);
}

static void search_batch(struct search *search, struct sparse_plan *plan, size_t limit)
{
    size_t batch = search->shape->batch, wanted = search->options->splits[2];
    for (size_t z = wanted ? wanted : 1; z <= poplibs_max(batch, 1); ++z) {
        size_t used = search->shape->groups * plan->x * plan->y * z;
        if (used > limit && !(z == 1 && used <= search->tiles))
            break;
        if (poplibs_max(batch, 1) % z == 0) {
            plan->z = z;
            consider(search, plan);
        }
        if (wanted)
            break;
    }
}

static void search_splits(struct search *search)
{
    const struct sparse_shape *shape = search->shape;
    const unsigned *wanted = search->options->splits;
    size_t rows = poplibs_max(shape->rows / shape->block_rows, 1),
           columns = poplibs_max(shape->columns / shape->block_columns, 1);
    size_t x_first = first_split(rows, wanted[0]), y_first = first_split(columns, wanted[1]);
    /* More cells than tiles only where 16 bits demand it, or groups do. */
    size_t limit = poplibs_max(search->tiles, poplibs_max(shape->groups, 1) * x_first * y_first);
    for (size_t x = x_first; x && x <= rows; x = wanted[0] ? 0 : next_split(rows, x))
        for (size_t y = y_first; y && y <= columns; y = wanted[1] ? 0 : next_split(columns, y)) {
            size_t cells = shape->groups * x * y;
            if (cells > limit || cells > LARGEST_CELL)
                break;
            struct sparse_plan plan = { .x = x,
                                        .y = y,
                                        .cell_rows = poplibs_ceil_div(rows, x) * shape->block_rows,
                                        .cell_columns = poplibs_ceil_div(columns, y) * shape->block_columns };
            /* Every part has something. */
            if (poplibs_ceil_div(rows, poplibs_ceil_div(rows, x)) == x &&
                poplibs_ceil_div(columns, poplibs_ceil_div(columns, y)) == y)
                search_batch(search, &plan, limit);
        }
}

bool sparse_plan_find(const struct call *call, const pop_target *target, const struct sparse_shape *shape,
                      const struct sparse_options *options, popsparse_planning_cache *cache, struct sparse_plan *plan)
{
    struct sparse_plan_key key = { *target,
                                   *shape,
                                   options->proportion,
                                   options->oversize,
                                   options->grad_a,
                                   options->grad_w,
                                   options->sums,
                                   { options->splits[0], options->splits[1], options->splits[2] } };
    if (sparse_plan_cache_find(cache, &key, plan))
        return true;
    struct search search = { .target = target, .shape = shape, .options = options };
    search.tiles = pop_target_num_tiles(target);
    search.limit = options->proportion * target->bytes_per_tile;
    search_splits(&search);
    if (!search.found)
        return call_fail(
            call, POP_INVALID_OPTION,
            "no plan splits %zu x %zu over %zu tiles for a batch of %zu with these constraints: parts have "
            "the same size, but for a last one of rows or columns, and each has something",
            shape->rows, shape->columns, search.tiles, shape->batch);
    *plan = search.best;
    sparse_plan_cache_insert(cache, &key, plan);
    return true;
}
