// SPDX-License-Identifier: Apache-2.0
// popops in C++: reductions, casts, scaled additions, fills, tests of all elements, collectives; with strings and with
// debug contexts.
#include <poplar/CSRFunctions.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/Collectives.hpp>
#include <popops/Fill.hpp>
#include <popops/NaN.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"

#include <limits>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

struct Bench {
    Device device;
    Graph graph;
    Sequence prog;
    Bench() : device(model()), graph(device.getTarget())
    {
        popops::addCodelets(graph);
    }
    static Device model()
    {
        IPUModel description;
        description.tilesPerIPU = 5;
        return description.createDevice();
    }
    Tensor ramp(std::vector<std::size_t> shape, float step = 1)
    {
        Tensor t = graph.addVariable(FLOAT, shape, "t");
        poputil::mapTensorLinearly(graph, t, 1, 1);
        std::vector<float> values(t.numElements());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = step * static_cast<float>(i);
        graph.setInitialValue(t, ArrayRef<float>(values));
        return t;
    }
    Tensor number(float value)
    {
        Tensor t = graph.addConstant(FLOAT, {}, value);
        graph.setTileMapping(t, 0);
        return t;
    }
    template <typename T = float> std::vector<T> after(const Tensor &t)
    {
        graph.createHostRead("result", t);
        Engine engine(graph, prog);
        engine.load(device);
        engine.run(0);
        std::vector<T> values(t.numElements());
        engine.readTensor("result", values.data(), values.data() + values.size());
        return values;
    }
};
typedef std::vector<float> Floats;

TEST(errors_name_the_path_of_codelets)
{
    Graph graph(Target::createIPUTarget(1, "ipu2"));
    setenv("IPU_POPOPS_GP", "nowhere/else.gp", 1);
    CHECK_THROWS(popops::addCodelets(graph), file_load_error, "'else.gp' of library popops in 'nowhere'");
    unsetenv("IPU_POPOPS_GP");
    popops::addCodelets(graph);
}

TEST(reduces)
{
    Bench b;
    Tensor t = b.ramp({ 2, 3, 2 });
    Tensor one = popops::reduce(b.graph, t, { 0, 2 }, popops::Operation::ADD, b.prog);
    Tensor two = popops::reduce(b.graph, t, { 1 }, { popops::Operation::MAX }, b.prog, "max");
    popops::ReduceParams params;
    params.op = popops::Operation::MIN;
    Tensor three = popops::reduce(b.graph, t, FLOAT, std::vector<std::size_t>{ 2 }, params, b.prog, { "path" });
    Tensor four = popops::reduce(b.graph, t, HALF, { 0, 1, 2 }, { popops::Operation::ADD, false, b.number(0.5f) },
                                 b.prog, DebugContext("half"), { { "accumType.interTile", "float" } });
    CHECK(one.shape() == std::vector<std::size_t>{ 3 } && two.shape() == (std::vector<std::size_t>{ 2, 2 }) &&
          four.rank() == 0);
    CHECK(four.elementType() == HALF);
    Tensor all =
        concat({ one, two.flatten(), three.flatten(), popops::cast(b.graph, four, FLOAT, b.prog).expand({ 0 }) });
    CHECK(b.after(all) == (Floats{ 14, 22, 30, 4, 5, 10, 11, 0, 2, 4, 6, 8, 10, 33 }));
    CHECK_THROWS(popops::reduce(b.graph, t, { 3 }, popops::Operation::ADD, b.prog), poputil::poplibs_error,
                 "there is no dimension 3: the tensor's rank is 3");
    CHECK_THROWS(popops::reduce(b.graph, t, { 1 }, popops::Operation::LOGICAL_AND, b.prog), poplar_error,
                 "test_popops_reduce.cpp");
    CHECK_THROWS(popops::reduce(b.graph, t, { 1 }, { popops::Operation::ADD, true }, b.prog), poputil::poplibs_error,
                 "an update needs an output");
}

TEST(reduces_into_outputs)
{
    Bench b;
    Tensor t = b.ramp({ 4, 3 }), out = b.ramp({ 3 }), later = b.ramp({ 4 });
    popops::ReductionDebug *const none = nullptr; // the form of 1.2
    popops::reduceWithOutput(b.graph, t, out, { 0 }, { popops::Operation::ADD, true, b.number(2) }, b.prog, "update",
                             {}, none);
    std::vector<ComputeSet> sets;
    popops::reduceWithOutput(b.graph, t, later, { 1 }, popops::Operation::SQUARE_ADD, sets, "squares");
    Tensor shared = popops::reduce(b.graph, t, { 0 }, popops::Operation::MAX, sets, "max");
    Tensor halves = popops::reduce(b.graph, t, HALF, { 0, 1 }, popops::Operation::ADD, sets, "sum");
    CHECK(!sets.empty() && halves.elementType() == HALF);
    for (const ComputeSet &set : sets)
        b.prog.add(Execute(set));
    CHECK(b.after(concat({ out, later, shared })) == (Floats{ 36, 45, 54, 5, 50, 149, 302, 9, 10, 11 }));
}

