// SPDX-License-Identifier: Apache-2.0
// poputil's C++ interface: every name, with strings as in the guide's era and with debug contexts.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/Loop.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TensorMetaData.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/cyclesTables.hpp>
#include <poputil/exceptions.hpp>

#include "check.hpp"

#include <fstream>
#include <memory>

using namespace poplar;
using namespace poplar::program;
using namespace poputil;

struct OneModel {
    Device device;
    Graph graph;
    explicit OneModel(unsigned tiles = 4, unsigned ipus = 1) : device(model(tiles, ipus)), graph(device.getTarget())
    {
        device.attach();
    }
    static Device model(unsigned tiles, unsigned ipus)
    {
        IPUModel description;
        description.tilesPerIPU = tiles;
        description.numIPUs = ipus;
        return description.createDevice();
    }
    Tensor floats(std::vector<std::size_t> shape)
    {
        Tensor t = graph.addVariable(FLOAT, shape, "t");
        mapTensorLinearly(graph, t);
        return t;
    }
    template <typename T> std::vector<T> after(const Program &program, const Tensor &t)
    {
        graph.createHostRead("result", t);
        Engine engine(graph, program);
        engine.load(device);
        engine.run(0);
        std::vector<T> values(t.numElements());
        engine.readTensor("result", values.data(), values.data() + values.size());
        return values;
    }
};

TEST(broadcasts)
{
    OneModel m;
    Tensor a = m.floats({ 2, 3 }), b = m.floats({ 3 }), c = m.floats({ 4, 1, 1 }), bad = m.floats({ 5 });
    Tensor x = a, y = b;
    expandToMatchRanks(x, y);
    CHECK(y.shape() == std::vector<std::size_t>{ 1, 3 });
    broadcastToMatch(x, y);
    CHECK(y.shape() == a.shape());
    Tensor z = c;
    x = a, y = b;
    broadcastToMatch(x, y, z);
    CHECK(x.shape() == std::vector<std::size_t>{ 4, 2, 3 } && y.shape() == x.shape() && z.shape() == x.shape());
    broadcastToMatch(b, { 7, 3 });
    CHECK(b.numElements() == 21);
    broadcastToMatch(c, std::vector<std::size_t>{ 4, 2, 2 });
    CHECK(c.dim(2) == 2);
    CHECK(canBroadcastToMatch(a, y) && !canBroadcastToMatch(a, bad));
    CHECK_THROWS(broadcastToMatch(a, bad), poplibs_error, "test_poputil.cpp");
    CHECK_THROWS(broadcastToMatch(a, { 3 }), std::runtime_error, "{2,3} cannot be broadcast to match {3}");
    try {
        throw poplibs_error("text");
    } catch (const poplibs_error &error) {
        CHECK(error.type == "poplibs_error" && std::string(error.what()) == "text");
    }
}

TEST(even_shares)
{
    OneModel m;
    Tensor t = m.floats({ 2, 5 });
    CHECK(calcLinearTileMapping(m.graph, t).at(0) == std::vector<Interval>{ Interval(0, 10) });
    CHECK(calcLinearTileMapping(m.graph, { 2, 5 }, 1, 1).at(3).size() == 1);
    mapTensorLinearly(m.graph, t, 1, 1);
    CHECK(getTileImbalance(m.graph, t) == 0 && getTileImbalance(m.graph.getTileMapping(t), 0, 1) == 0);
    CHECK(dimIsSplitOverTiles(m.graph, t, 0) && !dimIsSplitOverIPUs(m.graph, t, 0));
    mapTensorLinearlyWithOffset(m.graph, t, 3);
    CHECK(m.graph.getTileMapping(t).at(3).size() == 1);
    mapTensorLinearlyWithOffset(m.graph, t, 5, 1, 1, false);
    CHECK(m.graph.getTileMapping(t).at(2) == std::vector<Interval>{ Interval(0, 5) });
    CHECK(calcLinearTileMapping(m.graph, t, 3).at(3).size() == 1);
    CHECK(calcLinearTileMapping(m.graph, { 2, 5 }, 5, 1, 1).at(2) == std::vector<Interval>{ Interval(5, 10) });
    CHECK(calcLinearTileMapping(m.graph.getTarget(), { 2, 5 }, 5, 1, 1, false).at(2).front() == Interval(0, 5));
    CHECK(calcLinearTileMapping(m.graph.getTarget(), { 2, 32 }, FLOAT, 1).at(2).front() == Interval(32, 64));
    CHECK_THROWS(transformTileIndex(0, 0, 0, true), poplibs_error, "zero tiles");
    Tensor twice = concat(t, t);
    CHECK(cloneAndExpandAliasing(m.graph, twice, 3).second == 0);
    CHECK(cloneAndExpandAliasing(m.graph, twice).first.shape() == twice.shape());
    CHECK(calcLinearTileMappingAndNewOffset(m.graph, t, 2).second == 3);
    CHECK(calcLinearTileMappingAndNewOffset(m.graph, { 2, 5 }, 5, 1, 1).second == 3);
    CHECK(chooseMappingOffset(4, { 2, 5 }) < 4);
    CHECK(invTransformTileIndex(transformTileIndex(3, 4, 2, false), 4, 2, false) == 3);
    CHECK_THROWS(mapTensorLinearly(m.graph, Tensor()), invalid_tile_mapping, "null");
}

