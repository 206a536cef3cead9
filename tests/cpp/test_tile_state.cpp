// SPDX-License-Identifier: Apache-2.0
// Tile state that programs read and set: clocks, seeds, floating-point behaviour.
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/RandomSeed.hpp>

#include "run_graph.hpp"

using namespace poplar;
using namespace poplar::program;

static std::uint64_t cycles(Engine &engine, const char *handle)
{
    std::uint32_t words[2];
    engine.readTensor(handle, words);
    return words[0] | static_cast<std::uint64_t>(words[1]) << 32;
}

TEST(cycle_count)
{
    RunGraph g(true);
    Sequence once{ Execute(g.addOne) }, thousand{ Repeat(1000, Execute(g.addOne)) };
    g.graph.createHostRead("once", cycleCount(g.graph, once, 0, SyncType::INTERNAL));
    g.graph.createHostRead("thousand", cycleCount(g.graph, thousand, 0, SyncType::EXTERNAL, "named"));
    Engine engine(g.graph, { once, thousand });
    engine.load(g.device);
    engine.run(0);
    engine.run(1);
    engine.run(1);
    const std::uint64_t one = cycles(engine, "once"), many = cycles(engine, "thousand");
    CHECK(one >= 600 && one < 2000); // six workers in turn: 6 x 100 cycles
    CHECK(many >= 600000 && many < 600000 + 10000);
    float v[4];
    engine.readTensor("v", v);
    CHECK(v[0] == 2001);
}

TEST(cycle_stamps)
{
    RunGraph g(true);
    Sequence body, copy = body;
    Tensor before = cycleStamp(g.graph, body, 0);
    body.add(Execute(g.addOne));
    std::vector<Tensor> after = cycleStamp(g.graph, body, { 0u, 3u }, SyncType::INTERNAL);
    CHECK(copy.isEmpty() == false && after.size() == 2 && before.shape() == std::vector<std::size_t>{ 2 } &&
          before.elementType() == UNSIGNED_INT);
    g.graph.createHostRead("before", before);
    g.graph.createHostRead("after", after[0]);
    g.graph.createHostRead("other", after[1]);
    Engine engine(g.graph, { body, Repeat(100, body), Repeat(7, Sequence{ Repeat(3, Execute(g.countDown)), body }) });
    engine.load(g.device);
    std::uint64_t last = 0, taken = 0;
    for (unsigned program : { 0u, 0u, 1u, 2u, 1u }) {
        engine.run(program);
        const std::uint64_t first = cycles(engine, "before"), second = cycles(engine, "after"),
                            other = cycles(engine, "other");
        CHECK(first >= last && second > first + 600 && other >= second && other < second + 1000);
        if (!taken)
            taken = second - first;
        CHECK(second - first == taken); // the same every time
        last = other;
    }
    CHECK(last > 208 * 600);
    engine.resetExecutionProfile();
    engine.run(0);
    CHECK(cycles(engine, "before") < last);
}

TEST(cycles_of_the_host)
{
    RunGraph g;
    Sequence prog{ Repeat(1000, Execute(g.addOne)) };
    g.graph.createHostRead("cycles", cycleCount(g.graph, prog, 0, "without a type, as in the guide's era"));
    Engine engine(g.graph, prog);
    engine.load(g.device);
    engine.run();
    CHECK(cycles(engine, "cycles") > 1000 && cycles(engine, "cycles") < std::uint64_t(1) << 40);
    RunGraph model(true);
    Sequence empty;
    CHECK_THROWS(cycleCount(model.graph, empty, 9999, SyncType::INTERNAL), invalid_tile_mapping, "test_tile_state.cpp");
}

TEST(seeds)
{
    RunGraph g(true);
    Sequence get, set, both;
    Tensor seeds = getHwSeeds(g.graph, get),
           given = g.graph.addVariable(UNSIGNED_INT, seeds.shape(), VariableMappingMethod::LINEAR);
    CHECK(seeds.shape() == std::vector<std::size_t>({ 4, 6, 4 }) && seeds.elementType() == UNSIGNED_INT);
    setHwSeeds(g.graph, given, set, "set");
    setHwSeeds(g.graph, given, both);
    Tensor again = getHwSeeds(g.graph, both, { "again" });
    g.graph.createHostRead("seeds", seeds);
    g.graph.createHostRead("again", again);
    g.graph.createHostWrite("given", given);
    Engine engine(g.graph, { get, set, both });
    std::vector<unsigned> first(96), second(96), numbers(96);
    for (unsigned i = 0; i < 96; ++i)
        numbers[i] = i;
    engine.load(g.device);
    engine.run(0);
    engine.readTensor("seeds", first);
    CHECK(first[0] != first[4] && first[0] != first[24]);
    engine.load(g.device);
    engine.run(0);
    engine.readTensor("seeds", second);
    CHECK(first == second);
    engine.writeTensor("given", numbers);
    engine.run(1);
    engine.run(0);
    engine.readTensor("seeds", second);
    CHECK(second == numbers);
    engine.run(2);
    engine.readTensor("again", second);
    CHECK(second == numbers);
    CHECK_THROWS(setHwSeeds(g.graph, given.flatten().slice(0, 5), set), control_program_error, "96");

    Graph part = g.graph.createVirtualGraph(1, 3);
    Sequence of;
    Tensor some = getHwSeeds(part, of);
    CHECK(some.shape() == std::vector<std::size_t>({ 2, 6, 4 }));
    g.graph.createHostRead("some", some);
    Engine small(g.graph, Sequence{ set, of });
    small.load(g.device);
    small.writeTensor("given", numbers);
    small.run();
    std::vector<unsigned> found(48);
    small.readTensor("some", found);
    CHECK(found[0] == 24 && found[47] == 71);
}

TEST(floating_point_behaviour)
{
    RunGraph g(true);
    Sequence prog;
    const FloatingPointBehaviour all(true, true, true, true, true), exceptions(true, true, true, false, false);
    setFloatingPointBehaviour(g.graph, prog, exceptions, "exceptions");
    Tensor first = getAndModifyFloatingPointBehaviour(g.graph, prog, { true, false, false, false, false },
                                                      { false, false, false, false, true });
    setStochasticRounding(g.graph, prog, true, { "rounding" });
    Tensor second = getAndModifyFloatingPointBehaviour(g.graph, prog, all, !all, "clear");
    setFloatingPointBehaviour(g.graph, prog, first);
    Tensor third = getAndModifyFloatingPointBehaviour(g.graph, prog, !all, !all);
    g.graph.createHostRead("first", first);
    g.graph.createHostRead("second", second);
    g.graph.createHostRead("third", third);
    Engine engine(g.graph, prog);
    engine.load(g.device);
    engine.run();
    std::vector<unsigned> flags(20);
    engine.readTensor("first", flags);
    CHECK((std::vector<unsigned>(flags.end() - 5, flags.end()) == std::vector<unsigned>{ 1, 1, 1, 0, 0 }));
    engine.readTensor("second", flags);
    CHECK((std::vector<unsigned>(flags.begin(), flags.begin() + 5) == std::vector<unsigned>{ 0, 1, 1, 1, 1 }));
    engine.readTensor("third", flags);
    CHECK((std::vector<unsigned>(flags.begin(), flags.begin() + 5) == std::vector<unsigned>{ 1, 1, 1, 0, 0 }));
}

MAIN()
