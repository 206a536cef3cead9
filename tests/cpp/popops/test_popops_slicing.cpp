// SPDX-License-Identifier: Apache-2.0
// popops in C++: slices, embeddings, gather and scatter, sorting, one-hot rows, padding, regrouping, rings and loops;
// with strings and with debug contexts.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/Cast.hpp>
#include <popops/CircBuf.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Encoding.hpp>
#include <popops/Gather.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/Loop.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/Pad.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/Scatter.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Sort.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <popops/TopK.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"

#include <sstream>

using namespace poplar;
using namespace poplar::program;

typedef std::vector<std::size_t> Sizes;
typedef std::vector<float> Floats;
typedef std::vector<unsigned> Numbers;

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
    Tensor ramp(const Sizes &shape)
    {
        Tensor t = graph.addVariable(FLOAT, shape, "t");
        poputil::mapTensorLinearly(graph, t, 1, 1);
        Floats values(t.numElements());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i);
        graph.setInitialValue(t, ArrayRef<float>(values));
        return t;
    }
    Tensor numbers(const Sizes &shape, const Numbers &values)
    {
        Tensor t = graph.addVariable(UNSIGNED_INT, shape, "numbers");
        poputil::mapTensorLinearly(graph, t);
        graph.setInitialValue(t, ArrayRef<unsigned>(values));
        return t;
    }
    template <typename T> std::vector<T> after(const Tensor &t)
    {
        graph.createHostRead("result", t);
        Engine engine(graph, prog);
        engine.load(device);
        engine.run(0);
        std::vector<T> values(t.numElements());
        engine.readTensor("result", values.data(), values.data() + values.size());
        return values;
    }
    Floats floats(const Tensor &t)
    {
        return after<float>(t);
    }
};

TEST(encoding)
{
    Bench b;
    Tensor encoded = b.ramp({ 2, 3 }), indices = b.numbers({ 2 }, { 2, 0 }), on = b.ramp({ 2 })[1], off = b.ramp({ 1 });
    popops::encodeOneHot(b.graph, indices, encoded, b.prog, "encode");
    popops::encodeOneHot(b.graph, indices.slice(0, 1), encoded.slice(0, 1), b.prog, off, on, { "again" });
    popops::iota(b.graph, indices, 7u, b.prog, "iota");
    popops::iota(b.graph, indices.slice(1, 2).reinterpret(INT), -1, b.prog, { "iota" });
    CHECK(b.floats(encoded) == Floats{ 1, 1, 0, 1, 0, 0 });
    CHECK_THROWS(popops::encodeOneHot(b.graph, encoded, encoded, b.prog), std::runtime_error, "indices");
}

TEST(options_of_gather_scatter_and_collectives_are_read)
{
    Bench b;
    Tensor t = b.ramp({ 6, 4 }), updates = b.ramp({ 3, 4 }), indices = b.numbers({ 3 }, { 2, 0, 5 });
    const auto gather = [&](const OptionFlags &options) {
        return popops::gather(b.graph, t, indices, 1, { 1 }, { 1, 4 }, { 0 }, { 0 }, b.prog, "g", options);
    };
    const auto scatter = [&](const OptionFlags &options) {
        popops::scatter(b.graph, t, indices, updates, 1, { 1 }, { 0 }, { 0 }, b.prog, "s", options);
    };
    CHECK(gather({ { "indicesAreSorted", "true" } }).shape() == Sizes({ 3, 4 }));
    CHECK_THROWS(gather({ { "indicesAreSortd", "true" } }), invalid_option, "indicesAreSorted");
    CHECK_THROWS(gather({ { "validateIndices", "perhaps" } }), invalid_option, "perhaps");
    scatter({ { "validateIndices", "true" } });
    // the options of slices, of which the padding index changes the result
    const OptionFlags padding{ { "paddingIndexUsed", "true" } };
    const Tensor last = b.numbers({ 3 }, { 5, 6, 7 }),
                 padded = popops::gather(b.graph, t, last, 0, b.prog, popops::GatherParams(), "padded", padding),
                 mapped = popops::gather(b.graph, t, last, 1, { 1 }, { 1, 4 }, { 0 }, { 0 }, b.prog, "remapped",
                                         { { "remapOutOfBoundIndices", "true" }, { "usedForUpdate", "false" } }),
                 wide = popops::multiSlice(b.graph, t, { 7, 6, 1 }, 0, b.prog, "wide",
                                           { { "remapOutOfBoundIndices", "true" }, { "paddingIndexUsed", "true" } });
    CHECK_THROWS(popops::gather(b.graph, t, indices, 1, { 0, 1 }, { 2, 4 }, {}, { 0 }, b.prog, "pairs", padding),
                 invalid_option, "for slices of one row of one dimension");
    CHECK(b.floats(concat({ padded.slice(0, 1, 1).flatten(), mapped.slice(0, 1, 1).flatten(), wide[0].flatten(),
                            wide[1].flatten() })) ==
          (Floats{ 8, 0, 4, 8, 4, 4, 4, 5, 6, 7, 0, 0, 0, 0 })); // t[5] is 8 to 11, t[0] 4 to 7
    CHECK_THROWS(scatter({ { "garbage", "1" } }), invalid_option, "garbage");
}

