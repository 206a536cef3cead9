// build: c++11 c++17
// SPDX-License-Identifier: Apache-2.0
// Names that programs of 1.x to 3.x call, and their effects here.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static int failures = 0;
#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        std::cerr << __LINE__ << ": " #condition "\n";                                                                 \
        ++failures;                                                                                                    \
    }

struct Adder { // declared before Program.hpp was known: Graph.hpp alone names Sequence
    void add(Graph &graph, program::Sequence &to);
};

// The end of a stream stops a Loop.
class Counter : public LegacyStreamCallback
{
  public:
    explicit Counter(Engine *&engine, int &seen) : of(engine), count(seen)
    {
    }
    void fetch(void *) override
    {
        if (++count == 5)
            of->stop();
    }

  private:
    Engine *&of;
    int &count;
};

static void variablesAndConstants()
{
    Graph graph(IPUModel().createDevice());
    Tensor a = graph.addVariable(FLOAT, {}, { 4 }, "a"),
           b = graph.addVariable(FLOAT, {}, { 2, 2 }, VariableMappingMethod::LINEAR, "b");
    CHECK(a.shape() == std::vector<size_t>{ 4 } && b.rank() == 2);
    const float values[] = { 1, 2, 3, 4 };
    Tensor c =
        graph.addConstant(FLOAT, { 4 }, reinterpret_cast<const char *>(values), TypeTraits::make<float>(), false, "c");
    Tensor d = graph.addConstant(FLOAT, { 4 }, values, TypeTraits::make<float>(), true);
    float first = 0;
    CHECK(c.shape() == std::vector<size_t>{ 4 } && c[2].getConstantValue(&first) && first == 3);
    CHECK(d[3].getConstantValue(&first) && first == 1);
    CHECK(sizeof(IeeeHalf) == 2);
    try {
        graph.addExternalVariable(FLOAT, { 4 }, "far away");
        CHECK(!"external variables");
    } catch (const poplar_error &) {
    }
    std::ostringstream binary, json;
    graph.serialize(binary, SerializationFormat::Binary);
    graph.serialize(json, SerializationFormat::JSON);
    CHECK(!binary.str().empty() && binary.str() != json.str());
}

static void programs()
{
    IPUModel model;
    model.numIPUs = 4;
    model.tilesPerIPU = 4;
    for (unsigned i = 0; i < 40; ++i)
        model.globalExchangeConstraints.push_back(
            GlobalExchangeConstraint{ 1e9 * (i + 1), { GlobalExchangeFlow{ i % 4, (i + 1) % 4 } } });
    Device device = model.createDevice();
    CHECK(device.getTarget().getGlobalExchangeConstraints().size() == 40);
    Graph graph(device);
    CHECK(graph.getReplicationFactor() == 1);
    Tensor a = graph.addVariable(INT, { 2 }, VariableMappingMethod::LINEAR, "a"),
           b = graph.addVariable(INT, { 2 }, VariableMappingMethod::LINEAR, "b");
    graph.setInitialValue(a, ArrayRef<int>({ 5, 6 }));
    graph.createHostRead("b", b);
    DataStream out = graph.addDeviceToHostFIFO("out", INT, 2);
    Function function = graph.addFunction(Copy(a, b));
    FunctionBuffer buffer = graph.addFunctionBuffer(function, FunctionBufferMappingType::REMOTE);
    Sequence brought(Copy(buffer, function), Call(function));
    Engine engine(graph, { CrossReplicaCopy(a, b, { { 0, 0 } }), brought, Loop(Sequence{ Copy(a, out) }) },
                  { { "debug.instrument", "true" } });
    engine.load(device);
    int seen[2] = { 0, 0 }, count = 0;
    Engine *running = &engine;
    engine.connectStreamToCallback("out", std::unique_ptr<StreamCallback>(new Counter(running, count)));
    Engine::TimerTimePoint start = engine.getTimeStamp();
    engine.run(0);
    engine.readTensor("b", seen, seen + 2);
    CHECK(seen[0] == 5 && seen[1] == 6);
    engine.run(1);
    CHECK(!engine.reportTiming(start).empty());
    const ProfileValue profile = engine.getProfile();
    CHECK(profile["graphProfile"]["target"]["numIPUs"].asUint() == 4 && profile.asMap().count("executionProfile") == 1);
    std::ostringstream intervals;
    engine.reportIntervals(intervals);
    unsigned long long begin = 1, end = 0, computing = 9, exchanging = 9, waiting = 9;
    char comma;
    std::istringstream line(intervals.str().substr(intervals.str().find('\n') + 1));
    CHECK(line >> begin >> comma >> end >> comma >> computing >> comma >> exchanging >> comma >> waiting);
    CHECK(begin < end && exchanging + computing > 0 && computing + exchanging + waiting == 16);
    try {
        engine.run(2);
    } catch (const poplar_error &) { // stopped
    }
    CHECK(count >= 5);
    try {
        CrossReplicaCopy(a, b, { { 0, 1 }, { 1, 0 } });
        CHECK(!"two replicas");
    } catch (const graph_replication_error &) {
    }
}

static void fields()
{
    Device device = IPUModel().createDevice();
    Graph graph(device);
    graph.addCodelets("parts/add_one.cpp");
    const char *type = graph.hasCodelet("AddOne") ? "AddOne" : nullptr;
    CHECK(type);
}

int main()
{
    variablesAndConstants();
    programs();
    fields();
    return failures != 0;
}
