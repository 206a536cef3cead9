// SPDX-License-Identifier: Apache-2.0
// Control programs, one test for each class.
#include <sstream>

#include <poplar/Program.hpp>

#include "run_graph.hpp"

using namespace poplar;
using namespace poplar::program;

TEST(programs_are_values)
{
    RunGraph g;
    Execute one(g.addOne);
    Program copy = one, none;
    CHECK(copy == one && none != one && none.isEmpty() && !one.isEmpty());
    Sequence a, b;
    CHECK(a.isEmpty() && a != b && a == a);
    a.add(one);
    CHECK(!a.isEmpty());
    Sequence nothing;
    nothing.add(none);
    CHECK(nothing.isEmpty());
    std::vector<Program> programs(3);
    programs[0] = a;
    programs[2] = one;
    CHECK(programs[1].isEmpty() && g.first(programs[0]) == 1 && g.first(programs[1]) == 0 && g.first(programs[2]) == 1);
}

TEST(sequences)
{
    RunGraph g;
    Execute one(g.addOne);
    const DebugNameAndId dnai("parent");
    Sequence s1, s2("name"), s3{ one }, s4({ one, one }), s5({ one, one }, "named"), s6({}, { dnai }),
        s7({ one }, { dnai, "child" });
    Sequence s8{ {}, { dnai } }, s9{ { one, one }, { dnai } }, s10(DebugContext("context")), s11{ s3, s4 }, s12{ s4 },
        s13({ s4 }), s14{};
    Sequence s15{ Execute(g.addOne), Copy(g.v, g.v), Repeat(2, Sequence{ one }) }, s16 = s5;
    CHECK(s1.isEmpty() && s2.isEmpty() && s6.isEmpty() && s8.isEmpty() && s10.isEmpty() && s14.isEmpty());
    CHECK(g.first(s3) == 1 && g.first(s4) == 2 && g.first(s5) == 2 && g.first(s7) == 1 && g.first(s9) == 2);
    CHECK(g.first(s11) == 3 && g.first(s12) == 2 && g.first(s13) == 2 && g.first(s15) == 3 && g.first(s16) == 2);
    s1.add(one);
    s1.add(s4);
    CHECK(g.first(s1) == 3);
}

TEST(sequences_of_arguments)
{
    RunGraph g;
    Execute one(g.addOne);
    Sequence two(one, one), three(two, Execute(g.addOne)), four(Execute(g.addOne), one, two), single(Execute(g.addOne));
    CHECK(g.first(two) == 2 && g.first(three) == 3 && g.first(four) == 4 && g.first(single) == 1);
}

TEST(a_sequence_before_any_graph)
{
    Sequence outer, inner;
    Repeat thrice(3, inner);
    outer.add(thrice);
    outer.add(Sync(SyncType::INTERNAL));
    RunGraph g;
    inner.add(Execute(g.addOne)); // the Repeat that contains it sees the addition
    CHECK(g.first(outer) == 3);
    inner.add(Execute(g.addOne)); // after compiling too
    CHECK(g.first(outer) == 6);
}

TEST(copies_of_a_sequence_are_independent)
{
    RunGraph g;
    Execute one(g.addOne);
    for (bool known : { false, true }) {
        Sequence a;
        if (known)
            a.add(one);
        Sequence b = a, c(a);
        CHECK(b == a && c == a);
        b.add(one);
        CHECK(b != a && c == a);
        a.add(one);
        a.add(one);
        CHECK(g.first(b) == 1.0f + known && g.first(a) == 2.0f + known && g.first(c) == 2.0f + known);
        Sequence moved = std::move(a);
        moved.add(one);
        CHECK(g.first(moved) == 3.0f + known && g.first(c) == 3.0f + known);
        std::vector<Sequence> many(2, b);
        many[0].add(one);
        CHECK(g.first(many[0]) == 2.0f + known && g.first(many[1]) == 1.0f + known && g.first(b) == 1.0f + known);
    }
}