TEST(histograms)
{
    Bench b;
    Tensor data = b.ramp({ 2, 5 }), levels = b.ramp({ 10 }).slice(2, 5), counts = b.ramp({ 4 });
    Tensor first = popops::histogram(b.graph, data, levels, false, b.prog, "counts"),
           floats = popops::histogram(b.graph, data, levels, true, b.prog, { "floats" },
                                      { { "useFloatArithmetic", "true" } });
    CHECK(first.elementType() == UNSIGNED_INT && floats.elementType() == FLOAT);
    popops::histogram(b.graph, data, first, true, levels, true, b.prog, "more");
    popops::histogram(b.graph, data, counts, true, levels, false, b.prog);
    CHECK_THROWS(popops::histogram(b.graph, data, data, false, b.prog), std::runtime_error, "{2,5}");
    CHECK_THROWS(popops::histogram(b.graph, data, counts, true, levels, false, b.prog, "f",
                                   { { "useFloatArithmeticWithUnsignedIntOutput", "true" } }),
                 poplar::invalid_option, "for an output of float");
    CHECK_THROWS(
        popops::histogram(b.graph, data, first, true, levels, false, b.prog, "f", { { "useFloatArithmetic", "true" } }),
        poplar::invalid_option, "useFloatArithmetic");
    CHECK(b.floats(concat({ floats, counts, popops::cast(b.graph, first, FLOAT, b.prog) })) ==
          Floats{ 2, 1, 1, 6, 2, 2, 3, 9, 4, 2, 2, 12 });
}

TEST(images)
{
    Bench b;
    Tensor in = popops::createNormaliseImageInput(b.graph, UNSIGNED_CHAR, { 1, 2, 3 }, "images");
    CHECK(in.shape() == Sizes({ 1, 2, 3 }) && in.elementType() == UNSIGNED_CHAR);
    Tensor pixels = b.ramp({ 1, 2, 3 }), offsets = b.ramp({ 3 }), scales = b.ramp({ 4 }).slice(1, 4);
    Tensor out = popops::normaliseImage(b.graph, b.prog, pixels, 0.5f, offsets, scales, "normalise");
    CHECK(out.shape() == Sizes({ 1, 2, 4 }));
    CHECK_THROWS(popops::normaliseImage(b.graph, b.prog, in, 1, offsets, scales), std::runtime_error,
                 "must be half {3}");
    CHECK(b.floats(out) == Floats{ 0, -1, -3, 0, 1.5f, 2, 1.5f, 0 });
}

