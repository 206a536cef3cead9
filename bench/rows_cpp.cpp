// SPDX-License-Identifier: Apache-2.0
// The C++ interface compared with C: the same graph as bench_build, built in the same way.
#include <poplar/Graph.hpp>

#include "bench.h"

using namespace poplar;

static Tensor part(const Tensor &t, std::size_t vertex, std::size_t elements)
{
    return elements == 1 ? t[vertex] : t.slice(vertex * elements, (vertex + 1) * elements);
}

static void build(const Target &target, std::size_t vertices, std::size_t elements)
{
    Graph graph(target);
    graph.addCodelets(BENCH_CODELETS);
    Tensor a = graph.addVariable(FLOAT, { vertices * elements }, "a"),
           b = graph.addVariable(FLOAT, { vertices * elements }, "b");
    Tensor out = graph.addVariable(FLOAT, { vertices }, "out");
    ComputeSet set = graph.addComputeSet("set");
    std::size_t tiles = target.getNumTiles(), share = (vertices + tiles - 1) / tiles;
    for (std::size_t first = 0, tile = 0; first < vertices; first += share, ++tile) {
        std::size_t last = first + share < vertices ? first + share : vertices;
        graph.setTileMapping(a.slice(first * elements, last * elements), static_cast<unsigned>(tile));
        graph.setTileMapping(b.slice(first * elements, last * elements), static_cast<unsigned>(tile));
        graph.setTileMapping(out.slice(first, last), static_cast<unsigned>(tile));
        for (std::size_t i = first; i < last; ++i) {
            VertexRef v = graph.addVertex(set, "BenchAdd");
            graph.connect(v["a"], part(a, i, elements));
            graph.connect(v["b"], part(b, i, elements));
            graph.connect(v["out"], out[i]);
            graph.setTileMapping(v, static_cast<unsigned>(tile));
        }
    }
}

// Alternating and many times, so that other load affects both.
void row_cpp(void)
{
    enum { VERTICES = 100000, TIMES = 40 };
    pop_device *device = bench_device();
    const Target target(*pop_device_target(device));
    double c[TIMES], cpp[TIMES];
    build(target, 10, 1);
    for (int i = 0; i < TIMES; ++i) {
        double start = bench_seconds();
        pop_graph_destroy(bench_build(device, "BenchAdd", VERTICES, 1).graph);
        double half = bench_seconds();
        build(target, VERTICES, 1);
        c[i] = half - start;
        cpp[i] = bench_seconds() - half;
    }
    bench_report("a vertex with 3 edges, built in C", 1e9 * bench_min(c, TIMES) / VERTICES, "ns", 0);
    bench_report("the same in C++", 1e9 * bench_min(cpp, TIMES) / VERTICES, "ns", 0);
    bench_report("more than C", 100 * (bench_min(cpp, TIMES) / bench_min(c, TIMES) - 1), "%", 10);
    pop_device_destroy(device);
}
