/* SPDX-License-Identifier: Apache-2.0 */
/* Modelled time: the cost that recording adds to a step, and the timeline of a long run. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

static pop_engine *engine_of(const pop_device *device, pop_graph *graph, pop_program program)
{
    pop_error error = { 0 };
    bench_must_build(graph);
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(program), POP_OPTIONS({ "target.hostThreads", "1" }), &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    return engine;
}

static double time_run(pop_engine *engine)
{
    pop_error error = { 0 };
    double start = bench_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    return bench_seconds() - start;
}

/* The smallest loop: one vertex, repeated. */
static void recording(const pop_device *device)
{
    enum { STEPS = 1000000, TIMES = 9 };
    struct bench_set s = bench_build(device, "BenchAdd", 1, 1);
    pop_engine *engine = engine_of(device, s.graph, pop_repeat(STEPS, pop_execute(s.set, NULL), NULL));
    double with[TIMES], without[TIMES];
    for (int i = 0; i < TIMES; ++i) { /* alternately, so that other load affects both */
        pop_engine_enable_execution_profiling(engine);
        with[i] = time_run(engine);
        pop_engine_disable_execution_profiling(engine);
        without[i] = time_run(engine);
    }
    double record = bench_min(with, TIMES), plain = bench_min(without, TIMES);
    bench_report("a step that is not recorded", plain / STEPS * 1e9, "ns", 0);
    bench_report("recording it adds", (record - plain) / STEPS * 1e9, "ns", 3);
    pop_engine_destroy(engine);
    pop_graph_destroy(s.graph);
}

/* 100,000 steps in an order that does not repeat: a few compute sets and copies on all tiles. */
static void timeline(const pop_device *device)
{
    enum { STEPS = 100000, SETS = 16, TIMES = 5 };
    struct bench_set s = bench_build(device, "BenchAdd", 1472, 1);
    pop_program bodies[2 * SETS], main = pop_sequence(s.graph, "steps");
    for (unsigned i = 0; i < SETS; ++i) {
        pop_compute_set set = pop_graph_add_compute_set(s.graph, NULL);
        for (unsigned tile = 0; tile < 1472; ++tile) {
            pop_vertex v = pop_graph_add_vertex(s.graph, set, "BenchAdd");
            pop_graph_connect(s.graph, v, "a", pop_tensor_at(s.a, tile));
            pop_graph_connect(s.graph, v, "b", pop_tensor_at(s.b, tile));
            pop_graph_connect(s.graph, v, "out", pop_tensor_at(s.out, tile));
            pop_graph_map_vertex(s.graph, v, tile);
            pop_graph_set_perf_estimate(s.graph, v, 20 + (tile * 7 + i * 13) % 97, 1);
        }
        bodies[i] = pop_execute(set, NULL);
        bodies[SETS + i] =
            pop_copy(pop_tensor_slice(s.out, 0, 1472 - 1 - i, 0), pop_tensor_slice(s.a, 1 + i, 1472, 0), false, NULL);
    }
    uint32_t random = 1;
    for (int i = 0; i < STEPS; ++i) {
        random = random * 1664525 + 1013904223;
        pop_sequence_add(main, bodies[i % 2 * SETS + (random >> 16) % SETS]);
    }
    pop_engine *engine = engine_of(device, s.graph, main);
    time_run(engine);
    double seconds[TIMES];
    pop_cycles cycles;
    for (int i = 0; i < TIMES; ++i) {
        pop_error error = { 0 };
        double start = bench_seconds();
        bench_must(pop_engine_cycles(engine, &cycles, &error), &error);
        seconds[i] = bench_seconds() - start;
    }
    bench_report("steps of the timeline", (double)cycles.steps, "steps", 0);
    bench_report("its cycles, tile by tile (1,472)", bench_min(seconds, TIMES), "s", 0.3);
    pop_engine_destroy(engine);
    pop_graph_destroy(s.graph);
}

void row_time(void)
{
    pop_device *device = bench_device();
    recording(device);
    timeline(device);
    pop_device_destroy(device);
}
