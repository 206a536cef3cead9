// build: c++11 c++17
// SPDX-License-Identifier: Apache-2.0
// Codelets that assign short vectors in braces, which plain g++ does not accept.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

static bool runsOn(const Device &device)
{
    Graph graph(device);
    graph.addCodelets("parts/braces.cpp");
    Tensor in = graph.addConstant<float>(FLOAT, { 2 }, { 3, 4 }), out = graph.addVariable(FLOAT, { 4 }, "out"),
           counts = graph.addVariable(INT, { 1 }, "counts");
    graph.setInitialValue(counts, ArrayRef<int>({ 10 }));
    ComputeSet set = graph.addComputeSet("set");
    VertexRef vertex = graph.addVertex(set, "Braces", { { "in", in }, { "out", out }, { "counts", counts } });
    for (const Tensor &t : { in, out, counts })
        graph.setTileMapping(t, 0);
    graph.setTileMapping(vertex, 0);
    graph.createHostRead("out", out);
    graph.createHostRead("counts", counts);
    Engine engine(graph, Execute(set));
    engine.load(device);
    engine.run();
    std::vector<float> result(4);
    std::vector<int> counted(1);
    engine.readTensor("out", result);
    engine.readTensor("counts", counted);
    std::cout << result[0] << " " << result[1] << " " << result[2] << " " << result[3] << " " << counted[0] << "\n";
    return result == std::vector<float>{ 7, 8, 7, 8 } && counted[0] == 14;
}

int main()
{
    return !(runsOn(Device::createCPUDevice()) && runsOn(IPUModel().createDevice()));
}
