// build: c++11 c++17
// SPDX-License-Identifier: Apache-2.0
// Codelets that use inputs as pointers and write edges without a star.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

static int failures = 0;
#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        std::cerr << __LINE__ << ": " #condition "\n";                                                                 \
        ++failures;                                                                                                    \
    }

static void pointersAndValues(Graph &graph, const Device &device)
{
    Tensor in = graph.addConstant<float>(FLOAT, { 6 }, { 1, 2, 3, 4, 5, 7 }), half = graph.addConstant(HALF, {}, 0.25f);
    Tensor all = graph.addVariable(FLOAT, { 9 }, "all"), rounded = graph.addVariable(HALF, {}, "rounded"),
           count = graph.addVariable(INT, {}, "count");
    graph.setInitialValue(count, 2);
    ComputeSet set = graph.addComputeSet("set");
    std::vector<Tensor> rows = { in.slice(0, 2), in.slice(3, 5) };
    VertexRef a = graph.addVertex(
        set, "Pointers",
        { { "in", in }, { "points", in }, { "rows", rows }, { "lists", rows }, { "out", all.slice(0, 5) } });
    VertexRef b = graph.addVertex(set, "Values",
                                  { { "keep", all.slice(5, 8) },
                                    { "out", all[8] },
                                    { "rounded", rounded },
                                    { "count", count },
                                    { "x", in[2] },
                                    { "h", half } });
    for (const Tensor &t : { in, half, all, rounded, count })
        graph.setTileMapping(t, 0);
    graph.setTileMapping(a, 0);
    graph.setTileMapping(b, 0);
    graph.createHostRead("all", all);
    graph.createHostRead("rounded", rounded);
    graph.createHostRead("count", count);
    Engine engine(graph, Execute(set));
    engine.load(device);
    engine.run();
    std::vector<float> result(9);
    unsigned short bits = 0;
    int counted = 0;
    engine.readTensor("all", result);
    engine.readTensor("rounded", &bits, &bits + 1);
    engine.readTensor("count", &counted, &counted + 1);
    CHECK((result == std::vector<float>{ 10, -1, 4, 4, 22, 1, 3, 3, 10 }));
    CHECK(bits == 0x3400 && counted == 11);
}

static void writesAreFound(Graph &graph, const Device &device)
{
    Tensor in = graph.addVariable(FLOAT, { 2 }, VariableMappingMethod::LINEAR, "in"),
           out = graph.addVariable(FLOAT, {}, VariableMappingMethod::LINEAR, "out");
    ComputeSet set = graph.addComputeSet("careless");
    graph.setTileMapping(graph.addVertex(set, "Careless", { { "in", in }, { "out", out } }), 0);
    Engine engine(graph, Execute(set), { { "debug.checkedExecution", "true" } });
    engine.load(device);
    try {
        engine.run();
        CHECK(!"an input was written");
    } catch (const poplar_error &error) {
        CHECK(std::string(error.what()).find("wrote to input") != std::string::npos);
    }
}

int main()
{
    Device device = IPUModel().createDevice();
    Graph graph(device);
    graph.addCodelets("parts/loose.cpp");
    pointersAndValues(graph, device);
    writesAreFound(graph, device);
    return failures != 0;
}
