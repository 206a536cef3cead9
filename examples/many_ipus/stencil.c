/* SPDX-License-Identifier: Apache-2.0 */
/* A 2-D stencil over several IPUs: each tile has a block of rows and each step takes one row from its neighbours above
 * and below.  Most neighbours are tiles of the same IPU; at the ends of an IPU they are on the next one, and their rows
 * use the links.  The grid is divided in the same way on one IPU and on four, with equal bits in the results. */
#include <poplar/poplar.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, TILES = 32, STEPS = 20 }; /* steps of each of the two buffers */

static float *reference(unsigned rows)
{
    float *grid[2] = { calloc((size_t)rows * WIDTH, sizeof(float)), calloc((size_t)rows * WIDTH, sizeof(float)) };
    for (unsigned x = 0; x < WIDTH; ++x)
        grid[0][x] = grid[1][x] = grid[0][(size_t)(rows - 1) * WIDTH + x] = grid[1][(size_t)(rows - 1) * WIDTH + x] = 1;
    for (unsigned step = 0; step < 2 * STEPS; ++step) {
        const float *from = grid[step % 2];
        float *to = grid[1 - step % 2];
        for (unsigned y = 1; y + 1 < rows; ++y)
            for (unsigned x = 1; x + 1 < WIDTH; ++x)
                to[y * WIDTH + x] = 0.25f * (from[(y - 1) * WIDTH + x] + from[(y + 1) * WIDTH + x] +
                                             from[y * WIDTH + x - 1] + from[y * WIDTH + x + 1]);
    }
    free(grid[1]);
    return grid[0];
}

/* One step from a buffer to the other: a vertex on each tile, for its rows except the outermost ones of the grid. */
static pop_program add_step(pop_graph *graph, pop_tensor from, pop_tensor to, unsigned rows, unsigned tiles)
{
    pop_compute_set set = pop_graph_add_compute_set(graph, "step");
    for (unsigned tile = 0; tile < tiles; ++tile) {
        unsigned begin = rows * tile / tiles, end = rows * (tile + 1) / tiles;
        begin = begin ? begin : 1;
        end = end == rows ? rows - 1 : end;
        pop_vertex vertex = pop_graph_add_vertex(graph, set, "HeatStep");
        pop_graph_connect(graph, vertex, "rows", pop_tensor_slice(from, begin - 1, end + 1, 0));
        pop_graph_connect(graph, vertex, "next", pop_tensor_slice(to, begin, end, 0));
        pop_graph_map_vertex(graph, vertex, tile);
        /* Four loads, four sums, a product and a store for a point, one in six cycles of the tile. */
        pop_graph_set_perf_estimate(graph, vertex, 20 + (uint64_t)(end - begin) * (8 + 10 * WIDTH), 0);
    }
    return pop_execute(set, "step");
}

/* Runs the stencil on this number of IPUs with the grid's rows; returns the cycles, or 0 on failure. */
static uint64_t run(unsigned ipus, unsigned rows, float *result, pop_error *error)
{
    pop_device *device = pop_ipu_model_create_device(
        &(pop_ipu_model){ .version = "ipu2", .num_ipus = ipus, .tiles_per_ipu = TILES }, error);
    if (!device)
        return 0;
    unsigned tiles = ipus * TILES;
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_graph_add_codelets(graph, "stencil_codelet.c");
    pop_tensor grid[2];
    for (int i = 0; i < 2; ++i) {
        grid[i] = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(rows, WIDTH), "grid");
        for (unsigned tile = 0; tile < tiles; ++tile)
            pop_graph_set_tile_mapping(
                graph, pop_tensor_slice(grid[i], rows * tile / tiles, rows * (tile + 1) / tiles, 0), tile);
        const float zero = 0, one = 1;
        pop_graph_set_initial_fill(graph, grid[i], POP_FLOAT, &zero);
        pop_graph_set_initial_fill(graph, pop_tensor_at(grid[i], 0), POP_FLOAT, &one);
        pop_graph_set_initial_fill(graph, pop_tensor_at(grid[i], rows - 1), POP_FLOAT, &one);
    }
    pop_graph_create_host_read(graph, "grid", grid[0]);
    pop_program both = pop_sequence(graph, "both");
    pop_sequence_add(both, add_step(graph, grid[0], grid[1], rows, tiles));
    pop_sequence_add(both, add_step(graph, grid[1], grid[0], rows, tiles));
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(pop_repeat(STEPS, both, "steps")), POP_NO_OPTIONS, error);
    pop_cycles cycles = { 0 };
    bool good = engine && pop_engine_load_and_run(engine, device, 0, error) == POP_OK &&
                pop_engine_read_tensor(engine, "grid", result, (size_t)rows * WIDTH * sizeof(float), error) == POP_OK &&
                pop_engine_cycles(engine, &cycles, error) == POP_OK;
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return good ? cycles.total : 0;
}

int main(void)
{
    pop_error error = { 0 };
    static const struct {
        unsigned ipus, rows;
    } cases[] = { { 1, 256 }, { 4, 256 }, { 4, 1024 } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        size_t bytes = (size_t)cases[i].rows * WIDTH * sizeof(float);
        float *got = malloc(bytes), *expected = reference(cases[i].rows);
        uint64_t cycles = run(cases[i].ipus, cases[i].rows, got, &error);
        bool same = cycles && memcmp(got, expected, bytes) == 0;
        if (cycles)
            printf("%u IPU%s, %4u rows: %llu cycles, %s\n", cases[i].ipus, cases[i].ipus > 1 ? "s" : "", cases[i].rows,
                   (unsigned long long)cycles, same ? "the same to the bit" : "other values than expected");
        free(got);
        free(expected);
        if (!same) {
            if (error.status != POP_OK)
                pop_error_print(&error);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
