/* SPDX-License-Identifier: Apache-2.0 */
/* A C++ codelet from its source to its first run: compiled, and from the cache. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double source_to_run(const pop_device *device)
{
    pop_error error = { 0 };
    double start = bench_seconds();
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_graph_add_codelets(graph, BENCH_CODELET60);
    pop_tensor data = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(64), "data");
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    pop_vertex v = pop_graph_add_vertex(graph, set, "Scale");
    pop_graph_connect(graph, v, "data", data);
    pop_graph_map_vertex(graph, v, 0);
    pop_graph_set_tile_mapping(graph, data, 0);
    bench_must_build(graph);
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(pop_execute(set, NULL)), POP_NO_OPTIONS, &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load_and_run(engine, device, 0, &error), &error);
    double took = bench_seconds() - start;
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    return took;
}

/* Each first use has a cache of its own. */
void row_codelet(void)
{
    enum { TIMES = 5 };
    double first[TIMES], second[TIMES];
    pop_device *device = bench_device();
    char command[128];
    for (int i = 0; i < TIMES; ++i) {
        char directory[] = "/tmp/tremula-bench-XXXXXX";
        if (!mkdtemp(directory) || setenv("TREMULA_CACHE_DIR", directory, 1) != 0) {
            perror("a cache for the bench");
            exit(1);
        }
        first[i] = source_to_run(device);
        second[i] = source_to_run(device);
        snprintf(command, sizeof(command), "rm -r %s", directory);
        if (system(command) != 0)
            exit(1);
    }
    bench_report("60 lines of C++ codelets, source to run", bench_min(first, TIMES) * 1e3, "ms", 400);
    bench_report("the second time", bench_min(second, TIMES) * 1e3, "ms", 5);
    pop_device_destroy(device);
}
