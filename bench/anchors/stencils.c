/* SPDX-License-Identifier: Apache-2.0 */
/* The published halo exchange of a lattice-Boltzmann code as a program, and the sync measured with it. */
#include "anchors.h"

/* ---- 100 x 100 floats on each tile of an ipu1, two compute sets of estimate 100, ten times ---- */

/* The arrangement of tiles was not published.  In two rows each has three neighbours, and a halo of the published 302
 * words: a column of 100 on each side, and a row with two corners.  Nor were the vertex's connections: corners are a
 * separate field because that is nearest to the published total (22,115 cycles); as part of the row it is 24,095. */

enum { BLOCK = 100, ACROSS = 608, DOWN = 2, ITERATIONS = 10 };

static void must_build(pop_graph *graph)
{
    pop_error error = { 0 };
    anchor_must(pop_graph_take_error(graph, &error), &error);
}

/* The cells of a block and a border of this width, as far as they exist. */
static pop_tensor part(pop_tensor cells, int y, int x, int height, int width)
{
    int bottom = y + height < DOWN * BLOCK ? y + height : DOWN * BLOCK,
        right = x + width < ACROSS * BLOCK ? x + width : ACROSS * BLOCK;
    y = y > 0 ? y : 0;
    x = x > 0 ? x : 0;
    return pop_tensor_slice(pop_tensor_slice(cells, (size_t)y, (size_t)(bottom > y ? bottom : y), 0), (size_t)x,
                            (size_t)(right > x ? right : x), 1);
}

/* A vertex on each tile reads its block's halo and writes the block: the compiler plans the halo exchange. */
static pop_program add_step(pop_graph *graph, pop_tensor from, pop_tensor to)
{
    pop_compute_set set = pop_graph_add_compute_set(graph, "step");
    for (int tile = 0; tile < ACROSS * DOWN; ++tile) {
        int y = tile / ACROSS * BLOCK, x = tile % ACROSS * BLOCK;
        bool up = y > 0, low = y < (DOWN - 1) * BLOCK;
        pop_tensor none = pop_tensor_slice(pop_tensor_flatten(from), 0, 0, 0);
        pop_tensor sides[] = { up ? pop_tensor_flatten(part(from, y - 1, x, 1, BLOCK)) : none,
                               low ? pop_tensor_flatten(part(from, y + BLOCK, x, 1, BLOCK)) : none,
                               x ? pop_tensor_flatten(part(from, y, x - 1, BLOCK, 1)) : none,
                               x < (ACROSS - 1) * BLOCK ? pop_tensor_flatten(part(from, y, x + BLOCK, BLOCK, 1))
                                                        : none };
        int over = up ? y - 1 : y + BLOCK; /* the row with both corners */
        pop_tensor corners = pop_tensor_concat(
            POP_TENSORS(x ? pop_tensor_flatten(part(from, over, x - 1, 1, 1)) : none,
                        x < (ACROSS - 1) * BLOCK ? pop_tensor_flatten(part(from, over, x + BLOCK, 1, 1)) : none),
            0);
        pop_vertex vertex = pop_graph_add_vertex(graph, set, "HaloVertex");
        pop_graph_connect(graph, vertex, "above", sides[0]);
        pop_graph_connect(graph, vertex, "below", sides[1]);
        pop_graph_connect(graph, vertex, "left", sides[2]);
        pop_graph_connect(graph, vertex, "right", sides[3]);
        pop_graph_connect(graph, vertex, "corners", corners);
        pop_graph_connect(graph, vertex, "cells", part(to, y, x, BLOCK, BLOCK));
        pop_graph_map_vertex(graph, vertex, (unsigned)tile);
        pop_graph_set_perf_estimate(graph, vertex, 100, 0);
    }
    return pop_execute(set, "step");
}

static void halo_program(void)
{
    pop_error error = { 0 };
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu1" }, &error);
    anchor_must(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_graph_add_codelets(graph, ANCHOR_CODELETS);
    pop_tensor cells[2];
    for (int i = 0; i < 2; ++i) {
        cells[i] = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(DOWN * BLOCK, ACROSS * BLOCK), "cells");
        for (int tile = 0; tile < ACROSS * DOWN; ++tile)
            pop_graph_set_tile_mapping(
                graph, part(cells[i], tile / ACROSS * BLOCK, tile % ACROSS * BLOCK, BLOCK, BLOCK), (unsigned)tile);
    }
    pop_program both = pop_sequence_of(
        graph, POP_PROGRAMS(add_step(graph, cells[0], cells[1]), add_step(graph, cells[1], cells[0])), NULL);
    must_build(graph);
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(pop_repeat(ITERATIONS, both, NULL)), POP_NO_OPTIONS, &error);
    anchor_must(error.status, &error);
    anchor_must(pop_engine_load(engine, device, &error), &error);
    anchor_must(pop_engine_run(engine, 0, &error), &error);
    pop_cycles cycles;
    anchor_must(pop_engine_cycles(engine, &cycles, &error), &error);
    anchor_part("Lattice-Boltzmann halo, 100 x 100 cells a tile, 20 steps, Mk1", ANCHOR_PUBLISHED);
    anchor(
        "total", 21010, (double)cycles.total, 10,
        "our schedule of a step's exchange ends after 388 cycles, the published one after 332: words of corners come "
        "between the columns of three neighbours, and leave gaps that are too short for the next");
    anchor("compute", 12000, (double)cycles.compute, 0, NULL);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

/* ---- syncs ---- */

static void syncs(void)
{
    pop_error error = { 0 };
    pop_target sixteen;
    anchor_must(pop_target_create_ipu(16, "ipu1", &sixteen, &error), &error);
    anchor_part("A sync of 16 IPUs, measured on hardware", ANCHOR_PUBLISHED);
    anchor("cycles", 642, (double)pop_target_sync_cycles(&sixteen, 16), 10,
           "501 to 642 were measured; ours is an early default for one hop, and 15 ns each way for each further one");
}

void anchors_stencils(void)
{
    halo_program();
    syncs();
}