TEST(padding)
{
    using popops::padding::MappingMethod;
    typedef popops::padding::Type Kind;
    Bench b;
    Tensor t = b.ramp({ 3 });
    CHECK(b.floats(concat({ popops::pad(b.graph, t, { 1 }, { 1 }), popops::pad(b.graph, t, { 0 }, { 1 }, t[2]),
                            popops::pad(b.graph, t, 1, -1, 0, 5.0f, MappingMethod::EDGE),
                            popops::pad(b.graph, t, 0, 1, 0, t[1], MappingMethod::ZERO),
                            popops::pad(t, { 2 }, { 1 }, Kind::REFLECT), popops::pad(t, 1, 0, 0, Kind::EDGE) })) ==
          Floats{ 0, 0, 1, 2, 0, 0, 1, 2, 2, 5, 0, 1, 0, 1, 2, 1, 2, 1, 0, 1, 2, 1, 0, 0, 1, 2 });
    CHECK_THROWS(popops::pad(t, 3, 0, 0, Kind::REFLECT), std::runtime_error, "at most 2");
}

TEST(dynamic_slices)
{
    Bench b;
    Tensor t = b.ramp({ 4, 3 }), offset = b.numbers({ 1 }, { 2 });
    Tensor slice = popops::dynamicSlice(b.graph, t, offset, { 0 }, { 1 }, b.prog, "slice");
    Tensor into = popops::createDynamicSliceOutput(b.graph, t, offset, { 0 }, { 1 });
    popops::dynamicSliceWithOutput(b.graph, into, t, offset, { 0 }, { 1 }, b.prog, { "into" });
    popops::dynamicUpdate(b.graph, t, t.slice(0, 1), offset, { 0 }, { 1 }, b.prog, "update");
    CHECK(popops::getSliceMapping(b.graph, t, { 0 }, { 1 }) == b.graph.getTileMapping(slice));
    CHECK(b.floats(concat({ slice, into, t })) == Floats{ 6, 7, 8, 6, 7, 8, 0, 1, 2, 3, 4, 5, 0, 1, 2, 9, 10, 11 });
    Tensor made = popops::createSliceableTensor(b.graph, HALF, { 5, 6 }, { 0 }, { 1 }, 2, "made");
    CHECK(b.graph.getTileMapping(made).at(2).size() == 5);
    CHECK(popops::createSliceTensor(b.graph, made, { 0 }, { 1 }, 7).shape() == Sizes{ 7, 1, 6 });
    CHECK(popops::createSliceableTensorFromSlice(b.graph, slice, { 0 }, { 9 }).shape() == Sizes{ 9, 3 });
    CHECK_THROWS(popops::dynamicSlice(b.graph, t, offset, { 2 }, { 1 }, b.prog), poplar::index_error, "no dimension 2");
}

TEST(splines)
{
    Bench b;
    Tensor pseudo = b.ramp({ 2, 1 }), basis = b.ramp({ 2, 2 }), index = b.graph.addVariable(INT, { 2, 2 }),
           size = b.graph.addConstant<int>(INT, { 1 }, 4),
           open = b.graph.addConstant<unsigned char>(UNSIGNED_CHAR, { 1 }, 1);
    b.graph.setTileMapping(index, 1);
    b.graph.setTileMapping(size, 0);
    b.graph.setTileMapping(open, 0);
    popops::splineBasis(b.graph, pseudo, size, open, basis, index, 1, b.prog, "basis");
    Tensor out = popops::splineWeighting(b.graph, b.ramp({ 2, 1 }), b.ramp({ 4, 1, 2 }), basis, index, b.prog);
    CHECK(b.floats(concat({ basis.flatten(), out.flatten() })) == Floats{ 1, 0, 1, 0, 0, 0, 6, 7 });
}

