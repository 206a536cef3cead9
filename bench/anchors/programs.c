/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of programs, built and run through the public interface. */
#include "anchors.h"

#include <stdio.h>
#include <stdlib.h>

static pop_device *device_of(const char *version, bool delays)
{
    unsigned none = 0;
    pop_error error = { 0 };
    pop_ipu_model model = { .version = version };
    if (!delays) {
        model.min_ipu_sync_delay = &none;
        model.relative_sync_delay = POP_SYNC_DELAY_NONE;
    }
    pop_device *device = pop_ipu_model_create_device(&model, &error);
    anchor_must(error.status, &error);
    return device;
}

static void must_build(pop_graph *graph)
{
    pop_error error = { 0 };
    anchor_must(pop_graph_take_error(graph, &error), &error);
}

/* ---- tutorial 7 (anchors/README.md) ---- */

enum { ROWS = 10000, COLUMNS = 1000 };
struct tutorial {
    pop_graph *graph;
    pop_tensor matrix, in, out, partials;
    size_t tiles, split;
};

static void map_tutorial(struct tutorial *t)
{
    for (size_t i = 0; i < COLUMNS; ++i)
        pop_graph_set_tile_mapping(t->graph, pop_tensor_at(t->in, i), (unsigned)(i * t->tiles / COLUMNS));
    for (size_t row = 0; row < ROWS; ++row)
        pop_graph_set_tile_mapping(t->graph, pop_tensor_at(t->out, row), (unsigned)(row * t->tiles / ROWS));
}

static pop_compute_set dot_products(struct tutorial *t)
{
    pop_compute_set set = pop_graph_add_compute_set(t->graph, "mulCS");
    for (size_t i = 0; i < t->split; ++i) {
        size_t begin = i * COLUMNS / t->split, end = (i + 1) * COLUMNS / t->split;
        pop_tensor segment = pop_tensor_slice(t->in, begin, end, 0);
        for (size_t row = 0; row < ROWS; ++row) {
            pop_tensor piece = pop_tensor_slice(pop_tensor_at(t->matrix, row), begin, end, 0);
            pop_tensor partial = pop_tensor_index(t->partials, POP_SHAPE(row, i));
            unsigned tile = (unsigned)((i * ROWS + row) * t->tiles / (t->split * ROWS));
            pop_vertex vertex =
                pop_graph_add_vertex_connected(t->graph, set, "DotProductVertex",
                                               POP_CONNECTIONS({ "a", piece }, { "b", segment }, { "out", partial }));
            pop_graph_map_vertex(t->graph, vertex, tile);
            pop_graph_set_tile_mapping(t->graph, piece, tile);
            pop_graph_set_tile_mapping(t->graph, partial, tile);
            pop_graph_set_perf_estimate(t->graph, vertex, 5 + (end - begin + 1) / 2, 0);
        }
    }
    return set;
}

static pop_compute_set reductions(struct tutorial *t)
{
    pop_compute_set set = pop_graph_add_compute_set(t->graph, "reduceCS");
    for (size_t row = 0; row < ROWS; ++row) {
        pop_vertex vertex = pop_graph_add_vertex_connected(
            t->graph, set, "ReduceVertex",
            POP_CONNECTIONS({ "in", pop_tensor_at(t->partials, row) }, { "out", pop_tensor_at(t->out, row) }));
        pop_graph_map_vertex(t->graph, vertex, (unsigned)(row * t->tiles / ROWS));
        pop_graph_set_perf_estimate(t->graph, vertex, 5 + (t->split + 1) / 2, 0);
    }
    return set;
}

static struct tutorial make_tutorial(pop_device *device, size_t split)
{
    struct tutorial t = { .graph = pop_graph_create(pop_device_target(device)),
                          .tiles = pop_target_num_tiles(pop_device_target(device)),
                          .split = split };
    pop_graph_add_codelets(t.graph, TUTORIAL_CODELETS);
    t.matrix = pop_graph_add_variable(t.graph, POP_FLOAT, POP_SHAPE(ROWS, COLUMNS), "matrix");
    t.in = pop_graph_add_variable(t.graph, POP_FLOAT, POP_SHAPE(COLUMNS), "inputVector");
    t.out = pop_graph_add_variable(t.graph, POP_FLOAT, POP_SHAPE(ROWS), "outputVector");
    t.partials = pop_graph_add_variable(t.graph, POP_FLOAT, POP_SHAPE(ROWS, split), "partials");
    map_tutorial(&t);
    must_build(t.graph);
    return t;
}

