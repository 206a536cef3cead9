// SPDX-License-Identifier: Apache-2.0
// Tutorial 3: writing vertex code.  An argument may name another codelet file: tut3_codelets.gp, made by popc.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv)
{
    // Create the IPU Model device and a graph for its target
    IPUModel ipuModel;
    Device device = ipuModel.createDevice();
    Target target = device.getTarget();
    Graph graph(target);

    // Add codelets to the graph
    graph.addCodelets(argc > 1 ? argv[1] : "tut3_codelets.cpp");

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

    // A compute set of four vertices: each sums a suffix of v1 into its own element of v2
    ComputeSet computeSet = graph.addComputeSet("computeSet");
    for (unsigned i = 0; i < 4; ++i) {
        VertexRef vtx = graph.addVertex(computeSet, "SumVertex");
        graph.connect(vtx["in"], v1.slice(i, 4));
        graph.connect(vtx["out"], v2[i]);
        graph.setTileMapping(vtx, i);
        graph.setCycleEstimate(vtx, 20);
    }

    // Add a step to execute the compute set, and print v2
    prog.add(Execute(computeSet));
    prog.add(PrintTensor("v2", v2));

    // Create the engine, load and run it; the option prints tensors as the guide shows them
    Engine engine(graph, prog, { { "print.guideFormat", "true" } });
    engine.load(device);
    std::cout << "Running program\n" << std::flush;
    engine.run(0);
    std::cout << "Program complete\n";
    return 0;
}
