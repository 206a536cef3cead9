// SPDX-License-Identifier: Apache-2.0
// runs DIRECTORY COUNT [ASSEMBLY]: an engine that captures COUNT runs.  Before each it waits for a line on standard
// input, and after it prints one; it ends, and completes its report, at the end of its input.  With blocks, for
// lightweight profiling. With ASSEMBLY (.cpp and .S) a vertex in assembly counts down from 41 in each iteration.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <string>

using namespace poplar;
using namespace poplar::program;

static Program countDown(Graph &graph, const std::string &assembly)
{
    graph.addCodelets(assembly + ".cpp");
    graph.addCodelets(assembly + ".S");
    Tensor value = graph.addVariable(INT, {}, "value"), start = graph.addConstant(INT, {}, 41);
    graph.setTileMapping(value, 1);
    graph.setTileMapping(start, 1);
    ComputeSet set = graph.addComputeSet("countdown");
    VertexRef vertex = graph.addVertex(set, "assembly::Countdown", { { "value", value } });
    graph.setTileMapping(vertex, 1);
    return Sequence(Copy(start, value), Execute(set));
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    IPUModel model;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    Tensor a = graph.addVariable(FLOAT, { 64 }, "a"), b = graph.addVariable(FLOAT, { 64 }, "b");
    graph.setTileMapping(a, 0);
    graph.setTileMapping(b, 3);
    Program copy = Block(Copy(a, b, false, "<b>move</b>"), "phase/<i>inner</i>");
    Sequence body(copy);
    if (argc > 3)
        body.add(countDown(graph, argv[3]));
    Engine engine(graph, Repeat(5, body, "loop"),
                  { { "autoReport.all", "true" },
                    { "autoReport.directory", argv[1] },
                    { "autoReport.executionProfileProgramRunCount", argv[2] } });
    engine.load(device);
    std::cout << "loaded" << std::endl;
    std::string line;
    for (unsigned run = 0; std::getline(std::cin, line); ++run) {
        engine.run(0, "run " + std::to_string(run));
        std::cout << "ran" << std::endl;
    }
    return 0;
}
