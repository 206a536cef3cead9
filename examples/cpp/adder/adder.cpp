// SPDX-License-Identifier: Apache-2.0
// Runs the guide's adder, on the CPU and on the IPU Model.  An argument may name its codelet file: adder_codelet.gp,
// made by popc.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

static float add(const Device &device, const char *codelets, float x, float y)
{
    Graph graph(device);
    graph.addCodelets(codelets, CodeletFileType::Auto, "-O3");
    Tensor sum = graph.addVariable(FLOAT, {}, "sum");
    Tensor operands = graph.addVariable(FLOAT, { 2 }, "operands");
    ComputeSet computeSet = graph.addComputeSet("add");
    VertexRef vertex = graph.addVertex(computeSet, "AdderVertex");
    graph.connect(vertex["x"], operands[0]);
    graph.connect(vertex["y"], operands[1]);
    graph.connect(vertex["sum"], sum);
    graph.setTileMapping(vertex, 0);
    graph.setTileMapping(operands, 0);
    graph.setTileMapping(sum, 0);
    graph.createHostWrite("operands", operands);
    graph.createHostRead("sum", sum);

    Engine engine(graph, Execute(computeSet), OptionFlags());
    engine.load(device);
    const float in[2] = { x, y };
    float out = 0;
    engine.writeTensor("operands", in, in + 2);
    engine.run();
    engine.readTensor("sum", &out, &out + 1);
    return out;
}

int main(int argc, char **argv)
{
    const char *codelets = argc > 1 ? argv[1] : "adder_codelet.cpp";
    std::cout << "1.5 + 2.25 = " << add(Device::createCPUDevice(), codelets, 1.5f, 2.25f) << " on the CPU\n";
    std::cout << "1.5 + 2.25 = " << add(IPUModel().createDevice(), codelets, 1.5f, 2.25f) << " on the IPU Model\n";
    return 0;
}
