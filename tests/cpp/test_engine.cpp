// SPDX-License-Identifier: Apache-2.0
// Engines: constructed in every way, loaded, run, queried; executables.
#include <poplar/Engine.hpp>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "run_graph.hpp"

using namespace poplar;
using namespace poplar::program;

static float firstOf(Engine &engine)
{
    float v[4];
    engine.readTensor("v", v);
    return v[0];
}

// The line of this file as errors print it.
static std::string line(int number)
{
    return "test_engine.cpp:" + std::to_string(number);
}

TEST(engines_of_lists)
{
    RunGraph g;
    Sequence one{ Execute(g.addOne) }, none;
    Copy self(g.v, g.v);
    std::vector<Program> programs = { one, self };
    const OptionFlags options{ { "debug.instrument", "true" } };
    Engine braces(g.graph, { one, none }), vector(g.graph, programs), inBraces(g.graph, { one }),
        mixed(g.graph, { one, self, Program() });
    Engine withOptions(g.graph, { one, none }, { { "debug.instrument", "true" } }), two(g.graph, programs, options);
    Engine more(g.graph, { one }, { { "debug.instrument", "true" }, { "opt.maxCompilationThreads", "1" } }, {}, "name");
    Engine ofNone(g.graph, std::vector<Program>());
    for (Engine *engine : { &braces, &vector, &inBraces, &mixed, &withOptions, &two, &more }) {
        engine->load(g.device);
        engine->run(0);
        CHECK(firstOf(*engine) == 1);
    }
    ofNone.load(g.device);
    CHECK_THROWS(ofNone.run(0), index_error, "0");
    mixed.run(2);
    CHECK_THROWS(mixed.run(3), index_error, "3");
}

TEST(engines_of_one_program)
{
    RunGraph g;
    Sequence one{ Execute(g.addOne) };
    Engine sequence(g.graph, one), execute(g.graph, Execute(g.addOne)),
        repeat(g.graph, Repeat(1, one), { { "debug.instrument", "false" } });
    Executable executable = compileGraph(g.graph, { one });
    Engine shared(executable), again(executable, { { "debug.instrument", "false" } }),
        moved(std::move(executable), OptionFlags());
    std::vector<Engine> engines;
    engines.push_back(std::move(shared));
    engines.push_back(std::move(again));
    for (Engine *engine : { &sequence, &execute, &repeat, &moved, &engines[0], &engines[1] }) {
        engine->load(g.device);
        engine->run();
        engine->run(0, "name");
        CHECK(firstOf(*engine) == 2);
    }
    Device device = RunGraph::ipuModel();
    CHECK_THROWS(sequence.load(device), runtime_error, "compiled for");
    CHECK_THROWS(Engine(g.graph, one, { { "no.such.option", "1" } }), invalid_option, "no.such.option");
    CHECK_THROWS(Engine(Graph(), Sequence()), graph_object_creation_error, "graph");
}

TEST(a_graph_may_be_moved)
{
    RunGraph g;
    Sequence one{ Execute(g.addOne) };
    Engine engine(std::move(g.graph), one);
    engine.load(g.device);
    engine.run();
    CHECK(firstOf(engine) == 1);
    RunGraph h;
    const int two = 2;
    Sequence rest{ Repeat(two, Execute(h.addOne)) };
    Engine list(std::move(h.graph), { rest, rest });
    list.load(h.device);
    list.run(1);
    CHECK(firstOf(list) == 2);
}

TEST(load)
{
    RunGraph g;
    g.graph.setInitialValue(g.v[0], 5.0f);
    Engine engine(g.graph, Execute(g.addOne));
    float v[4];
    CHECK_THROWS(engine.run(), runtime_error, "load");
    CHECK_THROWS(engine.readTensor("v", v), runtime_error, "load");
    engine.load(g.device);
    engine.run();
    CHECK(firstOf(engine) == 6);
    engine.load(g.device); // initial values again
    CHECK(firstOf(engine) == 5);
    engine.prepare(g.device);
    engine.deploy();
    engine.prepare(g.device, OptionFlags());
    engine.loadAndRun(g.device);
    engine.run();
    CHECK(firstOf(engine) == 7);
    engine.stop();
    CHECK_THROWS(engine.load(Device()), runtime_error, "NULL");
}

