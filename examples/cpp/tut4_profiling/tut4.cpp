// SPDX-License-Identifier: Apache-2.0
// Tutorial 4: profiling output: two matrix products and their profile.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main()
{
    // Create the IPU Model device and a graph with the libraries' codelets
    IPUModel ipuModel;
    Device device = ipuModel.createDevice();
    Target target = device.getTarget();
    Graph graph(target);
    popops::addCodelets(graph);
    poplin::addCodelets(graph);

    // Add matrices, spread over the tiles
    Tensor m1 = graph.addVariable(FLOAT, { 900, 600 }, "m1");
    Tensor m2 = graph.addVariable(FLOAT, { 600, 300 }, "m2");
    Tensor m3 = graph.addVariable(FLOAT, { 300, 200 }, "m3");
    poputil::mapTensorLinearly(graph, m1);
    poputil::mapTensorLinearly(graph, m2);
    poputil::mapTensorLinearly(graph, m3);

    // (m1 * m2) * m3
    Sequence prog;
    Tensor m4 = poplin::matMul(graph, m1, m2, prog, "m4");
    Tensor m5 = poplin::matMul(graph, m4, m3, prog, "m5");

    // Create the engine, load and run it, and print the profile summary
    Engine engine(graph, prog, OptionFlags{ { "debug.instrument", "true" } });
    engine.load(device);
    std::cout << "Running program\n" << std::flush;
    engine.run(0);
    std::cout << "Program complete\n";
    engine.printProfileSummary(std::cout, OptionFlags{ { "showExecutionSteps", "true" } });
    return 0;
}
