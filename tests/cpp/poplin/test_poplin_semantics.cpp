// SPDX-License-Identifier: Apache-2.0
// What programs above the libraries read and depend on: words in errors, logs and summaries, expressions of many
// tensors, how many plans a cache has, templates without instances, the shortest numbers.
#include "check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

static Device model()
{
    IPUModel description;
    description.tilesPerIPU = 4;
    return description.createDevice();
}

// sum of i * x_i over n tensors, in an order of operators that is deep on one side or balanced.
static std::unique_ptr<pe::Expr> weighted(unsigned first, unsigned last, bool balanced)
{
    if (first == last)
        return pe::Mul(pe::PlaceHolder(first), pe::Const(static_cast<float>(first))).clone();
    const unsigned cut = balanced ? (first + last) / 2 : last - 1;
    return pe::Add(*weighted(first, cut, balanced), *weighted(cut + 1, last, balanced)).clone();
}

static void mapMany(unsigned n, Type type, bool balanced, const OptionFlags &options)
{
    const Device device = model();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    Sequence prog;
    std::vector<Tensor> ts;
    for (unsigned i = 1; i <= n; ++i) {
        ts.push_back(graph.addVariable(type, { 7 }, "t"));
        poputil::mapTensorLinearly(graph, ts.back(), 1, 1);
        Tensor value = graph.addConstant(type, { 7 }, i % 3 == 0 ? 0.5f : 0.25f);
        graph.setTileMapping(value, 0);
        prog.add(Copy(value, ts.back()));
    }
    double expected = 0; // exact in both types
    for (unsigned i = 1; i <= n; ++i)
        expected += i * (i % 3 == 0 ? 0.5 : 0.25);
    const std::unique_ptr<pe::Expr> sum = weighted(1, n, balanced);
    const Tensor out = popops::map(graph, *sum, ts, prog, "many", options);
    popops::mapInPlace(graph, *sum, ts, prog, "in place", options);
    for (const Tensor &t : { out, ts[0] })
        graph.createHostRead(t == out ? "out" : "first", popops::cast(graph, t, FLOAT, prog));
    Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    for (const char *name : { "out", "first" }) {
        std::vector<float> got(7);
        engine.readTensor(name, got.data(), got.data() + 7);
        for (float value : got)
            CHECK(value == static_cast<float>(expected));
    }
}

TEST(map_takes_any_number_of_tensors)
{
    for (unsigned n : { 20u, 21u, 64u })
        mapMany(n, FLOAT, n != 21, {});
    mapMany(43, HALF, true, { { "enableGenerateCodelet", "false" } });
    Graph graph(Target::createCPUTarget());
    popops::addCodelets(graph);
    Sequence prog;
    Tensor t = graph.addVariable(FLOAT, { 1 }, "t");
    graph.setTileMapping(t, 0);
    CHECK_THROWS(popops::map(graph, pe::Add(pe::_1, pe::PlaceHolder(22)), { t }, prog), poplar_error, "_22");
}

TEST(unknown_options_are_unrecognised)
{
    Graph graph(Target::createCPUTarget());
    CHECK_THROWS(Engine(graph, Sequence(), { { "debug.instrumnt", "true" } }), invalid_option, "Unrecognised option");
    poplin::addCodelets(graph);
    Sequence prog;
    Tensor a = graph.addVariable(FLOAT, { 2, 2 }, "a");
    graph.setTileMapping(a, 0);
    CHECK_THROWS(poplin::matMul(graph, a, a, prog, "mm", { { "partialType", "half" } }), invalid_option,
                 "Unrecognised option");
}

TEST(the_summary_lists_what_was_executed)
{
    const Device device = model();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    Tensor a = graph.addVariable(FLOAT, { 8 }, "a");
    poputil::mapTensorLinearly(graph, a);
    Sequence add;
    popops::addInPlace(graph, a, a, add, "100/add");
    Engine engine(graph, Repeat(3, add), { { "debug.instrument", "true" } });
    engine.load(device);
    engine.run(0);
    std::ostringstream text;
    engine.printProfileSummary(text, { { "showExecutionSteps", "true" }, { "colours", "false" } });
    const std::size_t at = text.str().find("  OnTileExecute: 100/add/Op/Add\n    Executions:");
    CHECK(at != std::string::npos && text.str().find("  3\n", at) < text.str().find("Cycles:", at));
}

TEST(a_summary_of_a_cpu_says_what_is_missing)
{
    const Device device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Engine engine(graph, Sequence(), { { "debug.instrument", "true" } });
    engine.load(device);
    engine.run(0);
    std::ostringstream text;
    engine.printProfileSummary(text);
    CHECK(check::contains(text.str(), "Memory, cycles and steps: not recorded on a CPU device; use a modelled IPU"));
}

// The libraries' log, from the first call on.
static struct LogFile {
    char path[40];
    LogFile() : path("/tmp/tremula-semantics-log-XXXXXX")
    {
        close(mkstemp(path));
        setenv("POPLIBS_LOG_LEVEL", "DEBUG", 1);
        setenv("POPLIBS_LOG_DEST", path, 1);
    }
    ~LogFile()
    {
        unlink(path);
    }
} logFile;

TEST(plans_are_logged_and_counted)
{
    const Device device = model();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    Sequence prog;
    poplin::matmul::PlanningCache cache;
    const OptionFlags options = { { "fullyConnectedPass", "TRAINING_FWD" }, { "availableMemoryProportion", "0.5" } };
    poplin::createMatMulInputRHS(graph, FLOAT, { 8, 12 }, { 12, 5 }, "w", options, &cache);
    CHECK(cache.size() == 3); // the passes of training are planned together
    std::ostringstream log;
    log << std::ifstream(logFile.path).rdbuf();
    const unsigned limit = device.getTarget().getBytesPerTile() / 2;
    CHECK(check::contains(log.str(), "Planning convolution with a per-tile memory limit of " + std::to_string(limit)));
    CHECK(check::contains(log.str(), "enableConvDithering"));
}

TEST(a_file_of_templates_adds_nothing)
{
    char path[] = "/tmp/tremula-semantics-XXXXXX.cpp";
    close(mkstemps(path, 4));
    std::ofstream(path) << "#include <poplar/Vertex.hpp>\n"
                           "template <class T> class V : public poplar::Vertex {\n"
                           "  public: poplar::Output<poplar::Vector<T>> o; bool compute() { return true; }\n};\n";
    Graph graph(Target::createCPUTarget());
    CHECK(graph.addCodelets(path));
    CHECK_THROWS(graph.addVertex(graph.addComputeSet("cs"), "V<float>"), poplar_error, "V<float>");
    unlink(path);
}

TEST(numbers_are_as_short_as_they_can_be)
{
    std::ostringstream out;
    serializeToJSON(out, ProfileValue::Vector{ ProfileValue(0.0123f), ProfileValue(42), ProfileValue(0.1),
                                               ProfileValue(1e30f), ProfileValue(-0.5f), ProfileValue(3.0) });
    CHECK(out.str() == "[0.0123,42,0.1,1e30,-0.5,3]");
}
MAIN()
