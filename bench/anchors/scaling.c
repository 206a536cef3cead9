/* SPDX-License-Identifier: Apache-2.0 */
/* Stencils that were measured on hardware with 1 to 16 IPUs, as programs.  The division of grids was not published:
 * here each tile has a block of lines, which read the lines that they need from the blocks around them.  For most only
 * the times are known, not the vertex: then the cost of a point is derived from the time of one IPU, and the rows show
 * the effect of the division, the exchanges and the syncs of more IPUs. */
#include "anchors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows of lines of points.  A vertex reads lines at a distance of up to radius rows and lines. */
struct grid {
    const char *version;
    unsigned ipus, radius;
    size_t rows, lines, points;
};
/* The work of a tile in a step: six vertices of HeatLines, or one of StarLines with a number of cycles per point;
 * before and after it, on several IPUs, copies that take cycles. */
struct work {
    bool heat;
    double point, before, after;
};

enum {
    WORKERS = 6,
    PAIRS = 2,             /* of steps in a run: one from each buffer to the other */
    HEAT_INSTRUCTIONS = 15 /* of a point, in straightforward code: seven loads, seven operations, a store */
};

struct stencil {
    const struct grid *grid;
    const struct work *work;
    pop_device *device;
    pop_graph *graph;
    size_t down, across; /* blocks */
    size_t largest;      /* points of a block */
    pop_tensor *blocks[2], *copied;
};

static size_t part_of(size_t all, size_t parts, size_t part)
{
    return all * part / parts;
}

