// SPDX-License-Identifier: Apache-2.0
// operations CODELETS DIRECTORY: operations of a framework, and the library calls that they contain.
#include <poplar/DebugContext.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/ProfileValue.hpp>
#include <pva/pva.hpp>

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
    for (const pva::Operation &operation : pva::openReport(directory).operations()) // the report's own debug.cbor
        CHECK(operation.replacedDebugContext().empty());
    if (!bad)
        std::puts("passed");
    return bad != 0;
}
