/* SPDX-License-Identifier: Apache-2.0 */
/* Building and compiling: seconds and bytes per vertex. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 10000000, MILLION = 1000000 };

/* Seconds of a loop that writes as many bytes for each vertex into new memory. */
static double write_bytes(size_t vertices, size_t words)
{
    double start = bench_seconds();
    uint64_t *data = malloc(vertices * words * sizeof(*data));
    if (!data)
        bench_must(POP_RUNTIME_ERROR, &(pop_error){ .status = POP_RUNTIME_ERROR, .text = "no memory" });
    for (size_t i = 0; i < vertices; ++i)
        for (size_t word = 0; word < words; ++word)
            ((volatile uint64_t *)data)[i * words + word] = i + word;
    double seconds = bench_seconds() - start;
    free(data);
    return seconds;
}

void row_build(void)
{
    pop_device *device = bench_device();
    pop_graph_destroy(bench_build(device, "BenchAdd", 10, 1).graph); /* later graphs take the codelets from the cache */
    enum { TIMES = 2 };
    double bytes = 0, seconds[TIMES];
    for (int i = 0; i < TIMES; ++i) {
        double memory = bench_resident(), start = bench_seconds();
        struct bench_set s = bench_build(device, "BenchAdd", MANY, 1);
        seconds[i] = bench_seconds() - start;
        if (i == 0) /* later graphs may reuse memory that the first released */
            bytes = bench_resident() - memory;
        pop_graph_destroy(s.graph);
    }
    bench_report("10 million vertices, 3 edges each", bench_min(seconds, TIMES), "s", 2);
    bench_report("memory", bytes / MANY, "B/vertex", 100);
    double bare[TIMES];
    for (int i = 0; i < TIMES; ++i)
        bare[i] = write_bytes(MANY, (size_t)(bytes / MANY / sizeof(uint64_t)));
    bench_report("beside a loop that writes as many bytes", bench_min(seconds, TIMES) / bench_min(bare, TIMES), "times",
                 2);
    pop_device_destroy(device);
}

static pop_executable *compile(struct bench_set *s, pop_program program)
{
    pop_error error = { 0 };
    pop_executable *executable = NULL;
    bench_must(pop_compile_graph(s->graph, POP_PROGRAMS(program), POP_NO_OPTIONS, NULL, NULL, &executable, &error),
               &error);
    return executable;
}

void row_compile(void)
{
    enum { TIMES = 3 };
    pop_device *device = bench_device();
    struct bench_set s = bench_build(device, "BenchAdd", MILLION, 1);
    pop_program program = pop_execute(s.set, NULL);
    double seconds[TIMES];
    for (int i = 0; i < TIMES; ++i) {
        double start = bench_seconds();
        pop_executable *executable = compile(&s, program);
        seconds[i] = bench_seconds() - start;
        pop_executable_destroy(executable);
    }
    bench_report("a million vertices on 1,472 tiles", bench_min(seconds, TIMES), "s", 0.5);
    pop_graph_destroy(s.graph);
    pop_device_destroy(device);
}

enum { FILE_TIMES = 5, MB = 1000000 };

/* Seconds that the disk needs for the same bytes: one write, and a flush. */
static double plain_write(const char *path, size_t bytes)
{
    char *data = malloc(bytes);
    memset(data, 1, bytes);
    double seconds[FILE_TIMES];
    for (int i = 0; i < FILE_TIMES; ++i) {
        unlink(path);
        int file = open(path, O_WRONLY | O_CREAT, 0600);
        double start = bench_seconds();
        if (file < 0 || write(file, data, bytes) != (ssize_t)bytes || fsync(file) != 0)
            perror(path);
        seconds[i] = bench_seconds() - start;
        close(file);
    }
    free(data);
    return bench_min(seconds, FILE_TIMES);
}