TEST(run_keeps_state)
{
    RunGraph g;
    Engine engine(g.graph, { Execute(g.addOne), Repeat(10, Execute(g.addOne)) });
    engine.load(g.device);
    engine.run(1);
    engine.run(0, "the name of this run", RuntimeOptions());
    engine.run();
    CHECK(firstOf(engine) == 12);
}

TEST(options_of_runs_are_checked_and_kept)
{
    RunGraph g;
    Engine engine(g.graph, PrintTensor("v", g.v));
    std::ostringstream printed;
    engine.setPrintTensorStream(printed);
    engine.load(g.device);
    engine.run(0);
    const std::string plain = printed.str();
    printed.str("");
    engine.run(0, "guide", RuntimeOptions({ { "print.guideFormat", "true" } }));
    CHECK(printed.str() != plain && printed.str().find("{0,0,0,0}") != std::string::npos);
    CHECK_THROWS(engine.run(0, RuntimeOptions({ { "print.guideFormt", "true" } })), invalid_option,
                 "print.guideFormat");
    CHECK_THROWS(engine.prepare(g.device, RuntimeOptions({ { "exchange.enablePrefetch", "maybe" } })), invalid_option,
                 "maybe");
    engine.run(0, RuntimeOptions({ { "target.hostSyncTimeout", "10" }, { "streamCallbacks.numWorkerThreads", "1" } }));
}

TEST(targets_of_codelets_are_checked)
{
    RunGraph g;
    CHECK(g.graph.addCodelets(CODELETS "/run.c", CodeletFileType::Auto, "", "ipu2"));
    CHECK(g.graph.addCodelets(CODELETS "/run.c", CodeletFileType::Auto, "", "cpu"));
    CHECK_THROWS(g.graph.addCodelets(CODELETS "/run.c", CodeletFileType::Auto, "", "ipu7"), invalid_option, "ipu7");
    std::istringstream source("");
    CHECK_THROWS(g.graph.addCodelets(source, "", CodeletFileType::CppSource, "x"), invalid_option, "'x' is no target");
}

TEST(tensors_by_handle)
{
    RunGraph g;
    Engine engine(g.graph, Execute(g.addOne));
    engine.load(g.device);
    std::vector<float> in = { 1, 2, 3, 4 }, out(4), few(3);
    const std::string name = "v";
    engine.writeTensor("v", in.data(), in.data() + in.size());
    engine.readTensor(name, out.data(), out.data() + out.size());
    CHECK(out == in);
    engine.run();
    engine.readTensor(StringRef(name), out.data());
    CHECK(out[3] == 5);
    engine.writeTensor(name, &in[0]);
    engine.writeTensor("v", in);
    engine.writeTensor("v", ArrayRef<float>(in));
    engine.readTensor("v", out);
    CHECK(out == in);
    int counter = 9, seen = 0;
    engine.writeTensor("counter", &counter);
    engine.readTensor("counter", &seen, &seen + 1);
    CHECK(seen == 9);
    CHECK_THROWS(engine.readTensor("v", few), tensor_io_state_error, "16");
    CHECK_THROWS(engine.writeTensor("v", few.data(), few.data() + 3), tensor_io_state_error, "12");
    CHECK_THROWS(engine.writeTensor("w", in.data()), tensor_io_state_error, "'w'");
}

TEST(streams_that_fail_are_errors)
{
    RunGraph g(true);
    Executable executable = compileGraph(g.graph, { Execute(g.addOne) });
    std::ofstream full("/dev/full");
    CHECK_THROWS(executable.serialize(full), poplar_error, "the stream has failed");
    Engine engine(executable);
    engine.load(g.device);
    engine.run();
    std::ostringstream bad;
    bad.setstate(std::ios::badbit);
    CHECK_THROWS(engine.printProfileSummary(bad), poplar_error, "the stream has failed");
}