TEST(static_slices)
{
    Bench b;
    Tensor t = b.ramp({ 3, 2 }), s = b.ramp({ 3, 3, 1 }), scale = b.ramp({ 3 })[2];
    const OptionFlags padding{ { "paddingIndexUsed", "true" } };
    Tensor columns = popops::multiSlice(b.graph, t, { 1, 0, 1 }, 1, b.prog, "columns");
    Tensor rows = popops::multiSlice(b.graph, t, { 3, 2 }, 0, b.prog, {}, padding);
    Tensor none = popops::multiSlice(b.graph, t, ArrayRef<unsigned>(), 0, b.prog);
    CHECK(columns.shape() == Sizes{ 3, 3, 1 } && rows.shape() == Sizes{ 2, 1, 2 } && none.shape() == Sizes{ 0, 1, 2 });
    popops::multiUpdateAdd(b.graph, t, s, { 1, 2, 1 }, scale, 1, b.prog, "add", padding);
    CHECK(b.floats(concat({ columns.flatten(), rows.flatten(), t.flatten() })) ==
          Floats{ 1, 3, 5, 0, 2, 4, 1, 3, 5, 0, 0, 4, 5, 0, 1 + 2 * 6, 2, 3 + 2 * 8, 4, 5 + 2 * 10 });
    CHECK_THROWS(popops::multiSlice(b.graph, t, { 3 }, 0, b.prog), poplar::index_error, "offset 0 is 3");
    CHECK_THROWS(popops::multiSlice(b.graph, t, { 4 }, 0, b.prog, {}, padding), poplar::index_error, "offset 0 is 4");
    CHECK_THROWS(popops::multiSlice(b.graph, t, { 0 }, 2, b.prog), poplar::index_error, "no dimension 2");
    CHECK_THROWS(popops::multiUpdateAdd(b.graph, t, s, { 0, 0 }, scale, 1, b.prog), poputil::poplibs_error,
                 "the slices");
}

TEST(embeddings)
{
    Bench b;
    using popops::embedding::plan;
    const OptionFlags options{ { "usedForUpdate", "true" } };
    popops::SlicePlan p = plan(b.graph, FLOAT, 4, 3, { 2, 3 }, options), none;
    CHECK(p == plan(b.graph, FLOAT, 9, 4, 3, { 3 }, options) && p != none && none < p);
    CHECK(p == popops::embedding::planMultiple(
                   { popops::embedding::SlicePlanningParameters(b.graph, FLOAT, 1, 4, 3, { 3 }, options) })
                   .at(0));
    CHECK(plan(b.graph, HALF, 10, 4, { 3 }, {}).c().rows == 10);
    std::ostringstream text;
    text << p;
    CHECK(text.str().find("rows=4,columns=3") != std::string::npos);
    Tensor t = popops::createSliceableTensor(b.graph, FLOAT, { 4, 3 }, { 0 }, { 1 }, p, options, "t"),
           copy = b.ramp({ 4, 3 });
    Tensor s = popops::createSliceTensor(b.graph, FLOAT, { 4, 3 }, { 0 }, { 1 }, 3, p, options, "s");
    Tensor indices = popops::createIndicesTensor(b.graph, { 0 }, 3, p, options, "i"), scale = b.ramp({ 3 })[2];
    b.graph.setInitialValue(indices, ArrayRef<unsigned>(Numbers{ 3, 1, 3 }));
    b.prog.add(Copy(copy, t));
    Tensor out = popops::multiSlice(b.graph, t, indices, { 0 }, { 1 }, b.prog, p, options, "slice");
    popops::multiUpdateAdd(b.graph, t, out, indices, scale, { 0 }, { 1 }, b.prog, p, options, { "add" });
    popops::multiUpdate(b.graph, s.squeeze({ 1 }), out.slice(0, 1), indices.slice(1, 2), { 0 }, { 1 }, b.prog, none,
                        {});
    popops::multiUpdateMax(b.graph, t, out, indices, { 0 }, { 1 }, b.prog, p, options);
    popops::multiUpdateMul(b.graph, t, out.slice(1, 2), indices.slice(1, 2), { 0 }, { 1 }, b.prog, p, options);
    CHECK(b.floats(concat(out.flatten(), t.flatten())) ==
          Floats{ 9, 10, 11, 3, 4, 5, 9, 10, 11, 0, 1, 2, 27, 48, 75, 6, 7, 8, 45, 50, 55 });
    Tensor groups = popops::createGroupedSliceableTensor(b.graph, FLOAT, 2, { 4, 3 }, { 0 }, { 1 }, p, options);
    Tensor places = popops::createGroupedIndicesTensor(b.graph, 2, { 0 }, 3, p, options);
    Tensor slices = popops::groupedMultiSlice(b.graph, groups, places, { 0 }, { 1 }, b.prog, p, options);
    CHECK(slices.shape() ==
          popops::createGroupedSliceTensor(b.graph, FLOAT, 2, { 4, 3 }, { 0 }, { 1 }, 3, p, options).shape());
    popops::groupedMultiUpdate(b.graph, groups, slices, places, { 0 }, { 1 }, b.prog, p, options);
    popops::groupedMultiUpdateAdd(b.graph, groups, slices, places, scale, { 0 }, { 1 }, b.prog, p, options);
    popops::groupedMultiUpdateMax(b.graph, groups, slices, places, { 0 }, { 1 }, b.prog, p, options);
    popops::groupedMultiUpdateMul(b.graph, groups, slices, places, { 0 }, { 1 }, b.prog, p, options);
    CHECK_THROWS(plan(b.graph, FLOAT, 4, 3, { 3 }, OptionFlags{ { "usedFor", "true" } }), poplar::invalid_option,
                 "nearest");
}

