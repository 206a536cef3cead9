/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices in assembly, whose instructions are interpreted, beside the same work in C++. */
#include "bench.h"

enum { ELEMENTS = 4096, SWEEPS = 500, POSITIONS = 2000, TIMES = 7 };

struct side {
    pop_engine *engine;
    double seconds;
};

static pop_tensor variable(pop_graph *graph, pop_vertex v, const char *field, pop_type type, size_t count)
{
    pop_tensor t = pop_graph_add_variable(graph, type, POP_SHAPE(count), field);
    pop_graph_set_tile_mapping(graph, t, 0);
    pop_graph_connect(graph, v, field, t);
    return t;
}

/* One vertex of a type, alone in its program. */
static struct side side_of(const pop_device *device, const char *type, bool convolution)
{
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_graph_add_codelets_flags(graph, BENCH_ASSEMBLY ".cpp", POP_FILE_AUTO, "-O3");
    pop_graph_add_codelets(graph, BENCH_ASSEMBLY ".S");
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    pop_vertex v = pop_graph_add_vertex(graph, set, type);
    pop_graph_map_vertex(graph, v, 0);
    pop_graph_set_perf_estimate(graph, v, 1000, 0);
    if (convolution) {
        variable(graph, v, "in", POP_HALF, 16 * POSITIONS);
        variable(graph, v, "partials", POP_FLOAT, 8 * POSITIONS);
        variable(graph, v, "out", POP_FLOAT, 8 * POSITIONS);
        variable(graph, v, "weights", POP_HALF, 256);
    } else {
        variable(graph, v, "in", POP_FLOAT, ELEMENTS);
        variable(graph, v, "out", POP_FLOAT, ELEMENTS);
        pop_graph_set_field_double(graph, v, "a", 0.5);
        pop_graph_set_field_int(graph, v, "times", SWEEPS);
    }
    bench_must_build(graph);
    return (struct side){ bench_engine(graph, pop_execute(set, NULL), device), 0 };
}

/* The shortest of some runs of each, in turn. */
static void time_sides(struct side sides[2])
{
    double seconds[2][TIMES];
    pop_error error = { 0 };
    for (int i = 0; i < TIMES; ++i)
        for (int s = 0; s < 2; ++s) {
            double start = bench_processor_seconds();
            bench_must(pop_engine_run(sides[s].engine, 0, &error), &error);
            seconds[s][i] = bench_processor_seconds() - start;
        }
    for (int s = 0; s < 2; ++s) {
        sides[s].seconds = bench_min(seconds[s], TIMES);
        pop_engine_destroy(sides[s].engine);
    }
}

void row_assembly(void)
{
    enum { BUNDLES = 4 }; /* for two elements */
    pop_device *device = bench_device();
    struct side simple[] = { side_of(device, "Simple<true>", false), side_of(device, "Simple<false>", false) },
                conv[] = { side_of(device, "Conv<true>", true), side_of(device, "Conv<false>", true) };
    time_sides(simple);
    time_sides(conv);
    bench_report("simple bundles of assembly", BUNDLES * (double)SWEEPS * ELEMENTS / 2 / simple[0].seconds / 1e6,
                 "million/s", -200);
    bench_report("the same work in C++", simple[0].seconds / simple[1].seconds, "x faster", 0);
    bench_report("a 1x1 convolution in assembly", conv[0].seconds / conv[1].seconds, "x C++", 30);
    pop_device_destroy(device);
}
