// SPDX-License-Identifier: Apache-2.0
// The era test's program in the style of 3.x: MultiVertex with void compute, executables, run-time options, array
// views.
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/VariableMappingMethod.hpp>

#include <iostream>
#include <sstream>
#include <vector>

namespace
{

using poplar::program::Program;

poplar::program::Sequence build(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                                const poplar::DebugContext &debugContext)
{
    poplar::DebugInfo di(debugContext, "test");
    const auto cs = graph.addComputeSet({ di, "scale" });
    const auto mapping = graph.getTileMapping(in);
    for (unsigned t = 0; t < mapping.size(); ++t) {
        if (mapping[t].empty())
            continue;
        const auto v = graph.addVertex(cs, "ScaleAll");
        graph.connect(v["in"], poplar::concat(in.slices(mapping[t])));
        graph.connect(v["out"], poplar::concat(out.slices(mapping[t])));
        graph.setInitialValue(v["factor"], 2.5f);
        graph.setTileMapping(v, t);
        graph.setPerfEstimate(v, 20);
    }
    return poplar::program::Sequence(
        { poplar::program::Execute(cs, { di }), poplar::program::Copy(out, in, false, { di }) }, { di });
}

} // namespace

int main(int, char **argv)
{
    poplar::IPUModel model;
    model.tilesPerIPU = 3;
    const auto device = model.createDevice();
    poplar::Graph graph(device.getTarget());
    graph.addCodelets(argv[1], poplar::CodeletFileType::Auto, "-O2");
    auto in = graph.addVariable(poplar::FLOAT, { 7 }, poplar::VariableMappingMethod::LINEAR, { "in" });
    auto out = graph.addVariable(poplar::FLOAT, { 7 }, "out");
    graph.setTileMapping(out, graph.getTileMapping(in));
    auto write = graph.addHostToDeviceFIFO("in", poplar::FLOAT, 7);
    auto read = graph.addDeviceToHostFIFO("out", poplar::FLOAT, 7);
    poplar::program::Sequence prog;
    prog.add(poplar::program::Copy(write, in, false, { "load" }));
    prog.add(poplar::program::Repeat(2, build(graph, in, out, { "era" }), { "twice" }));
    prog.add(poplar::program::Copy(out, read));
    auto cycles = poplar::cycleCount(graph, prog, 0, poplar::SyncType::INTERNAL, { "count" });
    graph.createHostRead("cycles", cycles);

    std::stringstream file;
    poplar::compileGraph(graph, { prog }, { { "debug.instrument", "true" } }).serialize(file);
    poplar::Engine engine(poplar::Executable::deserialize(file), { { "debug.instrument", "true" } });
    engine.load(device);
    std::vector<float> hIn{ 1, 2, 3, 4, 5, 6, 7 }, hOut(7);
    engine.connectStream("in", hIn.data(), hIn.data() + hIn.size());
    engine.connectStream(read, hOut.data());
    engine.run(0, "era");
    for (float x : hOut)
        std::cout << x << " ";
    std::cout << "\n";
    std::vector<unsigned> count(2);
    engine.readTensor("cycles", count.data(), count.data() + 2);
    std::ostringstream summary;
    engine.printProfileSummary(summary, { { "showExecutionSteps", "true" } });
    bool profiled = summary.str().find("era/scale") != std::string::npos && count[0] > 40 && count[1] == 0;
    std::cout << (profiled ? "profiled\n" : "no profile\n");
    return 0;
}
