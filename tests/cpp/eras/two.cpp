// SPDX-License-Identifier: Apache-2.0
// The era test's program in the style of 2.x: DebugContext, estimates with flops, transfers by range, brace lists.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <iostream>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static void build(Graph &graph, Sequence &prog, const Tensor &in, const Tensor &out, const DebugContext &debugContext)
{
    const DebugInfo di(debugContext, "test");
    const DebugNameAndId dnai(di);
    ComputeSet cs = graph.addComputeSet({ dnai, "scale" });
    const auto n = in.numElements();
    const unsigned tiles = 3;
    for (unsigned t = 0; t < tiles; ++t) {
        const Interval part(t * n / tiles, (t + 1) * n / tiles);
        VertexRef v = graph.addVertex(cs, "Scale", { { "in", in.slice(part) }, { "out", out.slice(part) } });
        graph.setInitialValue(v["factor"], 2.5f);
        graph.setTileMapping(v, t);
        graph.setPerfEstimate(v, 20 + part.size(), part.size());
        graph.setTileMapping(in.slice(part), t);
        graph.setTileMapping(out.slice(part), t);
    }
    prog.add(Execute(cs, { dnai }));
    prog.add(Copy(out, in, false, { dnai, "again" }));
}

int main(int, char **argv)
{
    IPUModel model{ "ipu2" };
    model.tilesPerIPU = 4;
    auto device = model.createDevice();
    device.attach();
    Graph graph{ device };
    graph.addCodelets({ argv[1] }, "-O3");
    const auto in = graph.addVariable(FLOAT, { 7 }, { "in" });
    const auto out = graph.addVariable(FLOAT, { 7 }, "out");
    graph.createHostWrite("in", in);
    graph.createHostRead("out", out);
    Sequence body;
    build(graph, body, in, out, { "era" });
    Engine engine(graph, { Sequence{ Repeat{ 2, body, { "twice" } } } }, OptionFlags{ { "debug.instrument", "true" } });
    engine.load(device);
    std::vector<float> hIn{ 1, 2, 3, 4, 5, 6, 7 }, hOut(7);
    engine.writeTensor("in", hIn.data(), hIn.data() + hIn.size());
    engine.run();
    engine.readTensor("out", hOut.data(), hOut.data() + hOut.size());
    for (float x : hOut)
        std::cout << x << " ";
    std::cout << "\n";
    std::ostringstream summary;
    engine.printProfileSummary(summary, { { "showExecutionSteps", "true" } });
    std::cout << (summary.str().find("era/scale") != std::string::npos ? "profiled\n" : "no profile\n");
    return 0;
}