TEST(gather_and_scatter)
{
    Bench b;
    Tensor t = b.ramp({ 4, 3 }), indices = b.numbers({ 2 }, { 3, 1 });
    Tensor rows = popops::gather(b.graph, t, indices, 0, b.prog, popops::GatherParams(), "gather");
    Tensor columns =
        popops::gather(b.graph, t, indices.slice(1, 2), 1, { 0 }, { 4, 1 }, { 1 }, { 1 }, b.prog, { "gather" });
    Tensor changed = b.ramp({ 4, 3 }), sums = b.ramp({ 4, 3 });
    popops::scatter(b.graph, changed, indices, rows, 1, { 1 }, { 0 }, { 0 }, b.prog, "scatter");
    popops::scatter(b.graph, changed, indices, t.slice(0, 2), 1, { 1 }, { 0 }, { 0 }, b.prog);
    popops::scatter(
        b.graph, sums, indices, t.slice(0, 2), 1, { 1 }, { 0 }, { 0 },
        [](Graph &graph, Tensor &a, Tensor &by, Sequence &prog) {
            return popops::reduce(graph, concat(a.expand({ 0 }), by.expand({ 0 })), { 0 }, popops::Operation::ADD,
                                  prog);
        },
        b.prog, "sums");
    CHECK(popops::createGatherInput(b.graph, FLOAT, { 5, 6 }, 1).shape() == Sizes{ 5, 6 });
    CHECK(popops::createGatherInput(b.graph, FLOAT, { 5, 6 }, { 1, 6 }, { 0 }, "made").shape() == Sizes{ 5, 6 });
    /* A slice of three floats is on two tiles, a grain of two on the first, and all slices have the same mapping. */
    std::vector<std::vector<size_t>> sizes;
    for (const auto &intervals :
         b.graph.getTileMapping(popops::createGatherInput(b.graph, FLOAT, { 3, 3 }, { 1, 3 }, { 0 }))) {
        sizes.emplace_back();
        for (const poplar::Interval &interval : intervals)
            sizes.back().push_back(interval.size());
    }
    CHECK(sizes == std::vector<std::vector<size_t>>{ { 2, 2, 2 }, { 1, 1, 1 }, {}, {}, {} });
    CHECK(b.floats(concat({ rows.flatten(), columns.flatten(), changed.flatten(), sums.flatten() })) ==
          Floats{ 9, 10, 11, 3, 4, 5, 1, 4, 7, 10, 0,  1, 2, 3, 4, 5,  6,
                  7, 8,  0,  1, 2, 0, 1, 2, 6, 8,  10, 6, 7, 8, 9, 11, 13 });
    CHECK_THROWS(popops::scatter(
                     b.graph, sums, indices, t.slice(0, 2), 1, { 1 }, { 0 }, { 0 },
                     [](Graph &, Tensor &, Tensor &, Sequence &) -> Tensor { throw std::logic_error("mine"); }, b.prog),
                 std::logic_error, "mine");
}

