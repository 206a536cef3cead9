// SPDX-License-Identifier: Apache-2.0
// operations CODELETS DIRECTORY: operations of a framework, and the library calls that they contain.
#include <poplar/DebugContext.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/ProfileValue.hpp>
#include <pva/pva.hpp>

#include <memory>

using namespace poplar;
using namespace poplar::program;

static int bad;
#define CHECK(what) ((what) ? (void)0 : (std::printf("%s:%d: %s\n", __FILE__, __LINE__, #what), (void)++bad))

// An operation of the framework: all that it builds has its context.
static Program copy(const Tensor &from, const Tensor &to, const DebugInfo &info)
{
    return Copy(from, to, false, { info, "copy" });
}

static void build(const std::string &directory)
{
    IPUModel model;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    graph.addVariable(FLOAT, { 0 }, "nothing"); // uses no memory, so the report has no row of it
    Tensor a = graph.addVariable(FLOAT, { 8 }, "a"), b = graph.addVariable(FLOAT, { 8 }, "b"),
           c = graph.addVariable(FLOAT, { 8 }, "c");
    graph.setTileMapping(a, 0);
    graph.setTileMapping(b, 1);
    graph.setTileMapping(c, 2);
    Sequence main;
    DebugInfo::initializeStreamer(directory + "/framework.cbor");
    {
        const DebugInfo first(DebugContext("first"), "framework"), second(DebugContext("second"), "framework"),
            plain(DebugContext("plain"), "framework");
        DebugInfo fused(DebugContext("fused"), "framework");
        CHECK(fused.setValue("replacedDebugContext",
                             ProfileValue::Vector{ ProfileValue(second.getId()), ProfileValue(first.getId()),
                                                   ProfileValue(std::uint64_t(999999)) }));
        main.add(copy(a, b, fused));
        main.add(copy(b, c, plain));
    }
    Engine engine(graph, main, { { "autoReport.all", "true" }, { "autoReport.directory", directory } });
    DebugInfo::closeStreamer();
}

// A framework's record that ends when its engine is long made, as most do, and the location of which has ended before.
static void openedReportHasLaterContexts(const std::string &directory)
{
    std::unique_ptr<DebugInfo> info;
    {
        const std::string file("/a/path/to/a/file/of/the/framework.py"), function("a_function_of_the_framework");
        info.reset(
            new DebugInfo(DebugContext("later", SourceLocation(function.c_str(), file.c_str(), 7)), "framework"));
    }
    info->setValue("opid", "ai.onnx.Add:6");
    IPUModel model;
    model.tilesPerIPU = 4;
    Graph graph(model.createDevice().getTarget());
    Tensor a = graph.addVariable(FLOAT, { 8 }, "a"), b = graph.addVariable(FLOAT, { 8 }, "b");
    graph.setTileMapping(a, 0);
    graph.setTileMapping(b, 1);
    {
        Engine engine(graph, copy(a, b, *info),
                      { { "autoReport.all", "true" }, { "autoReport.directory", directory } });
        info.reset();
    }
    unsigned seen = 0;
    for (const pva::Operation &operation : pva::openReport(directory).operations())
        seen += operation.name() == "later" && operation.debugContext().layer() == "framework" &&
                operation.debugContext().location().fileName() == "/a/path/to/a/file/of/the/framework.py" &&
                operation.programs().size() >= 1;
    CHECK(seen == 1);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const std::string directory = argv[2];
    build(directory);
    const pva::Report report = pva::openReport(directory, directory + "/framework.cbor");
    const pva::OperationAnalysis analysis(report);
    unsigned seen = 0;
    for (const pva::Operation &operation : analysis.operations()) {
        const auto replaced = operation.replacedDebugContext();
        CHECK(operation.debugContext().layer() == "framework");
        CHECK(operation.programs().size() >= 1);
        if (operation.name() == "fused") {
            CHECK(replaced.size() == 2 && replaced[0].name() == "second" && replaced[1].name() == "first");
            CHECK(replaced[0].layer() == "framework" && replaced[0].location().lineNumber() > 0);
        } else {
            CHECK(operation.name() == "plain" && replaced.empty());
        }
        ++seen;
    }
    CHECK(seen == 2);
    unsigned variables = 0; // of the graph, without the one that uses no memory
    for (const auto &variable : report.compilation().variables())
        variables += variable.name() == "a" || variable.name() == "b" || variable.name() == "c";
    CHECK(variables == 3 && report.compilation().variables().size() == 3);
    for (const pva::Operation &operation : pva::openReport(directory).operations()) // the report's own debug.cbor
        seen += operation.name() == "plain" || operation.replacedDebugContext().size() == 2;
    CHECK(seen == 4);
    openedReportHasLaterContexts(directory + "/later");
    if (!bad)
        std::puts("passed");
    return bad != 0;
}