TEST(a_sequence_that_contains_itself)
{
    RunGraph g;
    Sequence a, b;
    CHECK_THROWS(a.add(a), graph_recursion_error, "itself");
    a.add(b);
    CHECK_THROWS(b.add(a), graph_recursion_error, "itself");
    a.add(Execute(g.addOne)); // the graph reports the error now
    b.add(a);
    CHECK_THROWS(g.first(a), graph_recursion_error, "itself");
    CHECK(g.first(Execute(g.addOne)) == 1);
}

TEST(execute)
{
    RunGraph g;
    Tensor more = g.graph.addVariable(BOOL, {}, "more");
    g.graph.setTileMapping(more, 0);
    g.graph.createHostRead("more", more);
    Engine engine(g.graph, { Execute(g.countDown, more, "down"), Execute(g.addOne, { "name" }),
                             Execute(ComputeSet(g.addOne.getId())) });
    engine.load(g.device);
    int two = 2;
    engine.writeTensor("counter", &two);
    for (bool expected : { true, false }) {
        bool seen = !expected;
        engine.run(0);
        engine.readTensor("more", &seen);
        CHECK(seen == expected);
    }
    engine.run(1);
    engine.run(2);
    float v[4];
    engine.readTensor("v", v);
    CHECK(v[3] == 2);
    CHECK_THROWS(Execute{ ComputeSet() }, control_program_error, "null");
    CHECK_THROWS(Call{ Function() }, control_program_error, "test_program.cpp");
}

TEST(copy_tensors)
{
    RunGraph g;
    Tensor w = g.graph.addConstant<float>(FLOAT, { 4 }, { 1, 2, 3, 4 });
    g.graph.setTileMapping(w, 1 % g.device.getTarget().getNumTiles());
    const DebugNameAndId dnai("di");
    for (const Copy &copy : { Copy(w, g.v), Copy(w, g.v, false, { dnai }), Copy(w, g.v, true),
                              Copy(w, g.v, { dnai, "x" }), Copy(w, g.v, "name") })
        CHECK(g.after(copy) == std::vector<float>({ 1, 2, 3, 4 }));
    CHECK_THROWS(Copy(w.slice(0, 2), g.v), control_program_error, "test_program.cpp");
    CHECK_THROWS(Copy(w, g.counter), poplar_error, "");
    CHECK_THROWS(Copy(Tensor(), g.v), control_program_error, "null");
    CHECK_THROWS(Copy(Tensor(), Tensor()), control_program_error, "null");
    CHECK_THROWS(Copy(Tensor(), Tensor()), control_program_error, "test_program.cpp");
    CHECK_THROWS(Copy(FunctionBuffer(), Function()), poplar_error, "does not hold the code of this function");
    CHECK(g.after(Copy(w, g.v))[3] == 4); // the errors did not change the graph
}

TEST(errors_name_the_line)
{
    RunGraph g;
    const int line = __LINE__ + 1;
    CHECK_THROWS(Copy(g.v.slice(0, 2), g.v), control_program_error, "test_program.cpp:" + std::to_string(line));
}

TEST(copy_streams)
{
    RunGraph g;
    DataStream in = g.graph.addHostToDeviceFIFO("in", FLOAT, 4), out = g.graph.addDeviceToHostFIFO("out", FLOAT, 4);
    Engine engine(g.graph, Sequence{ Copy(in, g.v), Execute(g.addOne), Copy(g.v, out, false, "name"),
                                     Copy(in, g.v, true, { "x" }) });
    engine.load(g.device);
    float from[4] = { 1, 2, 3, 4 }, to[4] = {};
    engine.connectStream("in", from);
    engine.connectStream(out, to);
    engine.run();
    CHECK(to[0] == 2 && to[3] == 5);
}

TEST(copy_remote_buffers)
{
    RunGraph g;
    RemoteBuffer far = g.graph.addRemoteBuffer("far", FLOAT, 2, 3),
                 single = g.graph.addRemoteBuffer("single", FLOAT, 4);
    Tensor rows = g.graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 2, 0 }),
           row = g.graph.addConstant<int>(INT, {}, 1);
    g.graph.setTileMapping(rows, 0);
    g.graph.setTileMapping(row, 0);
    Sequence prog{ Copy(far, g.v.reshape({ 2, 2 }), rows), Execute(g.addOne), Copy(g.v, single, "whole"),
                   Copy(g.v.slice(0, 2), far, row, { "row" }), Copy(single, g.v) };
    Engine engine(g.graph, prog);
    engine.load(g.device);
    float values[3][2] = { { 1, 2 }, { 0, 0 }, { 5, 6 } }, back[2] = {}, v[4] = {};
    for (unsigned i = 0; i < 3; ++i)
        engine.copyToRemoteBuffer(values[i], "far", i);
    engine.run();
    engine.copyFromRemoteBuffer("far", back, 1);
    engine.readTensor("v", v);
    CHECK(back[0] == 6 && back[1] == 7 && v[0] == 6 && v[3] == 3);
}