TEST(sorting)
{
    Bench b;
    Tensor values = b.ramp({ 2, 3 }), keys = values.reverse(1), in = b.ramp({ 2, 3 }), other = b.ramp({ 2, 3 });
    popops::TopKParams params(2, true, popops::SortOrder::DESCENDING);
    Tensor sorted = popops::sort(b.graph, keys, 1, b.prog, "sort"),
           by = popops::sortKeyValue(b.graph, keys, values, 1, b.prog);
    Tensor best = popops::topK(b.graph, b.prog, values, params, "best");
    std::pair<Tensor, Tensor> pairs = popops::topKKeyValue(b.graph, b.prog, keys, values, params),
                              places = popops::topKWithPermutation(b.graph, b.prog, keys, params);
    popops::sortInPlace(b.graph, in.reverse(1), 1, b.prog, { "in place" });
    popops::sortKeyValueInPlace(b.graph, other.reverse(1), b.ramp({ 2, 3 }), 1, b.prog);
    CHECK(popops::createTopKInput(b.graph, FLOAT, { 2, 3 }, params).shape() == Sizes{ 2, 3 });
    CHECK(places.second.elementType() == UNSIGNED_INT && places.second.shape() == Sizes{ 2, 2 });
    std::ostringstream text;
    text << params << popops::SortOrder::NONE;
    CHECK(text.str() == "{k=2,largest=true,sortOrder=DESCENDING,stableSort=false}NONE");
    CHECK(b.floats(concat({ sorted, by, in, other, concat(best, best.slice(0, 1, 1), 1),
                            concat(pairs.second, places.first.slice(0, 1, 1), 1) })) ==
          Floats{ 0, 1, 2, 3, 4, 5, 2, 1, 0, 5, 4, 3, 2, 1, 0, 5, 4, 3,
                  2, 1, 0, 5, 4, 3, 2, 1, 2, 5, 4, 5, 0, 1, 2, 3, 4, 5 });
    CHECK_THROWS(popops::topK(b.graph, b.prog, values, popops::TopKParams(4, true, popops::SortOrder::NONE)),
                 std::runtime_error, "4 of 3");
}

TEST(rows)
{
    Bench b;
    Tensor t = b.ramp({ 2, 3 }), labels = b.numbers({ 2 }, { 2, 0 }), one = b.numbers({ 1 }, { 1 }),
           other = b.ramp({ 2, 3 });
    Tensor picked = popops::selectScalarFromRows(b.graph, t, labels, b.prog, "select");
    popops::updateScalarInRows(b.graph, t, labels, b.prog, { "update" });
    popops::sequenceSlice(b.graph, t, other, one, one, labels.slice(1, 2), true, b.prog, "sequence");
    CHECK(b.floats(concat({ picked, t.flatten(), other.flatten() })) ==
          Floats{ 2, 3, 0, 1, 1, 2, 4, 5, 2, 4, 5, 0, 0, 0 });
}