TEST(shares_by_use)
{
    OneModel m(2, 2);
    Tensor t = m.graph.addVariable(FLOAT, { 8 }, "t");
    TensorUseTracker tracker(4), other(4, 1, false);
    CHECK(tracker.empty());
    tracker.add(m.graph, 1, t.slice(0, 4));
    other.add(m.graph, 3, t.slice(4, 8));
    tracker.add(other);
    TensorUseTracker copy = tracker;
    copy.resolve(m.graph, 1, 1, false, TensorUseTracker::MappingMethod::ConstrainMappingToUsedTiles);
    tracker.mapTensorsByUse(m.graph, 1, 1, true, TensorUseTracker::MappingMethod::OptimizeHaloRegions);
    CHECK(m.graph.getTileMapping(t).at(3) == std::vector<Interval>{ Interval(4, 8) });

    Tensor full = m.floats({ 4, 6 });
    CHECK(createBroadcastOperand(m.graph, full, HALF, 1).numElements() == 6);
    CHECK(createBroadcastOperand(m.graph, full, HALF, 1, true, "bias").elementType() == HALF);
    CHECK(createBroadcastOperand(m.graph, full, HALF, 0, false, DebugContext("bias")).numElements() == 4);
    Tensor out = m.graph.addVariable(FLOAT, { 8 }, "out");
    mapOutputForElementWiseOp(m.graph, { t, full }, out);
    mapOutputForElementWiseOp(m.graph, { t }, out, 2, 1);
    CHECK(m.graph.getTileMapping(out) == m.graph.getTileMapping(t));

    Sequence prog;
    Tensor source, destination;
    CHECK(m.graph.getTileMapping(cloneToIpu(m.graph, full, 1)).at(2).size() == 1);
    cloneToIpu(m.graph, full, 1, "name");
    cloneToIpu(m.graph, full, 1, DebugContext("name"), TensorCloneMethod::CREATE_NEW_ORDER);
    createIpuCopy(m.graph, full, 1, source, destination, "name");
    CHECK(source.numElements() == 24 && destination.numElements() == 24);
    copyToIpu(m.graph, full, prog, 1, std::string("name"));
    CHECK(!prog.isEmpty());
    CHECK_THROWS(cloneToIpu(m.graph, full, 2), index_error, "no IPU 2");
}