TEST(reduces_many)
{
    Bench b;
    Tensor t = b.ramp({ 4, 3 });
    std::vector<Tensor> outs;
    popops::reduceMany(
        b.graph,
        { { t, { 0 }, { popops::Operation::ADD }, "sum" }, { t, { 1 }, { popops::Operation::MAX }, FLOAT, "max" } },
        outs, b.prog, "many");
    CHECK(outs.size() == 2);
    CHECK(b.after(concat(outs)) == (Floats{ 18, 22, 26, 2, 5, 8, 11 }));
    std::vector<Tensor> wrong(3);
    CHECK_THROWS(popops::reduceMany(b.graph, { { t, { 0 }, { popops::Operation::ADD } } }, wrong, b.prog),
                 poputil::poplibs_error, "1 reductions and 3 outputs");
}

TEST(operations_as_text)
{
    std::ostringstream out;
    out << popops::Operation::SQUARE_ADD;
    CHECK(out.str() == "SQUARE_ADD" && popops::asString(popops::Operation::LOGICAL_OR) == "LOGICAL_OR");
    popops::Operation op = popops::Operation::ADD;
    std::istringstream in("LOG_ADD nothing");
    in >> op;
    CHECK(op == popops::Operation::LOG_ADD);
    in >> op;
    CHECK(in.fail() && op == popops::Operation::LOG_ADD);
    CHECK(poputil::templateVertex("V", popops::Operation::MAX, FLOAT) == "V<popops::Operation::MAX,float>");
}

TEST(casts)
{
    Bench b;
    Tensor t = b.ramp({ 6 }, 0.5f);
    Tensor ints = popops::cast(b.graph, t, INT, b.prog, "ints"), into = b.graph.clone(UNSIGNED_INT, t),
           other = b.graph.clone(HALF, t);
    b.prog.add(popops::cast(b.graph, t, into, "into"));
    popops::castWithOutput(b.graph, t, other, b.prog, "other");
    ComputeSet set = b.graph.addComputeSet("set");
    Tensor bools = popops::cast(b.graph, t, BOOL, set, "bools"), copy = b.graph.clone(INT, t);
    popops::cast(b.graph, t, copy, set);
    b.prog.add(Execute(set));
    Tensor fine = popops::checkAccuracyWhenCast(b.graph, t[3], HALF, 1e-5, b.prog, "check");
    CHECK(fine.elementType() == BOOL && fine.rank() == 0);
    Tensor all = concat({ ints, into.reinterpret(INT), popops::cast(b.graph, other, INT, b.prog),
                          popops::cast(b.graph, bools, INT, b.prog), copy,
                          popops::cast(b.graph, fine.expand({ 0 }), INT, b.prog) });
    CHECK(b.after<int>(all) == (std::vector<int>{ 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1,
                                                  2, 2, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 2, 2, 1 }));
    CHECK_THROWS(popops::castWithOutput(b.graph, t, b.ramp({ 7 }), b.prog), poputil::poplibs_error, "shape {7}");
}

// What is no half answers false and does not stop the program, with exceptions enabled or not.
TEST(checks_of_accuracy_never_stop)
{
    for (bool exceptions : { false, true }) {
        Bench b;
        FloatingPointBehaviour behaviour;
        if (exceptions)
            setFloatingPointBehaviour(b.graph, b.prog, behaviour, "exceptions");
        std::vector<Tensor> checks;
        for (float value : { 0.0f, 80000.0f, 65520.0f, std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN(), 1.0f, 65504.0f })
            checks.push_back(popops::checkAccuracyWhenCast(b.graph, b.number(value), HALF, 1e-5, b.prog).expand({ 0 }));
        CHECK(b.after<char>(concat(checks)) == (std::vector<char>{ 0, 0, 0, 0, 0, 1, 1 }));
    }
}

