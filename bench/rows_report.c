/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: the time that capturing adds to runs, and the size of their files. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static double file_bytes(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (double)about.st_size : 0;
}

struct bench_looped bench_loop(const pop_device *device, unsigned pairs, unsigned times, unsigned stride)
{
    struct bench_set s = bench_build(device, "BenchAdd", pop_target_num_tiles(pop_device_target(device)), 1);
    unsigned tiles = pop_target_num_tiles(pop_device_target(device)), ipus = pop_device_target(device)->num_ipus;
    pop_program body = pop_sequence(s.graph, "body");
    for (unsigned i = 0; i < pairs; ++i) {
        pop_compute_set set = pop_graph_add_compute_set(s.graph, "layer/add");
        for (unsigned tile = 0; tile < tiles; tile += stride) {
            pop_vertex v = pop_graph_add_vertex_connected(s.graph, set, "BenchAdd",
                                                          POP_CONNECTIONS({ "a", pop_tensor_at(s.a, tile) },
                                                                          { "b", pop_tensor_at(s.b, tile) },
                                                                          { "out", pop_tensor_at(s.out, tile) }));
            pop_graph_map_vertex(s.graph, v, tile);
            pop_graph_set_perf_estimate(s.graph, v, 20 + (tile * 7 + i * 13) % 97, 1);
        }
        pop_sequence_add(body, pop_execute(set, "layer/add"));
        unsigned shift = i % 8 == 7 && ipus > 1 ? tiles / ipus : 1 + i,
                 count = (tiles - shift) / stride; /* sometimes to another IPU */
        pop_sequence_add(body, pop_copy(pop_tensor_slice(s.out, 0, count, 0),
                                        pop_tensor_slice(s.a, shift, shift + count, 0), false, "layer/move"));
    }
    bench_must_build(s.graph);
    return (struct bench_looped){ s.graph, pop_repeat(times, body, "loop") };
}

double bench_loop_run(const struct bench_looped *program, const pop_device *device, const char *directory)
{
    pop_error error = { 0 };
    pop_engine *engine =
        pop_engine_create(program->graph, POP_PROGRAMS(program->main),
                          POP_OPTIONS({ "target.hostThreads", "1" },
                                      { "autoReport.outputExecutionProfile", directory ? "true" : "false" },
                                      { "autoReport.directory", directory ? directory : "." }),
                          &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    double start = bench_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    if (directory)
        pop_engine_destroy(engine);
    double end = bench_seconds();
    if (!directory)
        pop_engine_destroy(engine);
    return end - start;
}

static void captured(const char *what, pop_device *device, unsigned pairs, unsigned times, unsigned stride,
                     double time_aim, double byte_aim)
{
    char directory[] = "bench_report_XXXXXX", path[64], measure[128];
    if (!mkdtemp(directory))
        exit(1);
    snprintf(path, sizeof(path), "%s/profile.pop", directory);
    struct bench_looped program = bench_loop(device, pairs, times, stride);
    double plain[3], with[3], steps = 2.0 * pairs * times, tiles = pop_target_num_tiles(pop_device_target(device));
    unsigned rounds = steps > 1e6 ? 1 : 3;
    for (unsigned i = 0; i < rounds; ++i) {
        plain[i] = bench_loop_run(&program, device, NULL);
        with[i] = bench_loop_run(&program, device, directory);
    }
    snprintf(measure, sizeof(measure), "%s: the run", what);
    bench_report(measure, bench_min(plain, rounds), "s", 0);
    snprintf(measure, sizeof(measure), "%s: captured, times that", what);
    bench_report(measure, bench_min(with, rounds) / bench_min(plain, rounds), "x", time_aim);
    snprintf(measure, sizeof(measure), "%s: the file", what);
    bench_report(measure, file_bytes(path) / 1e6, "MB", byte_aim ? 0 : 1000);
    if (byte_aim) {
        snprintf(measure, sizeof(measure), "%s: the file, a step and tile", what);
        bench_report(measure, file_bytes(path) / steps / tiles, "B", byte_aim);
    }
    pop_graph_destroy(program.graph);
    unlink(path);
    rmdir(directory);
}

void row_report(void)
{
    pop_error error = { 0 };
    pop_device *device = bench_device();
    captured("100,000 sets and copies, 1,472 tiles", device, 16, 3125, 1, 2, 0.1);
    pop_device_destroy(device);
    device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = 4 }, &error);
    bench_must(error.status, &error);
    captured("5 million sets and copies, 4 IPUs", device, 16, 156250, 64, 0, 0);
    pop_device_destroy(device);
}