TEST(regions)
{
    OneModel m;
    std::vector<Interval> list{ Interval(3, 5), Interval(0, 3) };
    mergeAdjacentRegions(list);
    CHECK(list == std::vector<Interval>{ Interval(0, 5) });
    std::vector<std::vector<Interval>> lists{ { Interval(3, 5), Interval(0, 3) }, {} };
    mergeAdjacentRegions(lists);
    CHECK(lists[0].size() == 1 && lists[1].empty());
    CHECK(splitRegions({ Interval(0, 10) }, 2, 3).size() == 3);
    CHECK(splitRegions(lists, 2, 2).at(1).at(0).at(0) == Interval(2, 5));
    CHECK(splitRegionsBetweenWorkers(m.graph.getTarget(), { Interval(0, 100) }, 2, 4).size() == 6);
    CHECK(splitRegionsBetweenWorkers(m.graph.getTarget(), lists, 2, 0, UINT_MAX, UINT_MAX).size() == 3);
    CHECK(intervalSequenceNumElements(lists) == 5 && intervalSequenceNumElements(list) == 5);
    const std::vector<std::size_t> shape{ 2, 3 };
    CHECK(unflattenIndex(shape, 4) == std::vector<std::size_t>{ 1, 1 });
    CHECK(flattenIndex(shape, { 1, 1 }) == 4);
    CHECK(flattenIndex<unsigned>({ 2, 3 }, { 1, 2 }) == 5);
    CHECK(balancedPartition(11, 4) == std::vector<int>{ 3, 3, 3, 2 });
    CHECK(flattenIntervals({ { Interval(3, 5), Interval(0, 3) }, {}, { Interval(7, 8) } }) ==
          (std::vector<Interval>{ Interval(3, 5), Interval(0, 3), Interval(7, 8) }));
    CHECK(flattenIntervals({}).empty() && calculateUnshufflingIntervals({}).empty());
}

// The inverse shuffle by intervals restores the order.
TEST(shuffles)
{
    OneModel m;
    Tensor t = m.graph.addConstant<float>(FLOAT, { 9 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8 });
    m.graph.setTileMapping(t, 1);
    const std::vector<Interval> order{ Interval(6, 9), Interval(1, 2), Interval(2, 6), Interval(0, 1) };
    const std::vector<Interval> back = calculateUnshufflingIntervals(order);
    CHECK(back == (std::vector<Interval>{ Interval(8, 9), Interval(3, 4), Interval(4, 8), Interval(0, 3) }));
    Tensor shuffled = concat(t.slices(order));
    CHECK(m.after<float>(Sequence(), concat(concat(shuffled.slices(back)), shuffled)) ==
          (std::vector<float>{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 7, 8, 1, 2, 3, 4, 5, 0 }));
}

TEST(factors)
{
    OneModel m;
    std::vector<float> numbers(12);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(i);
    Tensor t = m.graph.addConstant<float>(FLOAT, { 2, 6 }, numbers.data());
    m.graph.setTileMapping(t, 0);
    Tensor blocks = factorDims(t, { 2, 3 }); /* one row of blocks of 2 by 3 */
    CHECK(blocks.shape() == (std::vector<std::size_t>{ 1, 2, 2, 3 }) &&
          factorDims(t, { 3 }, 1).shape() == (std::vector<std::size_t>{ 2, 2, 3 }));
    CHECK(unfactorDims(blocks, 2).shape() == t.shape() &&
          unfactorDims(factorDims(t, { 3 }, 1), 1, 1).shape() == t.shape());
    CHECK_THROWS(factorDims(t, { 4 }, 1), poplibs_error, "dimension 1 of {2,6} is not a multiple of 4");
    CHECK_THROWS(factorDims(t, { 0 }), poplibs_error, "not a multiple of 0");
    CHECK(m.after<float>(Sequence(), concat(blocks.flatten(), unfactorDims(blocks, 2).flatten())) ==
          (std::vector<float>{ 0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }));
}

TEST(copies_and_casts)
{
    OneModel m;
    Tensor t = m.graph.addConstant<float>(FLOAT, { 3 }, { 1, 2, 3 });
    m.graph.setTileMapping(t, 1);
    Sequence prog;
    duplicate(m.graph, t, prog);
    duplicate(m.graph, t, prog, DebugContext("d"), TensorCloneMethod::CREATE_NEW_ORDER);
    Tensor copy = duplicate(m.graph, t, prog, "copy");
    CHECK(cloneN(m.graph, t, 4).dim(0) == 4 &&
          cloneN(m.graph, t, 4, "n", TensorCloneMethod::CREATE_NEW_ORDER).dim(1) == 3);
    CHECK(m.after<float>(prog, copy) == std::vector<float>{ 1, 2, 3 });
    CHECK(checkAccuracyWhenCast(m.graph.getTarget(), 0.1, FLOAT, HALF, 1e-3) &&
          castToDeviceHalfValue(m.graph.getTarget(), 2049) == 2048);
}

