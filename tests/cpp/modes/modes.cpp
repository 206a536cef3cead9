// SPDX-License-Identifier: Apache-2.0
// A program of two sources that pass graphs, tensors, engines, strings, lists and exceptions to each other and to the
// library, with each way of linking the C++ interface (run lists them).
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

using namespace poplar;
using namespace poplar::program;

Tensor shareOf(Graph &graph, const Tensor &t, std::size_t parts);
std::string sectionsOf(const Engine &engine);

static int failed = 0;
static void expect(bool holds, const char *what)
{
    if (!holds)
        std::cout << "not so: " << what << "\n";
    failed |= !holds;
}

struct Refusal : std::runtime_error {
    Refusal() : std::runtime_error("no more data")
    {
    }
};
class Feed : public StreamCallback
{
  public:
    explicit Feed(int largest) : left(largest)
    {
    }
    Result prefetch(void *) override
    {
        return NotAvailable;
    }
    void fetch(void *buffer) override
    {
        if (left-- == 0)
            throw Refusal();
        *static_cast<float *>(buffer) = static_cast<float>(left);
    }

  private:
    int left;
};
// A class of error derived by a program.
class OwnError : public runtime_error
{
  public:
    OwnError() : runtime_error("mine", "OwnError")
    {
    }
};

template <typename Error, typename Call> static bool throws(const Call &call, const char *text)
{
    try {
        call();
    } catch (const Error &error) {
        return std::string(error.what()).find(text) != std::string::npos;
    } catch (const std::exception &error) {
        std::cout << "another class: " << error.what() << "\n";
    }
    return false;
}

static void testErrors(Graph &graph, const Tensor &t)
{
    expect(throws<index_error>([&] { t.slice(3, 9); }, "3, 9"), "the library's error is caught as its class");
    expect(throws<poplar_error>([&] { graph.setTileMapping(t.slice(3, 9), 0); }, "modes.cpp"),
           "and as the base, with the line of the call");
    expect(throws<type_error>([&] { shareOf(graph, t, 3); }, "no equal shares"), "the other source's error is caught");
    expect(throws<std::runtime_error>([&] { throw graph_memory_allocation_error("full", "file"); }, "full"),
           "an error of this source");
    expect(throws<runtime_error>([&] { throw OwnError(); }, "mine"), "and one of a derived class");
    expect(throws<std::out_of_range>([&] { OptionFlags().at("none"); }, "none"), "a class of the standard library");
    try {
        throw link_error("unresolved", "ld: f");
    } catch (const poplar_error &error) {
        const link_error *same = dynamic_cast<const link_error *>(&error);
        expect(same && same->output == "ld: f" && error.type == "link_error", "dynamic_cast knows the class");
    }
}

static void testRun(Graph &graph, const Device &device, const Tensor &t)
{
    const Tensor share = shareOf(graph, t, 4);
    expect(share.shape() == std::vector<std::size_t>{ 1 } && t.shapeToString() == "{4}",
           "lists and strings are returned");
    expect(graph.getTileMapping(t)[0].size() == 1 && t.slices({ { 0, 1 }, { 2, 4 } }).size() == 2, "lists of lists");
    const DataStream stream = graph.addHostToDeviceFIFO("feed", FLOAT, 1);
    graph.createHostRead("read", share);
    int steps = 0;
    Engine engine(graph, Sequence{ Copy(stream, share), Repeat(2, Sequence{ PrintTensor("share", share) }) },
                  { { "debug.instrument", "true" } }, [&steps](int, int) { ++steps; });
    expect(steps > 0 && engine.getEngineOptions().at("debug.instrument") == "true",
           "a function is called, an option is kept");
    expect(throws<Refusal>([&] { compileGraph(graph, { Sequence() }, {}, [](int, int) { throw Refusal(); }); },
                           "no more data"),
           "exceptions of that function are unchanged");
    std::ostringstream printed;
    engine.setPrintStream(printed);
    engine.connectStreamToCallback("feed", std::unique_ptr<StreamCallback>(new Feed(1)));
    engine.load(device);
    engine.run();
    float value = -1;
    engine.readTensor("read", &value, &value + 1);
    expect(value == 0 && printed.str().find("share") != std::string::npos,
           "a callback of this source is called, and its stream written to");
    expect(throws<Refusal>([&] { engine.run(); }, "no more data"), "exceptions of a callback are unchanged");
    expect(sectionsOf(engine).find("memory") != std::string::npos, "a profile is a map");
    expect(engine.getGraphProfile()["memory"].type() == ProfileValue::Type::MAP, "of values");
}

int main()
{
    IPUModel model;
    model.globalExchangeConstraints.emplace_back(1e9, std::vector<GlobalExchangeFlow>{ GlobalExchangeFlow(0, 1) });
    const IPUModel copy(model);
    Device device = copy.createDevice();
    Graph graph(device.getTarget());
    Tensor t = graph.addVariable(FLOAT, { 4 }, "t");
    testErrors(graph, t);
    testRun(graph, device, t);
    if (!failed)
        std::cout << "both halves agree\n";
    return failed;
}