static size_t ceil_div(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* The smallest blocks of which there are no more than tiles, and of these the ones with the shortest border. */
static void divide(struct stencil *s, unsigned tiles)
{
    size_t best = SIZE_MAX, border = SIZE_MAX;
    for (size_t down = 1; down <= tiles && down * s->grid->radius <= s->grid->rows; ++down) {
        size_t across = tiles / down, max = s->grid->lines / s->grid->radius;
        across = across < max ? across : max;
        size_t high = ceil_div(s->grid->rows, down), wide = ceil_div(s->grid->lines, across);
        if (high * wide < best || (high * wide == best && high + wide < border)) {
            best = high * wide;
            border = high + wide;
            s->down = down;
            s->across = across;
        }
    }
    s->largest = best * s->grid->points;
}

static void must_build(pop_graph *graph)
{
    pop_error error = { 0 };
    anchor_must(pop_graph_take_error(graph, &error), &error);
}

static void open_stencil(struct stencil *s)
{
    pop_error error = { 0 };
    const struct grid *grid = s->grid;
    s->device =
        pop_ipu_model_create_device(&(pop_ipu_model){ .version = grid->version, .num_ipus = grid->ipus }, &error);
    anchor_must(error.status, &error);
    const pop_target *target = pop_device_target(s->device);
    s->graph = pop_graph_create(target);
    pop_graph_add_codelets(s->graph, STENCIL_CODELETS);
    divide(s, pop_target_num_tiles(target));
    for (int i = 0; i < 2; ++i)
        s->blocks[i] = calloc(s->down * s->across, sizeof(pop_tensor));
    s->copied = calloc(s->down * s->across, sizeof(pop_tensor));
    for (size_t y = 0; y < s->down; ++y)
        for (size_t x = 0; x < s->across; ++x) {
            size_t at = y * s->across + x, high = part_of(grid->rows, s->down, y + 1) - part_of(grid->rows, s->down, y),
                   wide = part_of(grid->lines, s->across, x + 1) - part_of(grid->lines, s->across, x);
            for (int i = 0; i < 2; ++i) {
                s->blocks[i][at] =
                    pop_graph_add_variable(s->graph, POP_FLOAT, POP_SHAPE(high, wide, grid->points), "b");
                pop_graph_set_tile_mapping(s->graph, s->blocks[i][at], (unsigned)at);
            }
            s->copied[at] = pop_graph_add_variable(s->graph, POP_FLOAT, POP_SHAPE(), "copied");
            pop_graph_set_tile_mapping(s->graph, s->copied[at], (unsigned)at);
        }
}

static void close_stencil(struct stencil *s)
{
    free(s->blocks[0]);
    free(s->blocks[1]);
    free(s->copied);
    pop_graph_destroy(s->graph);
    pop_device_destroy(s->device);
}

/* The rows (dimension 0) or lines (1) of a block that the neighbour after (or before) it needs, of rows begin to end;
 * empty without a neighbour. */
static pop_tensor border(const pop_tensor *blocks, size_t at, bool there, unsigned dimension, bool before,
                         size_t radius)
{
    pop_tensor block = blocks[there ? at : 0];
    size_t size = pop_tensor_dim(block, dimension);
    if (!there)
        return pop_tensor_slice(block, 0, 0, 0);
    return pop_tensor_slice(block, before ? size - radius : 0, before ? size : radius, dimension);
}

struct halo {
    pop_tensor above, below, left, right; /* {rows, lines, points} */
};

static struct halo halo_of(const struct stencil *s, const pop_tensor *blocks, size_t y, size_t x)
{
    size_t at = y * s->across + x, radius = s->grid->radius;
    return (struct halo){ border(blocks, at - s->across, y > 0, 0, true, radius),
                          border(blocks, at + s->across, y + 1 < s->down, 0, false, radius),
                          border(blocks, at - 1, x > 0, 1, true, radius),
                          border(blocks, at + 1, x + 1 < s->across, 1, false, radius) };
}

static pop_vertex add_vertex(const struct stencil *s, pop_compute_set set, const char *type, size_t tile,
                             const struct halo *halo, pop_tensor block, pop_tensor next)
{
    pop_graph *graph = s->graph;
    pop_vertex vertex = pop_graph_add_vertex(graph, set, type);
    pop_graph_connect(graph, vertex, "block", pop_tensor_flatten(block));
    pop_graph_connect(graph, vertex, "above", pop_tensor_flatten(halo->above));
    pop_graph_connect(graph, vertex, "below", pop_tensor_flatten(halo->below));
    pop_graph_connect(graph, vertex, "left", pop_tensor_flatten(halo->left));
    pop_graph_connect(graph, vertex, "right", pop_tensor_flatten(halo->right));
    pop_graph_connect(graph, vertex, "next", next);
    pop_graph_set_field_int(graph, vertex, "width", (int64_t)pop_tensor_dim(block, 1));
    pop_graph_set_field_int(graph, vertex, "length", (int64_t)s->grid->points);
    pop_graph_map_vertex(graph, vertex, (unsigned)tile);
    return vertex;
}

/* Part of a border, by row or line; empty if the border is empty. */
static pop_tensor some(pop_tensor border, size_t begin, size_t end, unsigned dimension)
{
    bool empty = !pop_tensor_num_elements(border) || end < begin;
    return empty ? pop_tensor_slice(border, 0, 0, 0) : pop_tensor_slice(border, begin, end, dimension);
}

/* Six vertices divide a block's lines; each gets the lines of the borders that it needs. */
static void add_heat(const struct stencil *s, pop_compute_set set, size_t tile, const struct halo *halo,
                     pop_tensor block, pop_tensor next)
{
    size_t high = pop_tensor_dim(block, 0), wide = pop_tensor_dim(block, 1), lines = high * wide;
    pop_tensor all = pop_tensor_reshape(next, POP_SHAPE(lines, s->grid->points));
    for (size_t w = 0; w < WORKERS; ++w) {
        size_t begin = part_of(lines, WORKERS, w), end = part_of(lines, WORKERS, w + 1), last = lines - wide;
        size_t first_left = ceil_div(begin, wide), end_left = ceil_div(end, wide); /* rows that begin in that share */
        struct halo own = { some(halo->above, begin, end < wide ? end : wide, 1),
                            some(halo->below, begin > last ? begin - last : 0, end > last ? end - last : 0, 1),
                            some(halo->left, first_left, end_left, 0), some(halo->right, begin / wide, end / wide, 0) };
        pop_vertex vertex = add_vertex(s, set, "HeatLines", tile, &own, block,
                                       pop_tensor_flatten(pop_tensor_slice(all, begin, end, 0)));
        pop_graph_set_field_int(s->graph, vertex, "first", (int64_t)begin);
        pop_graph_set_perf_estimate(s->graph, vertex, (end - begin) * s->grid->points * HEAT_INSTRUCTIONS, 0);
    }
}

static void add_copies(const struct stencil *s, pop_program step, double cycles)
{
    if (cycles <= 0)
        return;
    pop_compute_set set = pop_graph_add_compute_set(s->graph, "rearrange");
    for (size_t at = 0; at < s->down * s->across; ++at) {
        pop_vertex vertex = pop_graph_add_vertex(s->graph, set, "RearrangeVertex");
        pop_graph_connect(s->graph, vertex, "value", s->copied[at]);
        pop_graph_map_vertex(s->graph, vertex, (unsigned)at);
        pop_graph_set_perf_estimate(s->graph, vertex, (uint64_t)(cycles / WORKERS), 0);
    }
    pop_sequence_add(step, pop_execute(set, "rearrange"));
}

static void add_step(const struct stencil *s, pop_program step, const pop_tensor *from, const pop_tensor *to)
{
    pop_compute_set set = pop_graph_add_compute_set(s->graph, "step");
    for (size_t y = 0; y < s->down; ++y)
        for (size_t x = 0; x < s->across; ++x) {
            size_t at = y * s->across + x;
            struct halo halo = halo_of(s, from, y, x);
            if (s->work->heat) {
                add_heat(s, set, at, &halo, from[at], to[at]);
                continue;
            }
            pop_vertex vertex = add_vertex(s, set, "StarLines", at, &halo, from[at], pop_tensor_flatten(to[at]));
            pop_graph_set_field_int(s->graph, vertex, "radius", s->grid->radius);
            pop_graph_set_perf_estimate(
                s->graph, vertex, (uint64_t)((double)pop_tensor_num_elements(from[at]) * s->work->point / WORKERS), 0);
        }
    add_copies(s, step, s->grid->ipus > 1 ? s->work->before : 0);
    pop_sequence_add(step, pop_execute(set, "step"));
    add_copies(s, step, s->grid->ipus > 1 ? s->work->after : 0);
}

/* Cycles of a step; *largest: points of the largest block. */
static double cycles_of(const struct grid *grid, const struct work *work, size_t *largest)
{
    pop_error error = { 0 };
    struct stencil s = { .grid = grid, .work = work };
    open_stencil(&s);
    pop_program both = pop_sequence(s.graph, "both");
    add_step(&s, both, s.blocks[0], s.blocks[1]);
    add_step(&s, both, s.blocks[1], s.blocks[0]);
    must_build(s.graph);
    pop_engine *engine =
        pop_engine_create(s.graph, POP_PROGRAMS(pop_repeat(PAIRS, both, NULL)), POP_NO_OPTIONS, &error);
    anchor_must(error.status, &error);
    anchor_must(pop_engine_load(engine, s.device, &error), &error);
    anchor_must(pop_engine_run(engine, 0, &error), &error);
    pop_cycles cycles;
    anchor_must(pop_engine_cycles(engine, &cycles, &error), &error);
    pop_engine_destroy(engine);
    *largest = s.largest;
    close_stencil(&s);
    return (double)cycles.total / (2 * PAIRS);
}

static double clock_of(const char *version)
{
    pop_error error = { 0 };
    pop_target target;
    anchor_must(pop_target_create_ipu(1, version, &target, &error), &error);
    return target.tile_clock_frequency;
}

/* Cycles of a point such that the time on one IPU is the published one. */
static void calibrate(const struct grid *grid, struct work *work, double microseconds)
{
    size_t largest;
    struct work guess = *work;
    double published = microseconds / 1e6 * clock_of(grid->version);
    guess.point = 10;
    double rest = cycles_of(grid, &guess, &largest) - 10 * (double)largest;
    work->point = (published - rest) / (double)largest;
}

static void row(const char *name, const struct grid *grid, const struct work *work, double microseconds, double percent,
                const char *why)
{
    char figure[96];
    size_t largest;
    double cycles = cycles_of(grid, work, &largest);
    snprintf(figure, sizeof(figure), "%s, %u IPU%s", name, grid->ipus, grid->ipus > 1 ? "s" : "");
    anchor(figure, microseconds, round(cycles / clock_of(grid->version) * 1e8) / 100, percent, why);
}

/* 8,279 and 6,954 cycles of rearrangement were measured in the code of the 2-D grids.  It is inferred from the times of
 * two grids on one IPU and of one grid on 1 to 16 that a step on several IPUs has them, for all block sizes, and that a
 * step on one IPU has no constant part. */
#define COPIES   .before = 8279, .after = 6954
#define OTHERS   "the published times of this code lie up to a tenth on either side of any such division"
#define VECTORS  "ours: time by points alone; what a vertex of vectors has to do for each row of a block is not known"
#define DIVISION "ours: the smallest blocks that there are tiles for, and the planes between IPUs once over the links"

static const struct run {
    const char *name;
    struct grid grid; /* of one IPU */
    struct work work;
    double one; /* microseconds of a step on one IPU */
    struct {
        const char *name; /* of another grid of the same code */
        unsigned ipus;
        size_t rows, lines, points;
        double microseconds, percent;
        const char *why;
    } rows[5];
} runs[] = {
    { "2200 x 1122",
      { "ipu1", 1, 1, 2200, 1122, 1 },
      { COPIES },
      284.2,
      { { NULL, 2, 0, 0, 0, 162.5, 10, NULL },
        { NULL, 4, 0, 0, 0, 83.1, 10, NULL },
        { NULL, 8, 0, 0, 0, 52.3, 15, OTHERS },
        { NULL, 16, 0, 0, 0, 30.3, 10, NULL } } },
    { "Gaussian blur, float, 768 x 1024",
      { "ipu1", 1, 1, 768, 1024, 1 },
      { COPIES },
      116.18,
      { { NULL, 16, 0, 0, 0, 16.48, 10, NULL },
        { "Gaussian blur, float, 499 x 302", 1, 499, 302, 1, 20.52, 15, OTHERS } } },
    { "Gaussian blur, float2, 768 x 1024",
      { "ipu1", 1, 1, 768, 1024, 1 },
      { COPIES },
      58.61,
      { { "Gaussian blur, float2, 499 x 302", 1, 499, 302, 1, 13.97, 25, VECTORS } } },
    { "Gaussian blur, half4, 768 x 1024",
      { "ipu1", 1, 1, 768, 1024, 1 },
      { COPIES },
      37.39,
      { { "Gaussian blur, half4, 499 x 302", 1, 499, 302, 1, 8.99, 25, VECTORS } } },
    { "heat 360^3, optimised vertex",
      { "ipu2", 1, 1, 360, 360, 360 },
      { 0 },
      260,
      { { NULL, 2, 0, 0, 0, 160, 15, DIVISION },
        { "heat 320^3, optimised vertex", 1, 320, 320, 320, 193.1, 10, DIVISION } } },
    { "diffusion 342^3",
      { "ipu2", 1, 2, 342, 342, 342 },
      { 0 },
      1096,
      { { NULL, 2, 0, 0, 0, 605, 10, DIVISION }, { NULL, 4, 0, 0, 0, 370, 15, DIVISION } } },
    { "wave 225^3",
      { "ipu2", 1, 2, 225, 225, 225 },
      { 0 },
      710,
      { { NULL, 2, 0, 0, 0, 380, 10, DIVISION }, { NULL, 4, 0, 0, 0, 270, 30, DIVISION } } },
};

void anchors_scaling(void)
{
    static const struct grid heat = { "ipu2", 1, 1, 360, 360, 360 };
    static const struct work simple = { .heat = true };
    anchor_part("Stencils measured on hardware, as programs: microseconds of a step", ANCHOR_PUBLISHED);
    row("heat 360^3, simple vertex", &heat, &simple, 360, 10,
        "ours: 15 instructions a point, without those of the loop; the largest block has 1.02 of the mean");
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); ++i) {
        struct work work = runs[i].work;
        calibrate(&runs[i].grid, &work, runs[i].one);
        for (size_t k = 0; k < 5 && runs[i].rows[k].ipus; ++k) {
            struct grid grid = runs[i].grid;
            grid.ipus = runs[i].rows[k].ipus;
            if (runs[i].rows[k].name) {
                grid.rows = runs[i].rows[k].rows;
                grid.lines = runs[i].rows[k].lines;
                grid.points = runs[i].rows[k].points;
            }
            row(runs[i].rows[k].name ? runs[i].rows[k].name : runs[i].name, &grid, &work, runs[i].rows[k].microseconds,
                runs[i].rows[k].percent, runs[i].rows[k].why);
        }
    }
}