static pop_engine *run(struct tutorial *t, pop_device *device, pop_programs programs, bool streams)
{
    pop_error error = { 0 };
    must_build(t->graph);
    pop_engine *engine = pop_engine_create(t->graph, programs, POP_NO_OPTIONS, &error);
    anchor_must(error.status, &error);
    anchor_must(pop_engine_load(engine, device, &error), &error);
    float *buffer = calloc(ROWS * COLUMNS, sizeof(float));
    if (!buffer)
        exit(2);
    if (streams) {
        anchor_must(pop_engine_connect_stream(engine, "matrix", buffer, &error), &error);
        anchor_must(pop_engine_connect_stream(engine, "vector", buffer, &error), &error);
        anchor_must(pop_engine_connect_stream(engine, "result", buffer, &error), &error);
    }
    for (size_t i = 0; i < programs.count; ++i)
        anchor_must(pop_engine_run(engine, (unsigned)i, &error), &error);
    free(buffer);
    return engine;
}

static void older_program(void)
{
    pop_device *device = device_of("ipu1", false);
    struct tutorial t = make_tutorial(device, 5);
    pop_compute_set first = dot_products(&t), second = reductions(&t);
    pop_program program =
        pop_sequence_of(t.graph, POP_PROGRAMS(pop_execute(first, NULL), pop_execute(second, NULL)), NULL);
    pop_engine *engine = run(&t, device, POP_PROGRAMS(program), false);
    pop_error error = { 0 };
    pop_cycles cycles;
    anchor_must(pop_engine_cycles(engine, &cycles, &error), &error);
    anchor_part("Tutorial 7, the older program, Mk1", ANCHOR_PUBLISHED);
    anchor("compute and exchange", 5071, (double)(cycles.compute + cycles.exchange), 6,
           "positions of exchanged words are charged by an inferred rule");
    pop_engine_destroy(engine);
    pop_graph_destroy(t.graph);
    pop_device_destroy(device);
}

struct listing {
    const char *version;
    size_t split;
    double total, compute, active, exchange, host, sync; /* averages over tiles, but for the total */
};

static double per_tile(const pop_profile_value *profile, const char *what, double tiles)
{
    char path[80];
    snprintf(path, sizeof(path), "simulation.tileCycles.%s", what);
    const pop_profile_value *value = pop_profile_path(profile, path);
    return value ? (double)pop_profile_as_uint(value) / tiles : 0;
}