TEST(repeat)
{
    RunGraph g;
    Execute one(g.addOne);
    CHECK(g.first(Repeat(5, one)) == 5 && g.first(Repeat(10, one, "name")) == 10 && g.first(Repeat(0, one)) == 0);
    CHECK(g.first(Repeat{ 20, Sequence{ one, one } }) == 40 && g.first(Repeat(2, Repeat(3, one), { "outer" })) == 6);
    CHECK(g.first(Repeat(4, Sequence())) == 0 && g.first(Repeat(7, Program())) == 0);
}

TEST(repeat_while)
{
    RunGraph g;
    Sequence condition{ Execute(g.countDown, g.flag) };
    CHECK(g.first(RepeatWhileTrue(condition, g.flag, Execute(g.addOne))) == 2); // 3, 2, 1
    CHECK(g.first(RepeatWhileTrue(condition, g.counter, Execute(g.addOne), "by number")) == 2);
    CHECK(g.first(RepeatWhileFalse(condition, g.flag, Execute(g.addOne), { "never" })) == 0);
    CHECK_THROWS(RepeatWhileTrue(condition, g.v, Sequence()), control_program_error, "elements");
    CHECK_THROWS(RepeatWhileTrue(Sequence(), Tensor(), Sequence()), control_program_error, "null");
}

TEST(if_programs)
{
    RunGraph g;
    Execute one(g.addOne);
    CHECK(g.first(If(g.counter, one, Sequence())) == 1 && g.first(If(g.flag, Sequence(), Repeat(3, one), "name")) == 3);
    CHECK(g.first(If(g.flag, Abort("never"), Sequence{})) == 0);
}

TEST(switches)
{
    RunGraph g;
    Execute one(g.addOne);
    CHECK(g.first(Switch(g.counter, { { 1, one }, { 3, Repeat(3, one) } })) == 3);
    CHECK(g.first(Switch(g.counter, { { 1, one }, { 2, one } }, Repeat(7, one), "name")) == 7);
    CHECK(g.first(Switch(g.counter, Repeat(5, one))) == 5);
    Switch added(g.counter, { "named" });
    added.add(3, one).add(4, Sequence());
    CHECK(g.first(added) == 1);
    CHECK_THROWS(added.add(3, one), control_program_error, "3");
    CHECK_THROWS(g.first(Switch::switchWithBoundsChecking(g.counter, { { 1, one } })), application_runtime_error,
                 "Switch");
    CHECK(g.first(Switch::switchWithUnreachableDefault(g.counter, { { 3, one } }, { "u" })) == 1);
    Switch bare = Switch::switchWithUnreachableDefault(g.counter);
    bare.add(3, one);
    CHECK(g.first(bare) == 1);
}

TEST(calls)
{
    RunGraph g;
    Function twice = g.graph.addFunction(Sequence{ Execute(g.addOne), Execute(g.addOne) });
    CHECK(g.first(Sequence{ Call(twice), Call(twice, "again"), Call(Function(twice.getId())) }) == 6);

    HostFunction half = g.graph.addHostFunction("half", { Graph::HostFunctionArgument(FLOAT, 4) },
                                                { Graph::HostFunctionArgument(FLOAT, 4) });
    Engine engine(g.graph, Sequence{ Execute(g.addOne), Call(half, { g.v }, { g.v }, { "host" }) });
    engine.load(g.device);
    engine.connectHostFunction(half, 0, [](ArrayRef<const void *> in, ArrayRef<void *> out) {
        for (unsigned i = 0; i < 4; ++i)
            static_cast<float *>(out[0])[i] = static_cast<const float *>(in[0])[i] / 2;
    });
    engine.run();
    float v[4];
    engine.readTensor("v", v);
    CHECK(v[2] == 0.5f);
    CHECK_THROWS(Call(half, {}, { g.v }), control_program_error, "");
}

