// SPDX-License-Identifier: Apache-2.0
// Tutorial 3: writing vertex code.  Add a compute set that sets v2 to the suffix sums of v1.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main()
{
    // Create the IPU Model device and a graph for its target
    IPUModel ipuModel;
    Device device = ipuModel.createDevice();
    Target target = device.getTarget();
    Graph graph(target);

    // Add codelets to the graph here

    // Add variables to the graph, an element on each of four tiles
    Tensor v1 = graph.addVariable(FLOAT, { 4 }, "v1");
    Tensor v2 = graph.addVariable(FLOAT, { 4 }, "v2");
    for (unsigned i = 0; i < 4; ++i) {
        graph.setTileMapping(v1[i], i);
        graph.setTileMapping(v2[i], i);
    }

    // Create a control program that initialises v1
    Sequence prog;
    Tensor c1 = graph.addConstant<float>(FLOAT, { 4 }, { 1.0, 1.5, 2.0, 2.5 });
    graph.setTileMapping(c1, 0);
    prog.add(Copy(c1, v1));

    // Create a compute set, add its vertices and execute it here

    // Print v2
    prog.add(PrintTensor("v2", v2));

    // Create the engine, load and run it; the option prints tensors as the guide shows them
    Engine engine(graph, prog, { { "print.guideFormat", "true" } });
    engine.load(device);
    std::cout << "Running program\n" << std::flush;
    engine.run(0);
    std::cout << "Program complete\n";
    return 0;
}
