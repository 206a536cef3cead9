// SPDX-License-Identifier: Apache-2.0
// make_blocks DIRECTORY [flush]: the lightweight profile of a loop of 100 blocks, with the default buffer or with
// flushes by the compiler.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    IPUModel model;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    Tensor a = graph.addVariable(FLOAT, { 16 }, VariableMappingMethod::LINEAR, "a");
    Tensor b = graph.addVariable(FLOAT, { 16 }, VariableMappingMethod::LINEAR, "b");
    OptionFlags options{ { "autoReport.directory", argv[1] },
                         { "autoReport.outputExecutionProfile", "true" },
                         { "debug.instrumentCompute", "false" },
                         { "profiler.blocks.filter", "^model" } };
    if (argc > 2)
        options.set("profiler.blocks.implicitFlush", "true");
    else
        options.set("debug.instrumentExternalExchange", "false");
    // One of two programs is chosen, by copies at the start of a run.
    Engine engine(graph, { Repeat(100, Block(Copy(a, b.reverse(0), false, "copy"), "model/step"), "loop"), Sequence() },
                  options);
    engine.load(device);
    engine.run(0);
    return 0;
}
