// SPDX-License-Identifier: Apache-2.0
// graph.cpp CODELETS VERTICES STEPS: the seconds of building a graph of that many vertices in C++, and of running that
// many steps; graph.py does the same.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

using namespace poplar;
using namespace poplar::program;

static double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double build(const Device &device, const char *codelets, std::size_t vertices)
{
    double began = seconds();
    Graph graph(device.getTarget());
    graph.addCodelets(codelets);
    Tensor a = graph.addVariable(FLOAT, { vertices }, "a"), b = graph.addVariable(FLOAT, { vertices }, "b");
    Tensor out = graph.addVariable(FLOAT, { vertices }, "out");
    ComputeSet set = graph.addComputeSet("set");
    std::size_t tiles = device.getTarget().getNumTiles(), share = (vertices + tiles - 1) / tiles;
    for (std::size_t first = 0, tile = 0; first < vertices; first += share, ++tile) {
        std::size_t last = first + share < vertices ? first + share : vertices;
        for (const Tensor &t : { a, b, out })
            graph.setTileMapping(t.slice(first, last), static_cast<unsigned>(tile));
        for (std::size_t i = first; i < last; ++i) {
            VertexRef v = graph.addVertex(set, "BenchAdd", { { "a", a[i] }, { "b", b[i] }, { "out", out[i] } });
            graph.setTileMapping(v, static_cast<unsigned>(tile));
        }
    }
    return seconds() - began;
}

static double run(const Device &device, const char *codelets, unsigned steps)
{
    Graph graph(device.getTarget());
    graph.addCodelets(codelets);
    Tensor x = graph.addVariable(FLOAT, { 3 }, "x");
    graph.setTileMapping(x, 0);
    graph.setInitialValue<float>(x, { 0, 1, 0 });
    ComputeSet set = graph.addComputeSet("set");
    graph.setTileMapping(graph.addVertex(set, "BenchAdd", { { "a", x[0] }, { "b", x[1] }, { "out", x[2] } }), 0);
    Engine engine(graph, Repeat(steps, Execute(set)));
    engine.load(device);
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        double began = seconds();
        engine.run();
        double now = seconds() - began;
        best = now < best ? now : best;
    }
    return best;
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    Device device = IPUModel("ipu2").createDevice();
    build(device, arguments[1], 10); // compiles the codelets
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        double now = build(device, arguments[1], std::strtoull(arguments[2], nullptr, 10));
        best = now < best ? now : best;
    }
    std::printf("%.6f %.6f\n", best, run(device, arguments[1], static_cast<unsigned>(std::atoi(arguments[3]))));
    return 0;
}
