// SPDX-License-Identifier: Apache-2.0
// What frameworks call and other programs seldom do: hash values by argument-dependent look-up, dumps of graphs with
// programs, the summary of a report on disk.
#include "check.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/ProfilePrinting.hpp>
#include <poplar/VariableRef.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;

// As boost::hash does: the call is found by the argument's namespace alone.
template <class T> static std::size_t found(const T &value)
{
    return hash_value(value);
}

TEST(hash_values_are_found_by_their_arguments)
{
    const Target cpu = Target::createCPUTarget();
    const OptionFlags one = { { "debug.instrument", "true" } }, two = { { "debug.instrument", "false" } };
    CHECK(found(FLOAT) == found(Type(FLOAT)) && found(FLOAT) != found(HALF));
    CHECK(found(cpu) == cpu.hash());
    CHECK(found(one) == found(OptionFlags(one)) && found(one) != found(two) && found(one) != found(OptionFlags()));
    CHECK(found(EngineOptions(one, cpu)) == found(EngineOptions(one, cpu)));
    CHECK(found(EngineOptions(one, cpu)) != found(EngineOptions(two, cpu)));
    CHECK(found(StringRef("abc")) == std::hash<std::string>()("abc"));
    CHECK(found(Interval(1, 2)) == found(Interval(1, 2)) && found(Interval(1, 2)) != found(Interval(2, 1)));
}

static void removeReport(const std::string &directory)
{
    for (const char *name : { "profile.pop", "debug.cbor", "archive.a", "serialized_graph.json", "framework.json" })
        std::remove((directory + "/" + name).c_str());
    rmdir(directory.c_str());
}

struct Doubled {
    Graph graph;
    Tensor x;
    Sequence body;
    explicit Doubled(const Device &device) : graph(device.getTarget()), x(graph.addVariable(INT, { 4 }, "x"))
    {
        graph.setTileMapping(x, 0);
        const Tensor one = graph.addConstant(INT, { 4 }, 1, "one");
        graph.setTileMapping(one, 0);
        body.add(Repeat(3, Copy(one, x, false, "fill")));
        body.add(Call(graph.addFunction(Sequence({ Copy(x[0], x[1]) }))));
        body.add(Switch(x[0], { { -7, Sequence({ Copy(x[2], x[3]) }) } }));
    }
};

TEST(a_dump_has_the_programs)
{
    Doubled p(Device::createCPUDevice());
    std::ostringstream json, binary, graphAlone;
    p.graph.serialize(json, { p.body, p.body }, SerializationFormat::JSON);
    p.graph.serialize(binary, { p.body }, SerializationFormat::Binary);
    p.graph.serialize(graphAlone, SerializationFormat::JSON);
    CHECK(graphAlone.str().find("\"steps\"") == std::string::npos);
    const std::string text = json.str();
    for (const char *part : { "\"kind\":\"Repeat\"", "\"count\":3", "\"name\":\"fill\"", "\"source\":[[",
                              "\"function\":0", "\"values\":[-7]", "\"children\":[null,", "\"functions\":[" })
        CHECK(check::contains(text, part));
    std::size_t copies = 0; // a program that two others reach is described once
    for (std::size_t at = 0; (at = text.find("\"name\":\"fill\"", at)) != std::string::npos; ++at)
        copies++;
    CHECK(copies == 1 && !binary.str().empty() && binary.str()[0] == '\xbf');
}

TEST(a_summary_of_a_report_is_the_engines)
{
    IPUModel model;
    model.tilesPerIPU = 2;
    const Device device = model.createDevice();
    Doubled p(device);
    char directory[] = "/tmp/tremula-frameworks-XXXXXX";
    CHECK(mkdtemp(directory));
    const OptionFlags options = { { "autoReport.all", "true" }, { "autoReport.directory", directory } };
    std::ostringstream own, read, byDirectory;
    {
        Engine engine(p.graph, p.body, options);
        engine.load(device);
        engine.run(0);
        engine.printProfileSummary(own, { { "colours", "false" } });
    }
    const std::string path = std::string(directory) + "/profile.pop";
    printProfileSummary(read, path, { { "colours", "false" } });
    printProfileSummary(byDirectory, directory, { { "colours", "false" } });
    CHECK(!own.str().empty() && read.str() == own.str() && byDirectory.str() == own.str());
    CHECK_THROWS(printProfileSummary(read, path, { { "showNothing", "true" } }), invalid_option, "showNothing");
    CHECK_THROWS(printProfileSummary(read, path + ".none"), poplar_error, "profile.pop.none");
    removeReport(directory);
}

static void fillTile(Graph &graph, Sequence &program)
{
    const Tensor large = graph.addVariable(FLOAT, { 200000 }, "large"), one = graph.addConstant(FLOAT, { 1 }, 1.0f);
    graph.setTileMapping(large, 1);
    graph.setTileMapping(one, 1);
    program.add(Copy(one.broadcast(200000, 0), large));
}

// A device of type IPU throws, with its report written; the IPU Model warns, and runs.
TEST(out_of_memory_has_a_report)
{
    char directory[] = "/tmp/tremula-frameworks-XXXXXX";
    CHECK(mkdtemp(directory));
    setenv("TREMULA_IPU", "ipu2", 1);
    std::vector<Device> devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
    Graph graph(devices.at(0).getTarget());
    Sequence program;
    fillTile(graph, program);
    std::ostringstream summary;
    try {
        Engine(graph, program, { { "autoReport.all", "true" }, { "autoReport.directory", directory } });
        CHECK(!"the program fits");
    } catch (const graph_memory_allocation_error &error) {
        CHECK(check::contains(error.profilePath, "profile.pop"));
        printProfileSummary(summary, error.profilePath, { { "colours", "false" } });
    }
    CHECK(check::contains(summary.str(), "out of memory"));
    removeReport(directory);

    IPUModel description;
    description.tilesPerIPU = 4;
    const Device model = description.createDevice();
    Graph modelled(model.getTarget());
    Sequence same;
    fillTile(modelled, same);
    Engine engine(modelled, same);
    engine.load(model);
    engine.run(0);
}

// Processor time of compiling a copy of n pieces from one tile to others, in the reverse order of its memory.
static double secondsToScatter(unsigned n)
{
    IPUModel description;
    description.tilesPerIPU = 16;
    const Device device = description.createDevice();
    Graph graph(device.getTarget());
    const Tensor from = graph.addVariable(FLOAT, { n }, "from"), to = graph.addVariable(FLOAT, { n }, "to");
    graph.setTileMapping(from, 0);
    std::vector<std::vector<Interval>> mapping(16);
    for (unsigned i = 0; i < n; ++i)
        mapping[1 + i * 7919u % 15].push_back(Interval(i, i + 1));
    graph.setTileMapping(to, mapping);
    const std::clock_t start = std::clock();
    const Engine engine(graph, Copy(from, to.reverse(0)));
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// n log n gives a ratio of 4.3; sorting a sender's messages by insertion gave 12.
TEST(a_sender_of_many_messages_is_scheduled_quickly)
{
    secondsToScatter(1000); // the first graph of a process pays for what all use
    const double few = secondsToScatter(16000), many = secondsToScatter(64000);
    std::printf("16,000 pieces: %.2f s, 64,000: %.2f s\n", few, many);
    CHECK(many < 8 * few);
}

MAIN()
