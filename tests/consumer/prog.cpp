// SPDX-License-Identifier: Apache-2.0
// prog_cpp CODELETS: doubles 21 on a modelled IPU, as a C++ program that uses only the installed package.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv)
{
    Device device = IPUModel().createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets(argc > 1 ? argv[1] : "codelets.cpp");
    Tensor x = graph.addVariable(FLOAT, {}, "x"), y = graph.addVariable(FLOAT, {}, "y");
    graph.setTileMapping(x, 0);
    graph.setTileMapping(y, 1);
    ComputeSet set = graph.addComputeSet("set");
    graph.setTileMapping(graph.addVertex(set, "Double", { { "in", x }, { "out", y } }), 1);
    graph.createHostWrite("x", x);
    graph.createHostRead("y", y);

    Engine engine(graph, Execute(set));
    engine.load(device);
    float in = 21, out = 0;
    engine.writeTensor("x", &in);
    engine.run();
    engine.readTensor("y", &out);
    std::cout << out << "\n";
    return out == 42 ? 0 : 1;
}