TEST(structure)
{
    OneModel m;
    Tensor t = m.floats({ 4, 6 });
    CHECK(detectInnermostGrouping(m.graph, t) == 6);
    CHECK(detectDimGroupings(m.graph, t) == std::vector<GroupingInfo>{ GroupingInfo(1, 6), GroupingInfo(0, 4) });
    Tensor parts = createPartitionableTensor(m.graph, FLOAT, { 5, 6 }, { 2, 3 });
    createPartitionableTensor(m.graph, FLOAT, { 5, 6 }, { 2, 3 }, "p");
    unsigned visits = 0;
    iterateTensorPartitions(parts, { 2, 3 }, [&](const std::vector<std::size_t> &i, const Tensor &slice) {
        ++visits;
        CHECK(slice.isContiguous() && i.size() == 2);
    });
    CHECK(visits == 6);
    CHECK_THROWS(
        iterateTensorPartitions(
            parts, { 2, 3 }, [](const std::vector<std::size_t> &, const Tensor &) { throw std::logic_error("mine"); }),
        std::logic_error, "mine");
    CHECK_THROWS(iterateTensorPartitions(parts, { 2 }, [](const std::vector<std::size_t> &, const Tensor &) {}),
                 poplibs_error, "rank 2");
}

TEST(loops)
{
    OneModel m;
    Tensor seen = m.graph.addVariable(UNSIGNED_INT, {}, "seen");
    m.graph.setTileMapping(seen, 0);
    const CountedLoopBodyType keep = [&](const Tensor &i) { return Copy(i, seen); };
    Sequence prog;
    prog.add(countedLoop(m.graph, 2, 9, 3, "loop", keep));
    countedLoop(m.graph, 0, 4, 1, keep, { "loop" });
    countedLoop(m.graph, 4, "loop", keep);
    countedLoop(m.graph, 4, keep, DebugContext("loop"));
    CHECK(m.after<unsigned>(prog, seen) == std::vector<unsigned>{ 8 });
    CHECK_THROWS(countedLoop(m.graph, 0, 4, 0, keep), poplibs_error, "step of 0");
    CHECK_THROWS(countedLoop(m.graph, 4, [](const Tensor &) -> Program { throw std::logic_error("mine"); }),
                 std::logic_error, "mine");
}

TEST(functions)
{
    OneModel m;
    Tensor one = m.graph.addConstant<float>(FLOAT, { 2 }, { 1, 2 }), a = m.floats({ 2 }), b = m.floats({ 2 }),
           all = m.floats({ 8 });
    m.graph.setTileMapping(one, 0);
    const graphfn::ArgSig like = graphfn::input(one, "in");
    CHECK(like.type == graphfn::InputArg && like.debugName == "in");
    const graphfn::ArgType kind = graphfn::CreatedArg;
    CHECK(graphfn::created("x").type == kind);

    graphfn::VoidFunction give(
        m.graph, { like, graphfn::output(a, "out") },
        [](std::vector<Tensor> &args, Sequence &prog) { prog.add(Copy(args[0].reverse(0), args[1])); });
    Sequence prog;
    std::vector<Tensor> args{ one, a };
    give(args, prog);
    std::vector<Tensor> swapped{ a, b };
    graphfn::ProgramFunction back(
        m.graph, { graphfn::input(a), graphfn::inout(b) },
        [](std::vector<Tensor> &tensors) { return Sequence(Copy(tensors[0].reverse(0), tensors[1])); }, true);
    prog.add(back(swapped));
    graphfn::TensorFunction twice(m.graph, { graphfn::input(a), graphfn::created("made") },
                                  [&](std::vector<Tensor> &tensors, Sequence &body, const DebugNameAndId &) {
                                      tensors[1] = duplicate(m.graph, tensors[0], body);
                                      return duplicate(m.graph, tensors[1].reverse(0), body);
                                  });
    std::vector<Tensor> made{ a, Tensor() };
    Tensor result = twice(made, prog);
    CHECK(made.size() == 2 && made[1].valid());
    prog.add(Copy(concat({ a, b, result, made[1] }), all));
    CHECK(m.after<float>(prog, all) == std::vector<float>{ 2, 1, 1, 2, 1, 2, 2, 1 });
    args.pop_back();
    CHECK_THROWS(give(args, prog), poplibs_error, "2 arguments is called with 1");
    CHECK_THROWS(graphfn::VoidFunction(m.graph, { graphfn::created() }, [](std::vector<Tensor> &, Sequence &) {}),
                 poplibs_error, "not created");
}