TEST(progress)
{
    RunGraph g;
    int calls = 0, last = 0, all = 0;
    const ProgressFunc tell = [&](int done, int total) { ++calls, last = done, all = total; };
    compileGraph(g.graph, { Execute(g.addOne) }, {}, tell, "name");
    CHECK(calls > 0 && last == all);
    Engine engine(g.graph, Execute(g.addOne), {}, [&](int, int) { --calls; });
    CHECK(calls == 0);
    CHECK_THROWS(
        compileGraph(g.graph, { Execute(g.addOne) }, {}, [](int, int) { throw std::out_of_range("from progress"); }),
        std::out_of_range, "from progress");
    CHECK_THROWS(compileGraph(g.graph, { Execute(g.addOne) }, { { "opt.maxCompilationThread", "1" } }), invalid_option,
                 "opt.maxCompilationThreads");
    int last_step = 0;
    CHECK_THROWS(compileGraph(g.graph, { Execute(g.addOne) }, {},
                              [&](int done, int) {
                                  last_step = done;
                                  if (done == 2)
                                      throw std::out_of_range("at 2");
                              }),
                 std::out_of_range, "at 2");
    CHECK(last_step == 2);
    compileGraph(g.graph, { Execute(g.addOne) }, {}, tell); // the graph is unchanged
    const OptionFlags wrong{ { "opt.nothing", "1" } };
    CHECK_THROWS(compileGraph(g.graph, { Execute(g.addOne) }, wrong), invalid_option, line(__LINE__));
    CHECK_THROWS(Engine(g.graph, Execute(g.addOne), wrong), invalid_option, line(__LINE__));
    CHECK_THROWS(Engine(g.graph, Execute(g.addOne), wrong, tell), invalid_option, line(__LINE__));
    compileGraph(std::move(g.graph), std::vector<Program>{ Sequence() });
}

TEST(executables_are_saved)
{
    std::stringstream file, second;
    Device device = Device::createCPUDevice();
    {
        RunGraph g;
        DataStream in = g.graph.addHostToDeviceFIFO("in", FLOAT, 4);
        g.graph.setInitialValue(g.counter, 3);
        Sequence prog{ Copy(in, g.v), Execute(g.addOne), PrintTensor("v", g.v) };
        Executable executable = compileGraph(g.graph, { prog, Execute(g.countDown) });
        Executable copy = executable;
        copy.serialize(file);
        Engine(copy).serializeExecutable(second);
    }
    CHECK(file.str() == second.str());
    file.exceptions(std::ios::failbit | std::ios::badbit); // a valid file is no error
    Engine engine(Executable::deserialize(file));
    device.attach();
    engine.load(device);
    std::ostringstream printed;
    engine.setPrintTensorStream(printed);
    float values[4] = { 1, 2, 3, 4 }, v[4];
    engine.connectStream("in", values);
    engine.run(0);
    engine.run(1);
    engine.readTensor("v", v);
    int counter = 0;
    engine.readTensor("counter", &counter);
    CHECK(v[3] == 5 && counter == 2 && printed.str() == "v: [2.0000000 3.0000000 4.0000000 5.0000000]\n");
    std::istringstream broken("this is no executable");
    CHECK_THROWS(Executable::deserialize(broken), file_load_error, "executable");
    std::unique_ptr<std::istream> owned(new std::istringstream(second.str()));
    std::ostringstream again;
    Executable::deserialize(std::move(owned)).serialize(again);
    CHECK(again.str() == second.str());
    CHECK_THROWS(Executable::deserialize(std::unique_ptr<std::istream>()), poplar_error, "no stream");
    CHECK_THROWS(Engine{ Executable() }, poplar_error, "NULL");
}

TEST(profiles)
{
    RunGraph g(true);
    Engine engine(g.graph, Repeat(3, Execute(g.addOne)), { { "debug.instrument", "true" } });
    engine.load(g.device);
    engine.run();
    ProfileValue graph = engine.getGraphProfile(), execution = engine.getExecutionProfile(), both = engine.getProfile();
    CHECK(graph["target"]["numTiles"].asUint() == 4 || graph["target"].size() > 0);
    CHECK(both["graphProfile"] == graph && both["executionProfile"] == execution);
    std::ostringstream text, summary, first, second, json;
    engine.printProfileSummary(text, { { "showExecutionSteps", "true" } });
    printProfileSummary(summary, graph, execution, { { "showExecutionSteps", "true" } });
    CHECK(check::contains(text.str(), "Memory Usage:") && text.str() == summary.str());
    printGraphSummary(first, graph, {});
    printExecutionSummary(second, graph, execution);
    CHECK(!first.str().empty() && !second.str().empty());
    serializeToJSON(json, graph);
    CHECK(check::contains(json.str(), "\"target\""));
    engine.disableExecutionProfiling();
    engine.resetExecutionProfile();
    engine.run();
    CHECK(engine.getExecutionProfile()["profilerMode"].asString() == "NONE");
    engine.enableExecutionProfiling();
    engine.run();
    CHECK(engine.getExecutionProfile()["profilerMode"].asString() != "NONE");
    CHECK_THROWS(engine.printProfileSummary(text, { { "showNothing", "true" } }), invalid_option, "showNothing");
}