static std::string printed(RunGraph &g, const Program &program)
{
    std::ostringstream out;
    Engine engine(g.graph, program);
    engine.setPrintTensorStream(out);
    engine.load(g.device);
    engine.run();
    return out.str();
}

TEST(print_tensor)
{
    RunGraph g;
    Tensor t = g.graph.addConstant<float>(FLOAT, { 4 }, { 7.0f, 6.0f, 4.5f, 2.5f }),
           m = g.graph.addConstant<int>(INT, { 2, 2 }, { 1, 2, 3, 4 });
    g.graph.setTileMapping(t, 0);
    g.graph.setTileMapping(m, 0);
    CHECK(printed(g, PrintTensor("v2", t)) == "v2: [7.0000000 6.0000000 4.5000000 2.5000000]\n");
    CHECK(printed(g, PrintTensor(g.v)) == "v: [0.0000000 0.0000000 0.0000000 0.0000000]\n");
    CHECK(printed(g, PrintTensor(g.v, { "debug name" })) == "v: [0.0000000 0.0000000 0.0000000 0.0000000]\n");
    CHECK(printed(g, PrintTensor(std::string("m"), m, "name")) == "m: [\n [1 2]\n [3 4]\n]\n");
    CHECK(printed(g, Sequence{ PrintTensor("a", m[0]), PrintTensor("b", m[1]) }) == "a: [1 2]\nb: [3 4]\n");
}

TEST(print_formats)
{
    RunGraph g;
    Tensor t = g.graph.addConstant<float>(FLOAT, { 4 }, { 7.0f, 6.0f, 4.5f, 2.5f });
    g.graph.setTileMapping(t, 0);
    const PrintTensorFmt braces(1000, 3, 75, 3, PrintTensorFmt::FloatFormat::Fixed, ',', '{', '}');
    CHECK(printed(g, PrintTensor("t", t, braces)) == "t: {7.00,6.00,4.50,2.50}\n");
    CHECK(printed(g, PrintTensor("t", t, PrintTensorFmt(2, 1), "name")) == "t: [7.0000000       ... 2.5000000]\n");
    CHECK(printed(g, PrintTensor("t", t, PrintTensorFmt::disableFormatting())) == "t: 7 6 4.5 2.5\n");
    CHECK(printed(g, PrintTensor(g.v, PrintTensorFmt())) == printed(g, PrintTensor(g.v)));
}

TEST(programs_without_effect)
{
    RunGraph g;
    CHECK(g.first(Sequence{ WriteUndef(g.counter), WriteUndef(g.counter, { "n" }), Sync(SyncType::INTERNAL),
                            Sync(SyncType::EXTERNAL), Sync(SyncType::GLOBAL, "n"), AssumeEqualAcrossReplicas(g.v),
                            AssumeEqualAcrossReplicas(g.v, "n"), Execute(g.addOne),
                            Block(Execute(g.addOne), "block") }) == 2);
    CHECK_THROWS(WriteUndef(Tensor()), control_program_error, "null");
}

TEST(aborts)
{
    RunGraph g;
    const std::string text = "because";
    CHECK_THROWS(g.first(Abort()), application_runtime_error, "abort");
    CHECK_THROWS(g.first(Abort("the end")), application_runtime_error, "the end");
    CHECK_THROWS(g.first(Sequence{ Abort(text, { "name" }) }), application_runtime_error, "because");
    CHECK_THROWS(g.first(AbortOnCondition(g.counter)), runtime_error, "");
    CHECK_THROWS(g.first(AbortOnCondition(g.counter, "not zero", "name")), application_runtime_error, "not zero");
    CHECK_THROWS(g.first(AbortOnCondition(g.counter, text)), poplar_error, "because");
    CHECK(g.first(Sequence{ AbortOnCondition(g.flag, "never"), Execute(g.addOne) }) == 1);
    const Type types[] = { FLOAT, HALF };
    for (const Type &type : types) {
        RunGraph real;
        Tensor zero = real.graph.addConstant(type, {}, 0.0f), little = real.graph.addConstant(type, { 1 }, 1e-7f);
        real.graph.setTileMapping(zero, 0);
        real.graph.setTileMapping(little, 0);
        CHECK(real.first(Sequence{ AbortOnCondition(zero, "never"), Execute(real.addOne) }) == 1);
        CHECK_THROWS(real.first(AbortOnCondition(little, "not zero")), application_runtime_error, "not zero");
    }
}

