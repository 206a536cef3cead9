/* SPDX-License-Identifier: Apache-2.0 */
/* Running: the model against a bare C loop over the same vertices in the same process, and what a step costs beside its vertices. */
#include "bare.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 9 };

static pop_engine *engine_of(const pop_device *device, pop_graph *graph, pop_program program, const char *threads)
{
    pop_error error = { 0 };
    bench_must_build(graph);
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(program), POP_OPTIONS({ "target.hostThreads", threads }), &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    return engine;
}

static double time_engine(pop_engine *engine)
{
    pop_error error = { 0 };
    double start = bench_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    return bench_seconds() - start;
}

/* States of the same vertices over arrays of their own. */
static struct bare_dot *bare_states(size_t vertices, size_t elements, float **memory)
{
    struct bare_dot *states = calloc(vertices, sizeof(*states));
    float *a = aligned_alloc(64, (2 * vertices * elements + vertices) * sizeof(float) / 64 * 64 + 64), *b = a + vertices * elements, *out = b + vertices * elements;
    for (size_t i = 0; i < 2 * vertices * elements + vertices; ++i)
        a[i] = (float)(i % 7);
    for (size_t i = 0; i < vertices; ++i)
        states[i] = (struct bare_dot){ a + i * elements, elements, b + i * elements, elements, out + i };
    *memory = a;
    return states;
}

/* The loop: sweeps executions of the set, so that one measurement is long enough. */
static void compare(const char *what, size_t vertices, size_t elements, unsigned sweeps)
{
    pop_device *device = bench_device();
    struct bench_set s = bench_build(device, "BenchDot", vertices, elements);
    pop_graph_set_initial_fill(s.graph, s.a, POP_FLOAT, &(float){ 1 });
    pop_graph_set_initial_fill(s.graph, s.b, POP_FLOAT, &(float){ 2 });
    pop_program program = pop_repeat(sweeps, pop_execute(s.set, NULL), NULL);
    pop_engine *one = engine_of(device, s.graph, program, "1"), *all = engine_of(device, s.graph, program, "0");
    float *memory;
    struct bare_dot *states = bare_states(vertices, elements, &memory);
    bare_compute compute = bare_dot_compute();
    double single[REPEATS], threaded[REPEATS], bare[REPEATS];
    time_engine(one);
    time_engine(all);
    bare_run(compute, states, vertices);
    for (int i = 0; i < REPEATS; ++i) { /* in turns, so that a slow moment of the machine hits all three */
        double start = bench_seconds();
        for (unsigned sweep = 0; sweep < sweeps; ++sweep)
            bare_run(compute, states, vertices);
        bare[i] = bench_seconds() - start;
        single[i] = time_engine(one);
        threaded[i] = time_engine(all);
    }
    char text[96];
    double loop = bench_median(bare, REPEATS), calls = (double)vertices * sweeps;
    snprintf(text, sizeof(text), "%s, bare C loop", what);
    bench_report(text, loop / calls * 1e9, "ns/vertex", 0);
    snprintf(text, sizeof(text), "%s, one thread", what);
    bench_report(text, bench_median(single, REPEATS) / loop, "x bare", 1.1);
    snprintf(text, sizeof(text), "%s, all threads", what);
    bench_report(text, bench_median(threaded, REPEATS) / loop, "x bare", 1.1);
    free(states);
    free(memory);
    pop_engine_destroy(one);
    pop_engine_destroy(all);
    pop_graph_destroy(s.graph);
    pop_device_destroy(device);
}

void row_run(void)
{
    compare("50,000 dot products of 200", 50000, 200, 4);
    compare("1,472 dot products of 200", 1472, 200, 100); /* in cache, and small enough that a step's start shows */
    compare("a million dot products of 4", 1000000, 4, 4);
}

/* Seconds of one step whose set has one vertex. */
static double step_seconds(const pop_device *device, const char *threads)
{
    enum { STEPS = 1000000 };
    struct bench_set s = bench_build(device, "BenchDot", 1, 4);
    pop_engine *engine = engine_of(device, s.graph, pop_repeat(STEPS, pop_execute(s.set, NULL), NULL), threads);
    double seconds[REPEATS];
    for (int i = 0; i < REPEATS; ++i)
        seconds[i] = time_engine(engine) / STEPS;
    pop_engine_destroy(engine);
    pop_graph_destroy(s.graph);
    return bench_median(seconds, REPEATS);
}

/* Seconds of one step with a small vertex on each tile of the machine. */
static double full_step_seconds(const pop_device *device, const char *threads)
{
    enum { STEPS = 2000 };
    struct bench_set s = bench_build(device, "BenchDot", 1472, 4);
    pop_engine *engine = engine_of(device, s.graph, pop_repeat(STEPS, pop_execute(s.set, NULL), NULL), threads);
    double seconds[REPEATS];
    for (int i = 0; i < REPEATS; ++i)
        seconds[i] = time_engine(engine) / STEPS;
    pop_engine_destroy(engine);
    pop_graph_destroy(s.graph);
    return bench_median(seconds, REPEATS);
}

static double bare_seconds(size_t vertices)
{
    float *memory;
    struct bare_dot *states = bare_states(vertices, 4, &memory);
    bare_compute compute = bare_dot_compute();
    size_t times = 2000000 / vertices;
    double seconds[REPEATS];
    for (int i = 0; i < REPEATS; ++i) {
        double start = bench_seconds();
        for (size_t time = 0; time < times; ++time)
            bare_run(compute, states, vertices);
        seconds[i] = (bench_seconds() - start) / (double)times;
    }
    free(states);
    free(memory);
    return bench_median(seconds, REPEATS);
}

void row_step(void)
{
    pop_device *device = bench_device();
    double vertex = bare_seconds(1), tiles = bare_seconds(1472);
    bench_report("one vertex, one thread, on top of the vertex", (step_seconds(device, "1") - vertex) * 1e9, "ns", 1000);
    bench_report("one vertex, all threads, on top of the vertex", (step_seconds(device, "0") - vertex) * 1e9, "ns", 1000);
    bench_report("1,472 vertices, one thread, on top of them", (full_step_seconds(device, "1") - tiles) * 1e9, "ns", 1000);
    bench_report("1,472 vertices, all threads, on top of them", (full_step_seconds(device, "0") - tiles) * 1e9, "ns", 1000);
    pop_device_destroy(device);
}