void row_file(void)
{
    pop_device *device = bench_device();
    struct bench_set s = bench_build(device, "BenchAdd", MILLION, 1);
    pop_executable *executable = compile(&s, pop_execute(s.set, NULL)), *again = NULL;
    char path[] = "/tmp/tremula_bench_XXXXXX";
    pop_error error = { 0 };
    int file = mkstemp(path);
    if (file >= 0)
        close(file);
    double save[FILE_TIMES], load[FILE_TIMES];
    for (int i = 0; i < FILE_TIMES; ++i) {
        double start = bench_seconds();
        bench_must(pop_executable_save(executable, path, &error), &error);
        save[i] = bench_seconds() - start;
        start = bench_seconds();
        bench_must(pop_executable_load(path, &again, &error), &error);
        load[i] = bench_seconds() - start;
        pop_executable_destroy(again);
    }
    struct stat status = { .st_size = 0 };
    stat(path, &status);
    double bytes = (double)status.st_size;
    bench_report("size of a million vertices", bytes / MB, "MB", 0);
    bench_report("save", bytes / MB / bench_min(save, FILE_TIMES), "MB/s", -1000);
    bench_report("as many bytes in one write, flushed", bytes / MB / plain_write(path, (size_t)status.st_size), "MB/s",
                 0);
    bench_report("load", bytes / MB / bench_min(load, FILE_TIMES), "MB/s", -1000);
    unlink(path);
    pop_executable_destroy(executable);
    pop_graph_destroy(s.graph);
    pop_device_destroy(device);
}

static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ .cycles = 20 };
}

/* Its profile, and the time of compiling without a model. */
static void report_profile(const struct bench_set *s, pop_engine *engine)
{
    pop_error error = { 0 };
    pop_profile_value graph, execution;
    double before = bench_resident(), start = bench_seconds();
    bench_must(pop_engine_graph_profile(engine, &graph, &error), &error);
    bench_must(pop_engine_execution_profile(engine, &execution, &error), &error);
    bench_report("profiles of them", bench_seconds() - start, "s", 0);
    bench_report("memory of the profiles", (bench_resident() - before) / 1e6, "MB", 0);
    pop_profile_free(&graph);
    pop_profile_free(&execution);
    pop_executable *plain;
    before = bench_resident();
    start = bench_seconds();
    bench_must(pop_compile_graph(s->graph, POP_PROGRAMS(pop_execute(s->set, NULL)),
                                 POP_OPTIONS({ "debug.model", "false" }), NULL, NULL, &plain, &error),
               &error);
    bench_report("compile them without the model", bench_seconds() - start, "s", 0);
    bench_report("memory of that executable", (bench_resident() - before) / MANY, "B/vertex", 0);
    pop_executable_destroy(plain);
}

/* All phases at full size: memory and time. */
void row_whole(void)
{
    pop_device *device = bench_device();
    pop_graph_destroy(bench_build(device, "BenchAdd", 10, 1).graph);
    double memory = bench_resident(), start = bench_seconds();
    struct bench_set s = bench_build(device, "BenchAdd", MANY, 1);
    pop_graph_register_perf_estimator(s.graph, "BenchAdd", estimate, NULL);
    pop_graph_set_initial_fill(s.graph, s.a, POP_FLOAT, &(float){ 1 });
    pop_graph_set_initial_fill(s.graph, s.b, POP_FLOAT, &(float){ 2 });
    pop_graph_create_host_read(s.graph, "last", pop_tensor_at(s.out, MANY - 1));
    double built = bench_seconds(), graph_memory = bench_resident();
    pop_executable *executable = compile(&s, pop_execute(s.set, NULL));
    double compiled = bench_seconds(), executable_memory = bench_resident();
    pop_error error = { 0 };
    pop_engine *engine = pop_engine_create_from(executable, POP_NO_OPTIONS, &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    double loaded = bench_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    double ran = bench_seconds();
    float last = 0;
    bench_must(pop_engine_read_tensor(engine, "last", &last, sizeof(last), &error), &error);
    bench_report("build 10 million vertices", built - start, "s", 2);
    bench_report("compile them", compiled - built, "s", 0);
    bench_report("memory of the executable", (executable_memory - graph_memory) / MANY, "B/vertex", 0);
    bench_report("load them", loaded - compiled, "s", 0);
    bench_report("run them", ran - loaded, "s", 0);
    bench_report("everything", ran - start, "s", 0);
    bench_report("memory of graph, executable and engine", (bench_resident() - memory) / MANY, "B/vertex", 0);
    report_profile(&s, engine);
    if (last != 3)
        bench_must(POP_RUNTIME_ERROR, &(pop_error){ .status = POP_RUNTIME_ERROR, .text = "the result is wrong" });
    pop_engine_destroy(engine);
    pop_executable_destroy(executable);
    pop_graph_destroy(s.graph);
    pop_device_destroy(device);
}
