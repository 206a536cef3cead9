/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of 100,000 executed steps on 1,472 tiles, as values and as files. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 100000, TILES = 1472 };

/* Compute sets and copies on all tiles, in an order that does not repeat. */
static pop_program steps(struct bench_set *s)
{
    enum { SETS = 16 };
    pop_program bodies[2 * SETS], main = pop_sequence(s->graph, "steps");
    for (unsigned i = 0; i < SETS; ++i) {
        pop_compute_set set = pop_graph_add_compute_set(s->graph, "layer/add");
        for (unsigned tile = 0; tile < TILES; ++tile) {
            pop_vertex v = pop_graph_add_vertex_connected(s->graph, set, "BenchAdd",
                                                          POP_CONNECTIONS({ "a", pop_tensor_at(s->a, tile) },
                                                                          { "b", pop_tensor_at(s->b, tile) },
                                                                          { "out", pop_tensor_at(s->out, tile) }));
            pop_graph_map_vertex(s->graph, v, tile);
            pop_graph_set_perf_estimate(s->graph, v, 20 + (tile * 7 + i * 13) % 97, 1);
        }
        bodies[i] = pop_execute(set, "layer/add");
        bodies[SETS + i] = pop_copy(pop_tensor_slice(s->out, 0, TILES - 1 - i, 0),
                                    pop_tensor_slice(s->a, 1 + i, TILES, 0), false, "layer/move");
    }
    uint32_t random = 1;
    for (int i = 0; i < STEPS; ++i) {
        random = random * 1664525 + 1013904223;
        pop_sequence_add(main, bodies[i % 2 * SETS + (random >> 16) % SETS]);
    }
    return main;
}

static void write_profiles(const pop_profile_value *graph, const pop_profile_value *execution)
{
    pop_error error = { 0 };
    FILE *file = fopen("/dev/null", "w");
    double start = bench_seconds();
    bool good = pop_profile_write_json(file, graph, false) && pop_profile_write_json(file, execution, false);
    bench_report("both as JSON", bench_seconds() - start, "s", 0);
    start = bench_seconds();
    good = good && pop_profile_write_cbor(file, graph) && pop_profile_write_cbor(file, execution);
    bench_report("both as CBOR", bench_seconds() - start, "s", 0);
    start = bench_seconds();
    bench_must(pop_print_profile_summary(file, graph, execution,
                                         POP_OPTIONS({ "showVarStorage", "true" }, { "showExecutionSteps", "true" }),
                                         &error),
               &error);
    bench_report("the summary with all steps", bench_seconds() - start, "s", 0);
    fclose(file);
    if (!good)
        exit(1);
}

/* Seconds of compiling, loading and running without a model or a record. */
static double without_model(const struct bench_set *s, pop_program main, pop_device *device)
{
    pop_error error = { 0 };
    double start = bench_seconds();
    pop_engine *engine = pop_engine_create(
        s->graph, POP_PROGRAMS(main), POP_OPTIONS({ "target.hostThreads", "1" }, { "debug.model", "false" }), &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load_and_run(engine, device, 0, &error), &error);
    double end = bench_seconds();
    pop_engine_destroy(engine);
    return end - start;
}

void row_profile(void)
{
    pop_error error = { 0 };
    pop_device *device = bench_device();
    struct bench_set s = bench_build(device, "BenchAdd", TILES, 1);
    pop_program main = steps(&s);
    bench_must_build(s.graph);
    double began = bench_seconds();
    pop_engine *engine =
        pop_engine_create(s.graph, POP_PROGRAMS(main), POP_OPTIONS({ "target.hostThreads", "1" }), &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load_and_run(engine, device, 0, &error), &error);
    pop_profile_value graph, execution;
    double before = bench_resident(), start = bench_seconds();
    bench_report("compile, load and run 100,000 steps on 1,472 tiles", start - began, "s", 0);
    bench_report("times the same without a model", (start - began) / without_model(&s, main, device), "x", 2);
    start = bench_seconds();
    bench_must(pop_engine_graph_profile(engine, &graph, &error), &error);
    bench_must(pop_engine_execution_profile(engine, &execution, &error), &error);
    double end = bench_seconds();
    bench_report("their profiles", end - start, "s", 1);
    bench_report("their memory", (bench_resident() - before) / 1e6, "MB", 1000);
    write_profiles(&graph, &execution);
    pop_profile_free(&graph);
    pop_profile_free(&execution);
    pop_engine_destroy(engine);
    pop_graph_destroy(s.graph);
    pop_device_destroy(device);
}
