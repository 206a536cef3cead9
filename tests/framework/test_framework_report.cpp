// SPDX-License-Identifier: Apache-2.0
// The report of a framework's program: each operator is an operation, with its record, cycles and bytes.
#include "../cpp/check.hpp"

#include "session.hpp"

#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace framework;

namespace
{

// A report of two steps and an evaluation; removed at the end.
struct Written {
    std::string path;
    Ir ir;

    Written()
    {
        char name[] = "/tmp/tremula-framework-report-XXXXXX";
        path = mkdtemp(name);
        const Network network = { DataSet::pixels, 16, DataSet::classes, 8, true };
        ir = networkIr(network, Adam());
        poplar::IPUModel model("ipu2");
        model.numIPUs = 2;
        model.tilesPerIPU = 4;
        const poplar::Device device = model.createDevice();
        SessionOptions options;
        options.replicas = 2;
        options.lossScale = 256;
        options.reportDirectory = path;
        options.engine.set("autoReport.executionProfileProgramRunCount", "10");
        Session session(network, Adam(), options, device);
        session.setState(Checkpoint::of(initialWeights(network, 3)));
        session.train(drawnDigits(64, 1), 2);
        session.accuracy(drawnDigits(16, 2));
    }
    ~Written()
    {
        for (const char *file :
             { "profile.pop", "debug.cbor", "archive.a", "serialized_graph.json", "framework.json", "app.json" })
            unlink((path + "/" + file).c_str());
        rmdir(path.c_str());
    }
};

const Written &written()
{
    static const Written report;
    return report;
}

std::map<std::string, Op> operators()
{
    std::map<std::string, Op> all;
    for (const Phase phase : { Phase::Forward, Phase::Backward, Phase::Update })
        for (const Op &op : written().ir.ops(phase))
            all[(op.layer.empty() ? "" : op.layer + "/") + op.opid()] = op;
    return all;
}

std::string text(const std::string &file)
{
    std::ostringstream contents;
    contents << std::ifstream(written().path + "/" + file).rdbuf();
    return contents.str();
}

} // namespace

TEST(each_operator_is_an_operation)
{
    const std::map<std::string, Op> expected = operators();
    const pva::Report report = pva::openReport(written().path);
    CHECK(report.warning().empty());
    std::set<std::string> seen;
    for (const pva::Operation &operation : report.operations()) {
        if (operation.debugContext().layer() != "framework")
            continue;
        const auto op = expected.find(operation.name());
        CHECK(op != expected.end() && seen.insert(operation.name()).second);
        if (op == expected.end())
            continue;
        CHECK(operation.programs().size() >= 1);
        const std::string json = operation.debugContext().json();
        CHECK(check::contains(json, "\"" + op->second.opid() + "\""));
        for (const Names &names : { op->second.inputs, op->second.outputs })
            for (const std::string &name : names)
                CHECK(check::contains(json, "\"" + name + "\""));
        for (const auto &attribute : op->second.attributes)
            CHECK(check::contains(json, "\"" + attribute.first + "\""));
    }
    CHECK(seen.size() == expected.size());
}

// Cycles of a tile's compute and exchange, by the operator whose program was executed.
TEST(cycles_are_known_by_operator)
{
    const pva::Report report = pva::openReport(written().path);
    std::map<std::uint64_t, std::string> operatorOf;
    for (const pva::Operation &operation : report.operations())
        if (operation.debugContext().layer() == "framework")
            for (const std::shared_ptr<pva::Program> &program : operation.programs())
                operatorOf[program->_id()] = operation.name();
    std::map<std::string, std::uint64_t> cycles;
    std::uint64_t of = 0, other = 0;
    for (const pva::ExecutionStep &step : report.execution().steps()) {
        const std::uint64_t spent = step.ipus()[0].cycles();
        const auto found = operatorOf.find(step.program()->_id());
        (found == operatorOf.end() ? other : of) += spent;
        if (found != operatorOf.end())
            cycles[found->second] += spent;
    }
    std::printf("%zu operators with cycles: %llu cycles, %llu of no operator\n", cycles.size(),
                static_cast<unsigned long long>(of), static_cast<unsigned long long>(other));
    for (const auto &op : operators())
        if (!cycles[op.first])
            check::fail(__FILE__, __LINE__, op.first + " has no cycles");
    CHECK(of > other);
}

TEST(the_sessions_files_are_in_the_report)
{
    CHECK(check::contains(text("framework.json"), "\"operators\":30"));
    CHECK(check::contains(text("framework.json"), "\"executableCached\":false"));
    CHECK(check::contains(text("app.json"), "\"precision\":\"half\""));
}
MAIN()
