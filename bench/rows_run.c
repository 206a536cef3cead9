/* SPDX-License-Identifier: Apache-2.0 */
/* Running: the model compared with a bare C loop over the same vertices in the same process, and the cost of a step
 * besides its vertices. */
#include "bare.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { REPEATS = 9 };

static pop_engine *engine_of(const pop_device *device, pop_graph *graph, pop_program program, const char *threads)
{
    pop_error error = { 0 };
    bench_must_build(graph);
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(program), POP_OPTIONS({ "target.hostThreads", threads }), &error);
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

/* The same vertices over separate arrays, on large pages like the engine's storage. */
struct bare {
    struct bare_dot *states;
    size_t count;
    float *memory;
    bare_compute compute;
};

static struct bare bare_open(size_t vertices, size_t elements)
{
    enum { LARGE_PAGE = 1 << 21 };
    size_t floats = 2 * vertices * elements + vertices,
           bytes = (floats * sizeof(float) + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    struct bare bare = { calloc(vertices, sizeof(*bare.states)), vertices, aligned_alloc(LARGE_PAGE, bytes),
                         bare_dot_compute() };
    madvise(bare.memory, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < floats; ++i)
        bare.memory[i] = 1 + (float)(i / (vertices * elements));
    const float *a = bare.memory, *b = a + vertices * elements;
    for (size_t i = 0; i < vertices; ++i)
        bare.states[i] = (struct bare_dot){ a + i * elements, elements, b + i * elements, elements,
                                            bare.memory + 2 * vertices * elements + i };
    return bare;
}

static void bare_close(struct bare *bare)
{
    free(bare->states);
    free(bare->memory);
}

static double time_bare(const struct bare *bare, size_t sweeps)
{
    double start = bench_seconds();
    for (size_t sweep = 0; sweep < sweeps; ++sweep)
        bare_run(bare->compute, bare->states, bare->count);
    return bench_seconds() - start;
}

/* Seconds of one sweep over the vertices: bare, by an engine with one thread, by one with all. */
struct times {
    double bare, one, all;
};

/* Measured alternately, so that other load affects all three; the min of each counts. */
static struct times measure(size_t vertices, size_t elements, unsigned sweeps)
{
    pop_device *device = bench_device();
    struct bench_set s = bench_build(device, "BenchDot", vertices, elements);
    pop_graph_set_initial_fill(s.graph, s.a, POP_FLOAT, &(float){ 1 });
    pop_graph_set_initial_fill(s.graph, s.b, POP_FLOAT, &(float){ 2 });
    pop_program program = pop_repeat(sweeps, pop_execute(s.set, NULL), NULL);
    pop_engine *one = engine_of(device, s.graph, program, "1"), *all = engine_of(device, s.graph, program, "0");
    struct bare bare = bare_open(vertices, elements);
    double seconds[3][REPEATS + 1];
    for (int i = 0; i <= REPEATS; ++i) { /* the first round warms up */
        seconds[0][i] = i ? time_bare(&bare, sweeps) / sweeps : time_bare(&bare, 1);
        seconds[1][i] = time_engine(one) / sweeps;
        seconds[2][i] = time_engine(all) / sweeps;
    }
    struct times times = { bench_min(seconds[0] + 1, REPEATS), bench_min(seconds[1] + 1, REPEATS),
                           bench_min(seconds[2] + 1, REPEATS) };
    bare_close(&bare);
    pop_engine_destroy(one);
    pop_engine_destroy(all);
    pop_graph_destroy(s.graph);
    pop_device_destroy(device);
    return times;
}

static void compare(const char *what, size_t vertices, size_t elements, unsigned sweeps)
{
    struct times t = measure(vertices, elements, sweeps);
    char text[96];
    snprintf(text, sizeof(text), "%s, bare C loop", what);
    bench_report(text, t.bare / (double)vertices * 1e9, "ns/vertex", 0);
    snprintf(text, sizeof(text), "%s, one thread", what);
    bench_report(text, t.one / t.bare, "x bare", 1.1);
    snprintf(text, sizeof(text), "%s, all threads", what);
    bench_report(text, t.all / t.bare, "x bare", 1.1);
}

void row_run(void)
{
    compare("50,000 dot products of 200", 50000, 200, 4);
    compare("1,472 dot products of 200", 1472, 200,
            100); /* in cache, and small enough that a step's start is measurable */
    compare("a million dot products of 4", 1000000, 4, 4);
}

void row_step(void)
{
    struct times vertex = measure(1, 4, 200000);
    bench_report("one vertex, one thread, on top of the vertex", (vertex.one - vertex.bare) * 1e9, "ns", 1000);
    bench_report("one vertex, all threads, on top of the vertex", (vertex.all - vertex.bare) * 1e9, "ns", 1000);
}
