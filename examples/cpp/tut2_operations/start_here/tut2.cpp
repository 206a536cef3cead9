// SPDX-License-Identifier: Apache-2.0
// Tutorial 2: using Poplibs, the starting point: two matrices with values, and nothing done with them.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main()
{
    // Create the IPU Model device
    IPUModel ipuModel;
    Device device = ipuModel.createDevice();
    Target target = device.getTarget();

    // Create the Graph object, with the library's codelets
    Graph graph(target);
    popops::addCodelets(graph);

    // Add variables to the graph, a row on each of two tiles
    Tensor v1 = graph.addVariable(FLOAT, { 2, 2 }, "v1");
    Tensor v2 = graph.addVariable(FLOAT, { 2, 2 }, "v2");
    for (unsigned i = 0; i < 2; ++i) {
        graph.setTileMapping(v1[i], i);
        graph.setTileMapping(v2[i], i);
    }

    // Create a control program that initialises them
    Sequence prog;
    Tensor c1 = graph.addConstant<float>(FLOAT, { 4 }, { 1.0, 1.5, 2.0, 2.5 });
    Tensor c2 = graph.addConstant<float>(FLOAT, { 4 }, { 4, 3, 2, 1 });
    graph.setTileMapping(c1, 0);
    graph.setTileMapping(c2, 0);
    prog.add(Copy(c1, v1.flatten()));
    prog.add(Copy(c2, v2.flatten()));

    // Add the operations here

    // Create the engine; the option prints tensors as the guide shows them
    Engine engine(graph, prog, { { "print.guideFormat", "true" } });
    engine.load(device);

    // Run the control program
    std::cout << "Running program\n" << std::flush;
    engine.run(0);
    std::cout << "Program complete\n";
    return 0;
}