TEST(scaled_additions)
{
    Bench b;
    Tensor B = b.ramp({ 3 }), two = b.number(2), three = b.number(3), A[10];
    for (Tensor &a : A)
        a = b.ramp({ 3 }, 10);
    popops::scaledAddTo(b.graph, A[0], B, 2.0f, b.prog);
    popops::scaledAddTo(b.graph, A[1], B, two, b.prog, "tensor");
    popops::scaledAddTo(b.graph, A[2], two, B, three, b.prog, "both");
    popops::scaledAddTo(b.graph, A[3], two, B, three, b.prog, popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY,
                        "mix");
    popops::scaledAddTo(b.graph, A[4], 2.0f, B, 3.0f, b.prog, { "both" }, { { "optimizeForSpeed", "false" } });
    popops::scaledAddTo(b.graph, A[5], 2.0f, B, 3.0f, b.prog, popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
    popops::scaledSubtractFrom(b.graph, A[6], B, 2.0f, b.prog);
    popops::scaledSubtractFrom(b.graph, A[7], B, two, b.prog, "minus");
    popops::scaledSubtractFrom(b.graph, A[8], two, B, three, b.prog);
    popops::scaledSubtractFrom(b.graph, A[9], 2.0f, B, 3.0f, b.prog, DebugContext("minus"));
    const Floats last =
        b.after(concat({ A[0].slice(2, 3), A[1].slice(2, 3), A[2].slice(2, 3), A[3].slice(2, 3), A[4].slice(2, 3),
                         A[5].slice(2, 3), A[6].slice(2, 3), A[7].slice(2, 3), A[8].slice(2, 3), A[9].slice(2, 3) }));
    CHECK(last == (Floats{ 24, 24, 46, -14, 46, -14, 16, 16, 34, 34 }));
    CHECK_THROWS(popops::scaledAddTo(b.graph, A[0], A[1].slice(0, 2), 1.0f, b.prog), poputil::poplibs_error,
                 "shapes {3} and {2} differ");
}

TEST(fills)
{
    Bench b;
    popops::addCodelets(b.graph);
    Tensor t = b.ramp({ 6 });
    popops::zero(b.graph, t.slice(0, 2), b.prog, "zero");
    popops::fill(b.graph, t.slice(2, 4), b.prog, 2.5f, { "fill" });
    ComputeSet set = b.graph.addComputeSet("set");
    popops::fill(b.graph, t.slice(4, 5), set, 7);
    popops::zero(b.graph, t, std::vector<Interval>{ { 5, 6 } }, 1, set);
    popops::zero(b.graph, t.slice(1, 1), set);
    popops::fill(b.graph, t, std::vector<Interval>{}, 1, set, 7);
    b.prog.add(Execute(set));
    CHECK(b.after(t) == (Floats{ 0, 0, 2.5f, 2.5f, 7, 0 }));
}
// By tile and by mapping; integers of 64 bits keep all of them.
TEST(fills_by_tile_and_of_64_bits)
{
    Bench b;
    Tensor t = b.ramp({ 6 }), large = b.graph.addVariable(LONGLONG, { 3 }),
           larger = b.graph.addVariable(UNSIGNED_LONGLONG, { 2 });
    b.graph.setTileMapping(large, 1);
    b.graph.setTileMapping(larger, 2);
    ComputeSet set = b.graph.addComputeSet("set");
    popops::fill(b.graph, t.slice(0, 2), 3, set, 5);
    popops::zero(b.graph, t.slice(2, 3), 4u, set);
    popops::fill(b.graph, t, { { { 3, 4 } }, {}, { { 4, 5 } } }, set, 1.5f);
    popops::zero(b.graph, t, std::vector<std::vector<Interval>>{ {}, { { 5, 6 } } }, set);
    popops::fill(b.graph, large.slice(0, 1), 1, set, 9007199254740993LL);
    b.prog.add(Execute(set));
    popops::fill(b.graph, large.slice(1, 2), b.prog, -9007199254740993LL);
    popops::fill(b.graph, large.slice(2, 3), b.prog, 1e300);
    popops::fill(b.graph, larger, b.prog, 18446744073709551614ULL);
    b.graph.createHostRead("large", large);
    b.graph.createHostRead("larger", larger);
    b.graph.createHostRead("t", t);
    Engine engine(b.graph, b.prog);
    engine.load(b.device);
    engine.run(0);
    long long whole[3];
    unsigned long long more[2];
    float floats[6];
    engine.readTensor("large", whole, whole + 3);
    engine.readTensor("larger", more, more + 2);
    engine.readTensor("t", floats, floats + 6);
    CHECK(whole[0] == 9007199254740993LL && whole[1] == -9007199254740993LL &&
          whole[2] == std::numeric_limits<long long>::max());
    CHECK(more[0] == 18446744073709551614ULL && more[1] == more[0]);
    CHECK(Floats(floats, floats + 6) == (Floats{ 5, 5, 0, 1.5f, 1.5f, 0 }));
}

TEST(tests_of_all_elements)
{
    Bench b;
    Tensor t = b.ramp({ 40 }), bad = b.ramp({ 40 });
    Floats values(40);
    values[17] = std::numeric_limits<float>::infinity();
    b.graph.setInitialValue(bad, ArrayRef<float>(values));
    Tensor some = popops::cast(b.graph, t, BOOL, b.prog);
    Tensor results[] = { popops::allTrue(b.graph, some, b.prog, "all"),
                         popops::allTrue(b.graph, some.slice(1, 40), b.prog),
                         popops::hasNaN(b.graph, bad, b.prog, "nan"), popops::hasNaNOrInf(b.graph, bad, b.prog),
                         popops::hasNaNOrInf(b.graph, t, b.prog) };
    std::vector<Tensor> ints;
    for (const Tensor &r : results) {
        CHECK(r.rank() == 0 && r.elementType() == BOOL);
        ints.push_back(popops::cast(b.graph, r, INT, b.prog).expand({ 0 }));
    }
    CHECK(b.after<int>(concat(ints)) == (std::vector<int>{ 0, 1, 0, 1, 0 }));
    CHECK_THROWS(popops::allTrue(b.graph, t, b.prog), poplar_error, "a float tensor; it must be bool");
    CHECK_THROWS(popops::hasNaN(b.graph, some, b.prog), poplar_error, "it must be half or float");
}

TEST(collectives_of_one_replica)
{
    Bench b;
    Tensor t = b.ramp({ 3 }), out = b.ramp({ 3 }, 5);
    Tensor reduced = popops::replicatedAllReduce(b.graph, t, popops::Operation::ADD, b.prog, "all");
    Tensor again = popops::replicatedAllReduce(b.graph, b.graph, t, popops::Operation::ADD, b.prog);
    popops::replicatedAllReduceInPlace(b.graph, t, popops::Operation::MAX, b.prog);
    popops::replicatedAllReduceWithOutput(b.graph, t, out, popops::Operation::ADD, b.prog, { "out" });
    Tensor part = popops::replicatedReduceScatter(b.graph, t, popops::Operation::ADD, b.prog);
    Tensor gathered = popops::replicatedAllGather(b.graph, t, b.prog),
           sent = popops::allToAllPersonalizedExchange(b.graph, t.expand({ 0 }), b.prog);
    CHECK(gathered.shape() == (std::vector<std::size_t>{ 1, 3 }) && sent.shape() == gathered.shape() &&
          part.rank() == 1);
    popops::zero(b.graph, t, b.prog);
    CHECK(b.after(concat({ reduced, again, out, part, gathered.flatten(), sent.flatten() })) ==
          (Floats{ 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2 }));
    CHECK_THROWS(popops::allToAllPersonalizedExchange(b.graph, t, b.prog), poputil::poplibs_error,
                 "the outer dimension is 3");
    CHECK_THROWS(popops::replicatedReduceScatter(b.graph, gathered, popops::Operation::ADD, b.prog),
                 poputil::poplibs_error, "rank 2");

    popops::Chunks chunks(2);
    chunks.chunks[1] = popops::Chunk(t, 1, 0);
    CHECK(chunks.chunks[1].tensor == t && chunks.chunks.size() == 2);
    CHECK(popops::operationToCollectiveOperator(popops::Operation::SQUARE_ADD) ==
          popops::CollectiveOperator::SQUARE_ADD);
    std::stringstream text;
    text << popops::CollectiveOperator::MEAN;
    popops::CollectiveOperator op = popops::CollectiveOperator::ADD;
    text >> op;
    CHECK(op == popops::CollectiveOperator::MEAN);
    CHECK_THROWS(popops::replicatedAllReduce(b.graph, b.ramp({ 4 }), popops::Operation::ADD, b.prog, "r",
                                             { { "method", "ring" } }),
                 invalid_option, "clockwise_ring");
}

TEST(collectives_of_ipus)
{
    IPUModel description;
    description.numIPUs = 2;
    description.tilesPerIPU = 4;
    const Device device = description.createDevice();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    Tensor t = graph.addVariable(FLOAT, { 2, 3 }, "t");
    graph.setTileMapping(t[0], 1);
    graph.setTileMapping(t[1], 5);
    graph.setInitialValue<float>(t, { 1, 2, 3, 6, 5, 4 });
    Sequence prog;
    popops::Chunks chunks = popops::reduceScatter(graph, t, popops::Operation::ADD, prog, "scatter");
    CHECK(chunks.chunks.size() == 2 && chunks.chunks[1].tensor.numElements() == 2 && chunks.chunks[1].index == 1 &&
          chunks.originalInput == t);
    std::swap(chunks.chunks[0], chunks.chunks[1]); // the index is the chunk's position
    Tensor sums = popops::allGather(graph, chunks, prog, { "gather" }),
           largest = popops::allReduce(graph, t, popops::Operation::MAX, prog);
    CHECK_THROWS(popops::allReduce(graph, t[0], popops::Operation::MAX, prog), poputil::poplibs_error,
                 "{IPUs, elements} is needed");
    graph.createHostRead("out", concat(sums, largest));
    Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    Floats out(12);
    engine.readTensor("out", out.data(), out.data() + 12);
    CHECK(out == (Floats{ 7, 7, 7, 7, 7, 7, 6, 5, 4, 6, 5, 4 }));
}

MAIN()