TEST(notes_about_tensors)
{
    struct Notes : TensorMetaDataBase {
        int number = 7;
    };
    TensorMetaData none, some(std::unique_ptr<TensorMetaDataBase>(new Notes)), copy = some;
    CHECK(!none.getData() && copy.getData() == some.getData());
    none = std::move(some);
    CHECK(static_cast<const Notes *>(none.getData())->number == 7);
}

TEST(values_of_options)
{
    CHECK(poplibs::parse::asBool("true") && poplibs::parse::asInteger<int>("0x10") == 16);
    CHECK(poplibs::parse::asFloatingPoint<float>("0.5") == 0.5f);
    CHECK(poplibs::parse::asEnum<int>("b", { { "a", 1 }, { "b", 2 } }) == 2);
    CHECK(poplibs::parse::describeEnumValues<int>({ { "a", 1 }, { "b", 2 } }) == "'a', 'b'");
    CHECK_THROWS(poplibs::parse::asBool("yes"), invalid_option, "'true' or 'false'");
    double share = 0;
    const poplibs::OptionHandler bounded = poplibs::OptionHandler::createWithDouble(share, 0, true, 1, false);
    bounded.parseValue("0");
    CHECK_THROWS(bounded.parseValue("1"), invalid_option, "[0, 1)");
    CHECK_THROWS(poplibs::OptionHandler::createWithDouble(share).parseValue("0"), invalid_option, "'0' is not in");
}

TEST(options)
{
    enum class Kind { SMALL, LARGE } kind = Kind::SMALL;
    bool fast = false;
    int count = 0;
    unsigned char little = 0;
    double share = 0;
    std::string name;
    std::vector<unsigned> list;
    const poplibs::OptionSpec spec{
        /* in both namespaces */
        { "kind", OptionHandler::createWithEnum(kind, { { "small", Kind::SMALL }, { "large", Kind::LARGE } }) },
        { "fast", poplibs::OptionHandler::createWithBool(fast) },
        { "count", OptionHandler::createWithInteger(count) },
        { "little", OptionHandler::createWithInteger(little) },
        { "share", OptionHandler::createWithDouble(share) },
        { "name", OptionHandler::createWithString(name) },
        { "list", OptionHandler::createWithList(list) },
        { "own", OptionHandler([&](StringRef value) { count = static_cast<int>(value.size()); }) },
    };
    for (const auto &option : OptionFlags{ { "kind", "large" },
                                           { "fast", "true" },
                                           { "count", "-3" },
                                           { "share", "0.25" },
                                           { "name", "x" },
                                           { "list", "[1, 2,3]" } })
        spec.parse(option.first, option.second);
    CHECK(kind == Kind::LARGE && fast && count == -3 && share == 0.25 && name == "x" &&
          list == std::vector<unsigned>{ 1, 2, 3 });
    spec.parse("own", "four");
    CHECK(count == 4);
    spec.parse("unknown", "1", true);
    CHECK_THROWS(spec.parse("unknown", "1"), invalid_option, "there is no option 'unknown'");
    CHECK_THROWS(spec.parse("kind", "huge"), invalid_option, "option 'kind': 'huge' is not one of 'large', 'small'");
    CHECK_THROWS(spec.parse("fast", "maybe"), invalid_option, "'true' or 'false'");
    CHECK_THROWS(spec.parse("little", "256"), invalid_option, "from 0 to 255");
    CHECK_THROWS(spec.parse("little", "-1"), invalid_option, "from 0 to 255");
    CHECK_THROWS(spec.parse("count", "3x"), invalid_option, "an integer");
    CHECK_THROWS(spec.parse("share", ""), invalid_option, "a number");
}

