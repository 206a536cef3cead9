// build: c++11 c++17
// SPDX-License-Identifier: Apache-2.0
// On the CPU device programs need no tile mapping: nothing is mapped here, or to tiles that do not exist; a
// modelled IPU refuses the same programs.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

static int added(const Device &device, bool far)
{
    Graph graph(device);
    graph.addCodelets("parts/add_one.cpp");
    Tensor a = graph.addConstant<int>(INT, { 2, 2 }, { 1, 2, 3, 4 }), b = graph.addVariable(INT, { 2, 2 }, "b"),
           c = graph.addVariable(INT, { 4 }, "c");
    ComputeSet set = graph.addComputeSet("set");
    VertexRef vertex = graph.addVertex(
        set, "AddOne", { { "in", std::vector<Tensor>{ a[0], a[1] } }, { "out", std::vector<Tensor>{ b[0], b[1] } } });
    if (far) {
        graph.setTileMapping(a, 7);
        graph.setTileMapping(b, { {}, {}, { { 0, 3 } }, { { 3, 4 } } });
        graph.setTileMapping(vertex, 1471);
    }
    graph.createHostRead("c", c);
    Engine engine(graph, Sequence{ Execute(set), Copy(b.flatten(), c) });
    engine.load(device);
    engine.run();
    int values[4];
    engine.readTensor("c", values, values + 4);
    return graph.getTileMapping(b).size() == 1 && values[0] == 2 && values[1] == 3 && values[2] == 4 && values[3] == 5;
}

int main()
{
    Device cpu = Device::createCPUDevice();
    if (!added(cpu, false) || !added(cpu, true))
        return 1;
    try {
        added(IPUModel().createDevice(), false);
        return 2;
    } catch (const invalid_tile_mapping &) {
    }
    return 0;
}