TEST(queries_of_an_engine)
{
    RunGraph g;
    DataStream in = g.graph.addHostToDeviceFIFO("in", FLOAT, 4);
    Engine engine(g.graph, Copy(in, g.v), { { "debug.instrument", "true" } });
    CHECK(engine.listStreams() == std::vector<std::string>{ "in" });
    CHECK(engine.getEngineOptions().at("debug.instrument") == "true");
    TimerTimePoint start = engine.getTimeStamp();
    CHECK(!engine.reportTiming(start).empty());
}

TEST(print_stream)
{
    RunGraph g;
    std::ostringstream first, second;
    Engine engine(g.graph, Sequence{ PrintTensor("a", g.counter), PrintTensor("b", g.counter) },
                  { { "print.guideFormat", "true" } });
    engine.load(g.device);
    engine.setPrintStream(first);
    engine.run();
    engine.setPrintTensorStream(second);
    engine.run();
    engine.run();
    CHECK(first.str() == "a: 0\nb: 0\n" && second.str() == "a: 0\nb: 0\na: 0\nb: 0\n");
    second.setstate(std::ios::badbit);
    try {
        second.exceptions(std::ios::badbit);
    } catch (const std::ios::failure &) {
    }
    bool thrown = false;
    try {
        engine.run();
    } catch (const std::ios::failure &) {
        thrown = true;
    }
    CHECK(thrown);
}

TEST(programs_shared_between_engines_and_graphs_used_again)
{
    RunGraph g;
    Sequence shared{ Execute(g.addOne) };
    Engine first(g.graph, shared);
    shared.add(Execute(g.addOne));
    Engine second(g.graph, { shared, shared });
    first.load(g.device);
    second.load(g.device);
    first.run();
    second.run(1);
    CHECK(firstOf(first) == 1 && firstOf(second) == 2);
}

TEST(engines_outlive_graphs)
{
    std::unique_ptr<Engine> engine;
    Device device;
    {
        RunGraph g;
        engine.reset(new Engine(g.graph, Execute(g.addOne)));
        device = std::move(g.device);
    }
    engine->load(device);
    engine->run();
    Engine moved = std::move(*engine);
    CHECK(firstOf(moved) == 1);
}

TEST(errors_of_engines_name_the_line)
{
    RunGraph g;
    Engine engine(g.graph, Execute(g.addOne));
    float x = 0;
    CHECK_THROWS(engine.run(), runtime_error, line(__LINE__));
    engine.load(g.device);
    CHECK_THROWS(engine.run(7), poplar_error, line(__LINE__));
    CHECK_THROWS(engine.readTensor("nobody", &x), poplar_error, line(__LINE__));
    CHECK_THROWS(engine.connectStream("nobody", &x), stream_connection_error, line(__LINE__));
    CHECK_THROWS(engine.connectStreamToCallback("nobody", [](void *) {}), stream_connection_error, line(__LINE__));
    CHECK_THROWS(engine.deploy(), runtime_error, "prepare(device) first");
}

TEST(a_moved_from_engine)
{
    RunGraph g;
    Engine engine(g.graph, Execute(g.addOne));
    Engine there(std::move(engine));
    CHECK_THROWS(engine.run(), runtime_error, "moved away"); // NOLINT
    CHECK_THROWS(engine.load(g.device), runtime_error, "moved away");
    CHECK_THROWS(engine.getGraphProfile(), runtime_error, "moved away");
    engine = std::move(there);
    engine.load(g.device);
    engine.run();
}

MAIN()
