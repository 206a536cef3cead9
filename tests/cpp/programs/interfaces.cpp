// SPDX-License-Identifier: Apache-2.0
// build: c++11 c++14 c++17 c++20
// libraries: -lpopops
// What public programs take for granted of Poplar's interfaces: standard headers that its headers bring, variables that
// are no constants, references where results are references.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/ProfilePrinting.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/codelets.hpp>

using namespace poplar;

static void require(bool holds, const char *what)
{
    if (!holds) {
        std::cerr << what << "\n"; // <iostream>
        std::exit(1);
    }
}

static void headers()
{
    std::vector<int> numbers(4);
    std::iota(numbers.begin(), numbers.end(), 1); // <numeric>
    std::ostringstream text;                      // <sstream>
    std::unordered_map<std::string, int> map;
    std::unordered_set<int> some(numbers.begin(), numbers.end());
    std::set<int> sorted(some.begin(), some.end());
    const std::chrono::seconds second(1);
    map["sum"] = std::accumulate(sorted.begin(), sorted.end(), 0);
    text << map["sum"] << " " << second.count();
    require(text.str() == "10 1", "headers that Poplar's headers bring");
    require(MASKED_LABEL_CODE == 0xffffffffu, "popops/Encoding.hpp brings its constants");
}

// At file scope, before main; and through pointers and references that are not const.
static const std::vector<Type> atFileScope = { FLOAT, HALF, SIGNED };
static std::map<std::string, Type *> byName = { { "float", &FLOAT }, { "half", &HALF }, { "unsigned", &UNSIGNED } };

static void types()
{
    require(atFileScope[0] == FLOAT && atFileScope[2] == INT, "types at file scope");
    Type &reference = BOOL;
    require(reference == BOOL && byName["half"]->toString() == "half", "types by reference and pointer");
    require(std::is_same<decltype(FLOAT), Type>::value, "types are not const");
}

// Functions by address, with release 1.2's parameters and with later ones.
typedef Tensor (*Named)(Graph &, const Tensor &, const Tensor &, program::Sequence &, const std::string &,
                        const OptionFlags &);
typedef void (*InPlace)(Graph &, const Tensor &, const Tensor &, program::Sequence &, const std::string &,
                        const OptionFlags &);
typedef Tensor (*Later)(Graph &, const Tensor &, const Tensor &, program::Sequence &, const DebugContext &,
                        const OptionFlags &);

static Graph makeGraph(program::Sequence &prog, Tensor &result)
{
    Graph graph(IPUModel().createDevice().getTarget());
    popops::addCodelets(graph);
    static const std::map<std::string, Named> operations = { { "add", &popops::add }, { "multiply", popops::mul } };
    const InPlace subtract = &popops::subInPlace;
    const Later divide = &popops::div;
    Tensor (*const negate)(Graph &, const Tensor &, program::Sequence &, const std::string &, const OptionFlags &) =
        &popops::neg; // of one operand
    Tensor a = graph.addVariable(FLOAT, { 2 }, "a"), b = graph.addConstant<float>(FLOAT, { 2 }, { 2, 4 });
    graph.setTileMapping(a, 0);
    graph.setTileMapping(b, 0);
    graph.setInitialValue<float>(a, { 3, 5 });
    result = operations.at("multiply")(graph, a, b, prog, "product", {});
    result = operations.at("add")(graph, result, a, prog, "sum", {});
    subtract(graph, result, b, prog, "difference", {});
    result = negate(graph, negate(graph, result, prog, "negative", {}), prog, "positive", {});
    result = divide(graph, result, b, prog, "quotient", {});
    graph.createHostRead("result", result);
    return graph;
}

static void engines()
{
    program::Sequence prog;
    Tensor result;
    const Graph graph = makeGraph(prog, result);
    std::shared_ptr<Executable> executable = std::make_shared<Executable>(compileGraph(graph, { prog }));
    Engine engine(executable, { { "debug.instrument", "true" } });
    executable.reset(); // the engine has its own
    Device device = IPUModel().createDevice();
    engine.load(device);
    engine.run();
    float values[2];
    engine.readTensor("result", values, values + 2);
    require(values[0] == (3 * 2 + 3 - 2) / 2.0f && values[1] == (5 * 4 + 5 - 4) / 4.0f, "functions by address");

    auto &profile = engine.getGraphProfile();
    const ProfileValue *address = &engine.getGraphProfile();
    require(address == &profile && profile["target"]["type"].asString() == "IPU_MODEL", "the profile by reference");
    std::ostringstream graphAlone, both;
    printProfileSummary(graphAlone, engine.getGraphProfile());
    printProfileSummary(both, engine.getGraphProfile(), engine.getExecutionProfile());
    require(graphAlone.str().find("Memory Usage") != std::string::npos && graphAlone.str().size() < both.str().size(),
            "a summary without an execution");
    bool thrown = false;
    try {
        Engine none(std::shared_ptr<Executable>{});
    } catch (const poplar_error &) {
        thrown = true;
    }
    require(thrown, "an executable that is null");
}

#if __cplusplus >= 201703L
static int sumOf(gccs::ArrayRef<int> list)
{
    return std::accumulate(list.begin(), list.end(), 0);
}
static void deduction()
{
    const std::vector<int> list = { 1, 2, 3 };
    gccs::ArrayRef all(list);
    const poplar::ArrayRef first(list.data(), 2);
    require(sumOf(all) == 6 && sumOf(first) == 3, "lists whose element type is deduced");
}
#else
static void deduction()
{
}
#endif

int main()
{
    headers();
    types();
    engines();
    deduction();
}