static void later_program(const struct listing *listing)
{
    pop_device *device = device_of(listing->version, false);
    struct tutorial t = make_tutorial(device, listing->split);
    pop_compute_set first = dot_products(&t), second = reductions(&t);
    pop_stream matrix = pop_graph_add_host_to_device_fifo(t.graph, "matrix", POP_FLOAT, ROWS * COLUMNS,
                                                          POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream vector =
        pop_graph_add_host_to_device_fifo(t.graph, "vector", POP_FLOAT, COLUMNS, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream result = pop_graph_add_device_to_host_fifo(t.graph, "result", POP_FLOAT, ROWS, POP_NO_OPTIONS);
    pop_program in = pop_sequence_of(t.graph,
                                     POP_PROGRAMS(pop_copy_from_stream(vector, t.in, false, NULL),
                                                  pop_copy_from_stream(matrix, t.matrix, false, NULL)),
                                     NULL);
    pop_program multiply =
        pop_sequence_of(t.graph, POP_PROGRAMS(pop_execute(first, NULL), pop_execute(second, NULL)), NULL);
    pop_engine *engine =
        run(&t, device, POP_PROGRAMS(in, multiply, pop_copy_to_stream(t.out, result, false, NULL)), true);
    pop_profile_value profile;
    pop_error error = { 0 };
    char title[80];
    anchor_must(pop_engine_execution_profile(engine, &profile, &error), &error);
    double tiles = (double)t.tiles,
           total = (double)pop_profile_as_uint(pop_profile_path(&profile, "simulation.cycles"));
    snprintf(title, sizeof(title), "Tutorials 6 and 7, the later program, %s, split %zu (averages per tile)",
             listing->version, listing->split);
    anchor_part(title, ANCHOR_PUBLISHED);
    anchor("total cycles", listing->total, total, 2, "host exchange, by the bytes and packets that are inferred");
    anchor("compute, idle threads included", listing->compute, per_tile(&profile, "compute", tiles), 5,
           "copies within tiles");
    anchor("compute, idle threads excluded", listing->active, per_tile(&profile, "activeCompute", tiles), 5,
           "copies within tiles");
    anchor("exchange", listing->exchange, per_tile(&profile, "doExchange", tiles), 5,
           "positions and order of messages are inferred");
    anchor("host exchange", listing->host, per_tile(&profile, "streamCopy", tiles), 5, "packets are inferred");
    anchor("sync", listing->sync, per_tile(&profile, "sync", tiles), 8,
           "waiting for slower tiles: what the rows above leave");
    pop_profile_free(&profile);
    pop_engine_destroy(engine);
    pop_graph_destroy(t.graph);
    pop_device_destroy(device);
}

void anchors_tutorial(void)
{
    enum { MK1 = 1216 };
    static const struct listing mk1 = {
        "ipu1", 5, 8190756, 5513152.0 / MK1, 5334536.0 / MK1, 963855.0 / MK1, 9952701003.0 / MK1, 781286.0 / MK1
    };
    static const struct listing mk2 = { "ipu2", 7, 6681766, 3801.8, 3717.6, 8697.4, 6663550.8, 1134.8 };
    older_program();
    later_program(&mk1);
    later_program(&mk2);
}

/* ---- compute sets with nothing to exchange ---- */

void anchors_empty_exchange(void)
{
    enum { SETS = 20, ESTIMATE = 100 };
    pop_device *device = device_of("ipu1", true);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    unsigned tiles = pop_target_num_tiles(pop_device_target(device));
    pop_graph_add_codelets(graph, ANCHOR_CODELETS);
    pop_tensor values = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(tiles), "values");
    pop_program program = pop_sequence(graph, NULL);
    for (unsigned tile = 0; tile < tiles; ++tile)
        pop_graph_set_tile_mapping(graph, pop_tensor_at(values, tile), tile);
    for (unsigned s = 0; s < SETS; ++s) {
        pop_compute_set set = pop_graph_add_compute_set(graph, "count");
        for (unsigned tile = 0; tile < tiles; ++tile) {
            pop_vertex vertex = pop_graph_add_vertex_connected(
                graph, set, "CountVertex", POP_CONNECTIONS({ "value", pop_tensor_at(values, tile) }));
            pop_graph_map_vertex(graph, vertex, tile);
            pop_graph_set_perf_estimate(graph, vertex, ESTIMATE, 0);
        }
        pop_sequence_add(program, pop_execute(set, NULL));
    }
    must_build(graph);
    pop_error error = { 0 };
    pop_cycles cycles;
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(program), POP_NO_OPTIONS, &error);
    anchor_must(error.status, &error);
    anchor_must(pop_engine_load(engine, device, &error), &error);
    anchor_must(pop_engine_run(engine, 0, &error), &error);
    anchor_must(pop_engine_cycles(engine, &cycles, &error), &error);
    anchor_part("Compute sets with nothing to exchange, Mk1", ANCHOR_PUBLISHED);
    anchor("20 sets of estimate 100: compute", 12000, (double)cycles.compute, 0, NULL);
    anchor_part("  which leaves nothing for exchange and sync, as the guide's sets have none (inferred)",
                ANCHOR_IMPLIED);
    anchor("20 sets of estimate 100: exchange", 0, (double)cycles.exchange, 0, NULL);
    anchor("  in all", 12000, (double)cycles.total, 0, NULL);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}