// Each bound is allowed if it is inclusive; numbers are written in any notation.
TEST(bounds_of_options)
{
    using poputil::OptionHandler;
    OptionHandler::ensureValueIsWithinBounds(0.0, 0.0, true, 1.0, false);
    OptionHandler::ensureValueIsWithinBounds(1u, 1u, true, 1u, true);
    OptionHandler::ensureValueIsWithinBounds(-3, -4, false, -2, false);
    CHECK_THROWS(OptionHandler::ensureValueIsWithinBounds(1.0, 0.25, true, 1.0, false), poplar::invalid_option,
                 "'1' is not in the range [0.25, 1)");
    CHECK_THROWS(OptionHandler::ensureValueIsWithinBounds(1e-9, 1e-9, false, 2.0, true), poplar::invalid_option,
                 "'1e-09' is not in the range (1e-09, 2]");
    CHECK_THROWS(OptionHandler::ensureValueIsWithinBounds(std::nan(""), 0.0, true, 1.0, true), poplar::invalid_option,
                 "'nan' is not in the range [0, 1]");
    CHECK_THROWS(OptionHandler::ensureValueIsWithinBounds(7, 1, true, 6, true), poplar::invalid_option,
                 "'7' is not in the range [1, 6]");
}

TEST(vertex_names)
{
    CHECK(templateVertex("ns::V", FLOAT, true, 4, "popops::X::Y", std::string("z"), UNSIGNED_INT) ==
          "ns::V<float,true,4,popops::X::Y,z,unsigned int>");
    CHECK(templateVertex("V") == "V");
    CHECK(templateVertexParams(true, HALF) == "<half>" && templateVertexParams(false, false) == ",false>");
    CHECK(VertexTemplateToString<Type>::to_string(HALF) == "half" &&
          VertexTemplateToString<StringRef>::to_string("x") == "x");
}

static VertexPerfEstimate addOne(const VertexIntrospector &vertex, const Target &, const Type &, unsigned base)
{
    return VertexPerfEstimate(base + vertex.getFieldInfo("data").size());
}

TEST(estimators)
{
    OneModel m;
    m.graph.addCodelets(CODELETS "/run.c");
    const internal::PerfEstimatorEntry named = internal::makePerfEstimatorEntry("AddOne", addOne, FLOAT, 10u);
    CHECK(named.first == "AddOne<float,10>");
    internal::registerPerfFunctions(m.graph, { { "AddOne", named.second } });
    Tensor t = m.floats({ 5 });
    VertexRef vertex = m.graph.addVertex(m.graph.addComputeSet("set"), "AddOne", { { "data", t } });
    CHECK(m.graph.getPerfEstimate(vertex).cycles == 15);
    CHECK(getUnpackCost(layout::Vector::Span) == 0 && getUnpackCost(layout::Vector::ShortSpan) == 2 &&
          getUnpackCost(layout::Vector::ScaledPtr64) == 1);
    CHECK(getUnpackCost(layout::VectorList::DeltaN) == 2 &&
          getVectorListDeltaUnpackCost(layout::VectorList::DeltaNElements) == 2);
}

static void operation(const Tensor &in, const OptionFlags &options, const DebugContext &debugContext)
{
    const unsigned times = 3;
    PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, options, times));
    di.addOutput(in);
}

TEST(debug_information)
{
    OneModel m;
    CHECK(toProfileValue(7u) == ProfileValue(7u) && toProfileValue(HALF).asString() == "half");
    CHECK(toProfileValue(std::vector<Type>{ HALF })[0].asString() == "half");
    CHECK(toProfileValue(m.floats({ 2, 3 }))["shape"][1].asInt() == 3);
    const std::string file = "/tmp/test_poputil_debug_" + std::to_string(reinterpret_cast<std::size_t>(&m)) + ".json";
    DebugInfo::initializeStreamer(file, DebugSerializationFormat::JSON);
    operation(m.floats({ 2 }), { { "a", "b" } }, "path");
    PoplibsOpDebugInfo(DebugContext("none")).addOutputs({ ArgType("x", toProfileValue(1.5)) });
    const OpDebugInfo &base = PoplibsOpDebugInfo(DebugContext("base"), {}, "call");
    CHECK(base.getPathName() == "base");
    DebugInfo::closeStreamer();
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::remove(file.c_str());
    for (const char *part : { "poplibs", "\"api\"", "operation", "times", "outputs" })
        if (!check::contains(text, part))
            check::fail(__FILE__, __LINE__, std::string(part) + " is not in " + text);
}

MAIN()