TEST(rearrangements)
{
    using namespace popops::rearrange;
    Bench b;
    Tensor t = b.ramp({ 4, 6 });
    b.graph.setTileMapping(t, 1);
    ComputeSet set = b.graph.addComputeSet("transpose");
    Tensor turned = partialTranspose(b.graph, t, set, "turned"), by = b.ramp({ 6, 4 });
    addTransposeVertices(b.graph, set, FLOAT, 4, 6, { { Interval(0, 1) } },
                         [&](std::size_t) { return std::pair<const Tensor, const Tensor>(t.flatten(), by.flatten()); });
    CHECK(!canUseFastTranspose(b.graph.getTarget(), FLOAT, 4, 4, 1) && getMinimumRegroupGrainSize(FLOAT) == 2);
    std::vector<Copy> list;
    Sequence copies;
    poputil::GroupingInfo from(1, 6), to(0, 4);
    std::vector<Tensor> all = { regroupTensor(b.graph, t, copies, set, from, to),
                                regroupTensor(b.graph, t, list, set, from, to, "x"),
                                regroupIfPossible(b.graph, t, copies, set, to),
                                regroupIfPossible(b.graph, t, list, set, to),
                                regroupIfBeneficial(b.graph, t, turned.transpose(), copies, set),
                                regroupIfBeneficial(b.graph, t, turned.transpose(), list, set) };
    CHECK(list.size() == 3);
    b.prog.add(copies);
    for (const Copy &copy : list)
        b.prog.add(copy);
    b.prog.add(Execute(set));
    all.push_back(regroupIfBeneficial(b.graph, t, turned.transpose(), b.prog, { "like" }));
    all.push_back(regroupIfBeneficial(b.graph, t.transpose(), 4, b.prog, "four").transpose());
    all.push_back(turned.transpose());
    all.push_back(by.transpose());
    Floats got = b.floats(concat(all));
    for (std::size_t i = 0; i < got.size(); ++i)
        CHECK(got[i] == static_cast<float>(i % 24));
    Sequence again;
    for (const Tensor &made : { all[1], regroupIfPossible(b.graph, t, again, to) }) {
        const poputil::GroupingInfo group = poputil::detectDimGroupings(b.graph, made).at(0);
        CHECK(group.first == to.first && group.second > 1 && to.second % group.second == 0); // divided among idle tiles
    }
    CHECK(regroupIfPossible(b.graph, t.flatten(), again, to, "flat") == t.flatten());
    CHECK(regroupIfPossible(b.graph, t, again, poputil::GroupingInfo(0, 3)) == t);
    CHECK_THROWS(addTransposeVertices(
                     b.graph, set, FLOAT, 4, 6, { { Interval(0, 1) } },
                     [](std::size_t) -> std::pair<const Tensor, const Tensor> { throw std::logic_error("mine"); }),
                 std::logic_error, "mine");
}

TEST(loops_and_rings)
{
    Bench b;
    popops::CircBuf ring(b.graph, UNSIGNED_INT, 4, { 1 }, "ring");
    b.prog.add(popops::countedLoop(b.graph, 2, [&](const Tensor &i) {
        Sequence body;
        ring.add(i.reshape({ 1 }), body, "add");
        return body;
    }));
    Tensor limit = b.numbers({ 1 }, { 9 }), count = b.numbers({}, { 0 });
    Sequence body, once;
    ring.add(count.reshape({ 1 }), body);
    b.prog.add(popops::countedForLoop(b.graph, count, 5, limit, 2, body, "loop")); // 5, 7
    b.prog.add(popops::countedForLoop(b.graph, 0, limit, 100, Sequence(), { "nothing" }));
    Tensor goesOn = popops::addForLoopCounterVertex(b.graph, count, limit, 1, 0, b.prog);
    CHECK(ring.size() == 4 && ring.getTileMapping() == b.graph.getTileMapping(ring.prev(0, b.prog)));
    Tensor last = ring.prev(0, b.prog), third = ring.prev(2, b.prog);
    CHECK(b.after<unsigned>(concat({ last, third, ring.getIndex(), goesOn.reshape({ 1 }) })) == Numbers{ 7, 1, 0, 0 });
    CHECK_THROWS(ring.prev(4, b.prog), poplar::index_error, "the buffer has 4");
}

TEST(tensors_for_the_host)
{
    Bench b;
    popops::IndicesAndTensor both = popops::createHostSliceableTensor(b.graph, HALF, { 3, 8 }, true, "host");
    CHECK(both.indices.shape() == Sizes{ 3 } && both.tensor.shape() == Sizes{ 3, 8 });
    CHECK(popops::createHostTransferableTensor(b.graph, INT, { 7 }, false).numElements() == 7);
    Tensor second = popops::createHostTransferableTensor(b.graph, INT, { 7 }, false, 1024, "second packets");
    CHECK(b.graph.getTileMapping(second).at(2).size() == 1);
    both = popops::createHostSliceableTensor(b.graph, HALF, { 1, 8 }, true, 512);
    CHECK(b.graph.getTileMapping(both.tensor).at(1).size() == 1 &&
          b.graph.getTileMapping(both.indices).at(1).size() == 1);
}

MAIN()
