// SPDX-License-Identifier: Apache-2.0
// The era test's program in the style of the guide (up to 1.4): cycle estimates, transfers by pointer alone,
// sequences from arguments, profiles as values.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static Program build(Graph &graph, Tensor in, Tensor out, const std::string &debugPrefix)
{
    ComputeSet cs = graph.addComputeSet(debugPrefix + "/scale");
    unsigned n = in.numElements(), tiles = 3;
    for (unsigned t = 0; t < tiles; ++t) {
        unsigned begin = t * n / tiles, end = (t + 1) * n / tiles;
        auto v = graph.addVertex(cs, "Scale", { { "in", in.slice(begin, end) }, { "out", out.slice(begin, end) } });
        graph.setInitialValue(v["factor"], 2.5);
        graph.setTileMapping(v, t);
        graph.setCycleEstimate(v, 20 + (end - begin));
        graph.setTileMapping(in.slice(begin, end), t);
        graph.setTileMapping(out.slice(begin, end), t);
    }
    return Sequence(Execute(cs), Copy(out, in));
}

int main(int, char **argv)
{
    IPUModel model("ipu1");
    model.numIPUs = 1;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets(argv[1]);
    Tensor in = graph.addVariable(FLOAT, { 7 }, "in");
    Tensor out = graph.addVariable(FLOAT, { 7 }, "out");
    graph.createHostWrite("in", in);
    graph.createHostRead("out", out);
    Sequence prog;
    prog.add(Repeat(2, build(graph, in, out, "era")));
    Engine engine(graph, prog, { { "debug.instrument", "true" } });
    engine.load(device);
    std::vector<float> hIn{ 1, 2, 3, 4, 5, 6, 7 }, hOut(7);
    engine.writeTensor("in", hIn.data());
    engine.run(0);
    engine.readTensor("out", hOut.data());
    for (float x : hOut)
        std::cout << x << " ";
    std::cout << "\n";

    ProfileValue graphProfile = engine.getGraphProfile(), executionProfile = engine.getExecutionProfile();
    std::ostringstream summary;
    printProfileSummary(summary, graphProfile, executionProfile, { { "showExecutionSteps", "true" } });
    serializeToJSON(summary, executionProfile, false);
    std::cout << (summary.str().find("era/scale") != std::string::npos ? "profiled\n" : "no profile\n");
    return 0;
}
