// SPDX-License-Identifier: Apache-2.0
// What frameworks call and other programs seldom do: hash values by argument-dependent look-up, dumps of graphs with
// programs, the summary of a report on disk.
#include "check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/ProfilePrinting.hpp>
#include <poplar/VariableRef.hpp>

#include <cstdio>
#include <cstdlib>
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
    for (const char *name : { "profile.pop", "debug.cbor", "archive.a", "serialized_graph.json", "framework.json" })
        std::remove((std::string(directory) + "/" + name).c_str());
    rmdir(directory);
}

MAIN()
