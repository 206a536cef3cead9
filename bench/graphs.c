/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stddef.h>

pop_device *bench_device(void)
{
    pop_error error = { 0 };
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2" }, &error);
    bench_must(error.status, &error);
    return device;
}

/* n elements of t: a scalar edge for one element. */
static pop_tensor part(pop_tensor t, size_t vertex, size_t elements)
{
    return elements == 1 ? pop_tensor_at(t, vertex)
                         : pop_tensor_slice(t, vertex * elements, (vertex + 1) * elements, 0);
}

pop_engine *bench_engine(pop_graph *graph, pop_program program, const pop_device *device)
{
    pop_error error;
    bench_must_build(graph);
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(program), POP_OPTIONS({ "target.hostThreads", "1" }), &error);
    if (!engine)
        bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    pop_graph_destroy(graph);
    return engine;
}

struct bench_set bench_build(const pop_device *device, const char *type, size_t vertices, size_t elements)
{
    const pop_target *target = pop_device_target(device);
    struct bench_set s = { .graph = pop_graph_create(target) };
    pop_graph_add_codelets(s.graph, BENCH_CODELETS);
    s.a = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(vertices * elements), "a");
    s.b = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(vertices * elements), "b");
    s.out = pop_graph_add_variable(s.graph, POP_FLOAT, POP_SHAPE(vertices), "out");
    s.set = pop_graph_add_compute_set(s.graph, "set");
    size_t tiles = pop_target_num_tiles(target), share = (vertices + tiles - 1) / tiles;
    for (size_t first = 0, tile = 0; first < vertices; first += share, ++tile) {
        size_t last = first + share < vertices ? first + share : vertices;
        pop_graph_set_tile_mapping(s.graph, pop_tensor_slice(s.a, first * elements, last * elements, 0),
                                   (unsigned)tile);
        pop_graph_set_tile_mapping(s.graph, pop_tensor_slice(s.b, first * elements, last * elements, 0),
                                   (unsigned)tile);
        pop_graph_set_tile_mapping(s.graph, pop_tensor_slice(s.out, first, last, 0), (unsigned)tile);
        for (size_t i = first; i < last; ++i) {
            pop_vertex v = pop_graph_add_vertex(s.graph, s.set, type);
            pop_graph_connect(s.graph, v, "a", part(s.a, i, elements));
            pop_graph_connect(s.graph, v, "b", part(s.b, i, elements));
            pop_graph_connect(s.graph, v, "out", pop_tensor_at(s.out, i));
            pop_graph_map_vertex(s.graph, v, (unsigned)tile);
        }
    }
    bench_must_build(s.graph);
    return s;
}