TEST(error_program)
{
    RunGraph g;
    std::ostringstream out;
    Engine engine(g.graph, ErrorProgram("look at this", g.counter, "name"));
    engine.setPrintStream(out);
    engine.load(g.device);
    CHECK_THROWS(engine.run(), application_runtime_error, "look at this");
    CHECK(out.str() == "look at this: 0\n");
}

TEST(dump)
{
    RunGraph g;
    std::ostringstream out;
    dumpProgram(g.graph, Sequence{ Execute(g.addOne), Repeat(3, Copy(g.v, g.v)) }, out);
    CHECK(check::contains(out.str(), "Sequence") && check::contains(out.str(), "'addOne'") &&
          check::contains(out.str(), "Repeat 3 times"));
}

TEST(graphs_of_programs)
{
    RunGraph g;
    std::ostringstream compute, vertices;
    g.graph.outputComputeGraph(compute, { Execute(g.addOne), Copy(g.v, g.v) });
    g.graph.outputVertexGraph(vertices, std::vector<Program>{ Sequence{ Execute(g.addOne) } });
    CHECK(check::contains(compute.str(), "digraph") && check::contains(vertices.str(), "AddOne"));
}

namespace popops
{
static Sequence helper(const Tensor &t)
{
    using namespace poplar;
    return Sequence{ program::Copy(t, t) };
}
static void Copy(const Tensor &)
{
}
} // namespace popops
TEST(names_do_not_clash)
{
    RunGraph g;
    popops::Copy(g.v);
    CHECK(!popops::helper(g.v).isEmpty());
    poplar::program::Sequence s;
    s.add(poplar::program::If(g.flag, program::Sequence(), Sequence()));
    CHECK(g.first(s) == 0);
}

TEST(failed_construction_changes_nothing)
{
    RunGraph g, other;
    Tensor mine = g.graph.addVariable(FLOAT, { 1 }, "mine"), theirs = other.graph.addVariable(FLOAT, { 1 }, "theirs");
    Sequence first, second, both;
    both.add(first);
    both.add(second);
    first.add(Copy(theirs, theirs));
    second.add(PrintTensor("mine", mine));
    for (int i = 0; i < 2; ++i)
        CHECK_THROWS(both.c(g.graph.c()), poplar_error, "another graph");
}

TEST(programs_that_contain_themselves)
{
    RunGraph g;
    Sequence sequence;
    Repeat repeat(2, sequence);
    Sequence around{ repeat, sequence, sequence };
    CHECK_THROWS(sequence.add(sequence), graph_recursion_error, "test_program.cpp");
    CHECK_THROWS(sequence.add(repeat), graph_recursion_error, "hold itself");
    CHECK_THROWS(sequence.add(around), graph_recursion_error, "hold itself");
    CHECK(around.c(g.graph.c()).id && sequence.isEmpty());
}

TEST(depth_has_no_limit)
{
    RunGraph g;
    Sequence outer;
    Program repeats = Sequence();
    for (int i = 0; i < 100000; ++i) {
        Sequence around;
        around.add(outer);
        outer = around;
        repeats = Repeat(1, repeats);
    }
    CHECK(outer.c(g.graph.c()).id != 0);
    Sequence waiting;
    for (int i = 0; i < 100000; ++i) {
        Sequence around;
        around.add(waiting);
        waiting = around;
    }
}

TEST(an_error_is_thrown_by_the_call_that_made_it)
{
    RunGraph g, other;
    ComputeSet set = g.graph.addComputeSet("set");
    CHECK_THROWS(Execute(set, other.graph.addVariable(BOOL, {}, "consensus")), poplar_error, "another graph");
    CHECK(g.graph.addVariable(FLOAT, { 1 }).valid());
}

MAIN()
