// SPDX-License-Identifier: Apache-2.0
// get_report CODELETS: Engine::getReport, as in user programs: no report options, several runs, a report that outlives
// its engine.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <pva/pva.hpp>

#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;

static int bad;
#define CHECK(what) ((what) ? (void)0 : (std::printf("%s:%d: %s\n", __FILE__, __LINE__, #what), (void)++bad))

static pva::Report run(const char *codelets)
{
    IPUModel model;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets(codelets);
    Tensor a = graph.addVariable(FLOAT, { 8 }, "a"), out = graph.addVariable(FLOAT, {}, "out");
    graph.setTileMapping(a, 0);
    graph.setTileMapping(out, 1);
    ComputeSet set = graph.addComputeSet("dot");
    auto vertex = graph.addVertex(set, "Dot", { { "a", a }, { "b", a }, { "out", out } });
    graph.setTileMapping(vertex, 2);
    graph.setPerfEstimate(vertex, 100);
    Engine engine(graph, { Sequence({ Execute(set) }), Sequence({ Repeat(3, Execute(set)) }) });
    engine.load(device);
    CHECK(engine.getReport().execution().runs().empty());
    for (int i = 0; i < 3; ++i)
        engine.run(0);
    engine.run(1);
    engine.run(0);
    CHECK(engine.getReport(false).execution().runs().empty());
    CHECK(engine.getReport(false).compilation().graph().numVertices() == 1);
    pva::Report report = engine.getReport();
    ProfileValue profile = engine.getExecutionProfile();
    CHECK(report.execution().totalCycles().total() == profile["simulation"]["cycles"].asUint());
    return report;
}

static std::size_t files_of(const char *directory)
{
    std::size_t count = 0;
    DIR *entries = opendir(directory);
    while (dirent *entry = readdir(entries))
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

// Whether another process sees a lock on a file that this one writes.
static bool is_locked(const std::string &file)
{
    int how = 0;
    const pid_t child = fork();
    if (!child) {
        const int descriptor = open(file.c_str(), O_RDONLY);
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        lock.l_start = 0x40000002; // SQLite's bytes of readers and writers
        lock.l_len = 510;
        _exit(fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
    }
    return waitpid(child, &how, 0) == child && how == 0;
}

// A process that checks the report of its own live engine keeps the engine's locks on it.
static void check_locks(const std::string &directory)
{
    std::string said;
    pop_error error = {};
    const auto found = [](void *context, bool, const char *text) { *static_cast<std::string *>(context) += text; };
    CHECK(is_locked(directory + "/profile.pop"));
    CHECK(pva_check_files(directory.c_str(), found, &said, &error) == POP_OK);
    CHECK(is_locked(directory + "/profile.pop"));
    CHECK(said.find("is written now, by process " + std::to_string(getpid())) != std::string::npos);
    CHECK(pva_repair(directory.c_str(), &error) != POP_OK && std::strstr(error.text, "still has it open"));
    CHECK(is_locked(directory + "/profile.pop"));
}

// An engine that captures: its report during the runs has the names of the runs and the operations, like its
// files.
static void check_captured(const std::string &directory)
{
    IPUModel model;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    Tensor x = graph.addVariable(FLOAT, { 8 }, "x");
    graph.setTileMapping(x, 1);
    Sequence sequence;
    popops::addInPlace(graph, x, x, sequence, "layer");
    Engine engine(graph, sequence, { { "autoReport.all", "true" }, { "autoReport.directory", directory } });
    engine.load(device);
    engine.run(0, "warm up");
    for (int i = 0; i < 3; ++i)
        engine.run(0, "step");
    engine.run(0);
    const auto report = engine.getReport();
    const auto runs = report.execution().runs();
    CHECK(runs.size() == 5);
    CHECK(runs[0].name() == "warm up" && runs[1].name() == "step" && runs[3].name() == "step");
    CHECK(runs[4].name() == "Engine::run #4");
    CHECK(!report.debugContexts().empty() && report.warning().empty());
    CHECK(report.operations().size() == 1 && report.operations()[0].name().find("layer") == 0);
    check_locks(directory);
    engine.resetExecutionProfile();
    engine.run(0, "again");
    CHECK(engine.getReport().execution().runs()[0].name() == "again");
}

int main(int argc, char **argv)
{
    char temporary[] = "/tmp/get-report-XXXXXX";
    if (argc != 2 || !mkdtemp(temporary))
        return 2;
    setenv("TMPDIR", temporary, 1);
    const pva::Report report = run(argv[1]); // the engine is destroyed
    const auto runs = report.execution().runs();
    CHECK(runs.size() == 5);
    CHECK(runs[0].name() == "Engine::run #0" && runs[4].name() == "Engine::run #4");
    std::string sets;
    for (const auto &each : runs) {
        for (const auto &step : each.steps())
            sets += step.program()->type() == pva::Program::Type::OnTileExecute ? "x" : "";
        sets += ";";
    }
    CHECK(sets == "x;x;x;xxx;x;");
    std::size_t steps = 0;
    for (const auto &each : runs)
        steps += each.steps().size();
    CHECK(steps == report.execution().steps().size());
    CHECK(files_of(temporary) == 0); // no file is left
    const std::string own = std::string(temporary) + "/own";
    check_captured(own);
    CHECK(files_of(temporary) == 1);
    {
        const auto written = pva::openReport(own);
        CHECK(written.operations().size() == 1 && written.execution().runs()[0].name() == "warm up");
    }
    for (const char *file : { "/profile.pop", "/debug.cbor", "/archive.a", "" })
        CHECK(remove((own + file).c_str()) == 0);
    CHECK(remove(temporary) == 0);
    std::printf("%s\n", bad ? "failed" : "passed");
    return bad != 0;
}
