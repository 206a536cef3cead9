// SPDX-License-Identifier: Apache-2.0
// errors NAME: makes a mistake and prints the library's error (docs/concepts/errors.md).
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>

#include <iostream>
#include <map>

using namespace poplar;
using namespace poplar::program;

static Device model()
{
    IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
}

struct Bench {
    Device device = model();
    Graph graph{ device.getTarget() };
    Sequence program;
    void run(const OptionFlags &options = {})
    {
        Engine engine(graph, program, options);
        engine.load(device);
        engine.run(0);
    }
};

static void noMapping()
{
    Bench bench;
    Tensor a = bench.graph.addVariable(FLOAT, { 4 }, "weights");
    bench.program.add(PrintTensor("weights", a));
    bench.run();
}

static void noVertexMapping()
{
    Bench bench;
    bench.graph.addCodelets("codelets.cpp");
    Tensor a = bench.graph.addVariable(FLOAT, { 2 }, VariableMappingMethod::LINEAR, "a");
    ComputeSet set = bench.graph.addComputeSet("twice");
    bench.graph.addVertex(set, "Twice", { { "in", a[0] }, { "out", a[1] } });
    bench.program.add(Execute(set));
    bench.run();
}

static void noCodelets()
{
    Bench bench;
    Tensor a = bench.graph.addVariable(FLOAT, { 4 }, VariableMappingMethod::LINEAR, "a");
    popops::addInPlace(bench.graph, a, a, bench.program, "sum");
    bench.run();
}

static void wrongVertex()
{
    Bench bench;
    bench.graph.addCodelets("codelets.cpp");
    bench.graph.addVertex(bench.graph.addComputeSet("twice"), "twice");
}

static void noConnection()
{
    Bench bench;
    bench.graph.addCodelets("codelets.cpp");
    Tensor a = bench.graph.addVariable(FLOAT, { 2 }, VariableMappingMethod::LINEAR, "a");
    ComputeSet set = bench.graph.addComputeSet("twice");
    VertexRef vertex = bench.graph.addVertex(set, "Twice", { { "in", a[0] } });
    bench.graph.setTileMapping(vertex, 0);
    bench.program.add(Execute(set));
    bench.run();
}

static void wrongShape()
{
    Bench bench;
    Tensor a = bench.graph.addVariable(FLOAT, { 4 }, VariableMappingMethod::LINEAR, "a");
    Tensor b = bench.graph.addVariable(FLOAT, { 3 }, VariableMappingMethod::LINEAR, "b");
    bench.program.add(Copy(a, b));
    bench.run();
}

static void twoWriters()
{
    Bench bench;
    bench.graph.addCodelets("codelets.cpp");
    Tensor a = bench.graph.addVariable(FLOAT, { 2 }, VariableMappingMethod::LINEAR, "a");
    ComputeSet set = bench.graph.addComputeSet("twice");
    for (int i = 0; i < 2; ++i)
        bench.graph.setTileMapping(bench.graph.addVertex(set, "Twice", { { "in", a[0] }, { "out", a[1] } }), 0);
    bench.program.add(Execute(set));
    bench.run();
}

static void noStream()
{
    Bench bench;
    Tensor a = bench.graph.addVariable(FLOAT, { 4 }, VariableMappingMethod::LINEAR, "a");
    bench.program.add(Copy(bench.graph.addHostToDeviceFIFO("images", FLOAT, 4), a));
    bench.run();
}

static void noMemory()
{
    Bench bench;
    Tensor a = bench.graph.addVariable(FLOAT, { 200000 }, "a");
    bench.graph.setTileMapping(a, 2);
    bench.program.add(PrintTensor("a", a));
    bench.run(
        { { "debug.allowOutOfMemory", "false" }, { "autoReport.all", "true" }, { "autoReport.directory", "report" } });
}

static void wrongOption()
{
    Bench bench;
    bench.run({ { "debug.instrumnt", "true" } });
}

static void brokenCodelet()
{
    Bench bench;
    bench.graph.addCodelets("broken_codelets.cpp");
}

static void noFile()
{
    Bench bench;
    bench.graph.addCodelets("kodelets.cpp");
}

static void noReportDirectory()
{
    Bench bench;
    bench.run({ { "autoReport.all", "true" }, { "autoReport.directory", "codelets.cpp/report" } });
}

static void readerAndWriter()
{
    Bench bench;
    bench.graph.addCodelets("codelets.cpp");
    Tensor a = bench.graph.addVariable(FLOAT, { 3 }, VariableMappingMethod::LINEAR, "a");
    ComputeSet set = bench.graph.addComputeSet("twice");
    for (int i = 0; i < 2; ++i)
        bench.graph.setTileMapping(bench.graph.addVertex(set, "Twice", { { "in", a[i] }, { "out", a[i + 1] } }), 0);
    bench.program.add(Execute(set));
    bench.run();
}

int main(int argc, char **argv)
{
    const std::map<std::string, void (*)()> mistakes = { { "mapping", noMapping },
                                                         { "vertex-mapping", noVertexMapping },
                                                         { "library-codelets", noCodelets },
                                                         { "vertex", wrongVertex },
                                                         { "connection", noConnection },
                                                         { "shape", wrongShape },
                                                         { "two-writers", twoWriters },
                                                         { "reader-and-writer", readerAndWriter },
                                                         { "stream", noStream },
                                                         { "memory", noMemory },
                                                         { "option", wrongOption },
                                                         { "codelet", brokenCodelet },
                                                         { "file", noFile },
                                                         { "report", noReportDirectory } };
    const auto mistake = mistakes.find(argc > 1 ? argv[1] : "");
    if (mistake == mistakes.end()) {
        for (const auto &each : mistakes)
            std::cout << each.first << "\n";
        return 2;
    }
    try {
        mistake->second();
    } catch (const std::runtime_error &error) {
        std::cout << error.what() << "\n";
        return 0;
    }
    std::cout << "no error\n";
    return 1;
}
