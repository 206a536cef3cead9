/* SPDX-License-Identifier: Apache-2.0 */
/* Ten times the vertices: 10 and 100 million, built, compiled, loaded and run on 16 modelled IPUs; seconds and bytes of
 * a vertex, and the ratio of both, which is 1 where time and memory are linear. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { SMALL = 10000000, TIMES = 10, IPUS = 16, PHASES = 4 };
static const double peak_of_vertex = 150; /* bytes, rounded up */
static const char *const phases[PHASES] = { "build", "compile", "load", "run" };

struct figures {
    double nanoseconds[PHASES];
    double bytes; /* of graph, executable and engine */
    double peak;  /* of the process until then */
};

static double peak_resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

/* Bytes of memory that programs can get without swapping. */
static double available_memory(void)
{
    char line[128];
    unsigned long kibibytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof(line), file) && sscanf(line, "MemAvailable: %lu", &kibibytes) != 1)
        ;
    if (file)
        fclose(file);
    return (double)kibibytes * 1024;
}

static pop_perf six_cycles(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ .cycles = 6 };
}

static struct figures measure(const pop_device *device, size_t vertices)
{
    pop_error error = { 0 };
    double memory = bench_resident(), at[PHASES + 1];
    at[0] = bench_seconds();
    struct bench_set s = bench_build(device, "BenchAdd", vertices, 1);
    pop_graph_register_perf_estimator(s.graph, "BenchAdd", six_cycles, NULL);
    pop_graph_set_initial_fill(s.graph, s.a, POP_FLOAT, &(float){ 1 });
    pop_graph_set_initial_fill(s.graph, s.b, POP_FLOAT, &(float){ 2 });
    pop_graph_create_host_read(s.graph, "last", pop_tensor_at(s.out, vertices - 1));
    at[1] = bench_seconds();
    pop_executable *executable = NULL;
    bench_must(pop_compile_graph(s.graph, POP_PROGRAMS(pop_execute(s.set, NULL)), POP_NO_OPTIONS, NULL, NULL,
                                 &executable, &error),
               &error);
    at[2] = bench_seconds();
    pop_engine *engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    at[3] = bench_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    at[4] = bench_seconds();
    float last = 0;
    bench_must(pop_engine_read_tensor(engine, "last", &last, sizeof(last), &error), &error);
    if (last != 3)
        bench_must(POP_RUNTIME_ERROR, &(pop_error){ .status = POP_RUNTIME_ERROR, .text = "the result is wrong" });
    struct figures f = { .bytes = (bench_resident() - memory) / (double)vertices,
                         .peak = peak_resident() / (double)vertices };
    for (int i = 0; i < PHASES; ++i)
        f.nanoseconds[i] = (at[i + 1] - at[i]) * 1e9 / (double)vertices;
    pop_engine_destroy(engine);
    pop_executable_destroy(executable);
    pop_graph_destroy(s.graph);
    return f;
}

void row_scale(void)
{
    const double needed = SMALL * TIMES * peak_of_vertex, available = available_memory();
    if (available < needed) {
        printf("scale: skipped: 100 million vertices need %.0f GB of memory, and %.0f are available\n", needed / 1e9,
               available / 1e9);
        return;
    }
    pop_error error = { 0 };
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = IPUS }, &error);
    bench_must(error.status, &error);
    pop_graph_destroy(bench_build(device, "BenchAdd", 10, 1).graph); /* later graphs take the codelets from the cache */
    struct figures small = measure(device, SMALL), large = measure(device, (size_t)SMALL * TIMES);
    double of_small = 0, of_large = 0;
    for (int i = 0; i < PHASES; ++i) {
        char measure[64];
        snprintf(measure, sizeof(measure), "100 million vertices: %s", phases[i]);
        bench_report(measure, large.nanoseconds[i] * SMALL * TIMES * 1e-9, "s", 0);
        bench_report("  beside ten times 10 million's", large.nanoseconds[i] / small.nanoseconds[i], "times", 0);
        of_small += small.nanoseconds[i];
        of_large += large.nanoseconds[i];
    }
    bench_report("time of a vertex beside 10 million", of_large / of_small, "times", 1.1);
    bench_report("memory of graph, executable and engine", large.bytes, "B/vertex", 0);
    bench_report("that beside 10 million", large.bytes / small.bytes, "times", 1.1);
    bench_report("peak memory", large.peak, "B/vertex", 0);
    pop_device_destroy(device);
}
