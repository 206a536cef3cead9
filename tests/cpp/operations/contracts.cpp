// SPDX-License-Identifier: Apache-2.0
// Behaviour that the original's tests and public programs rely on, in small cases that once were wrong here.
//
// build: c++14
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/Norms.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/codelets.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/Pad.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/TopK.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/Loop.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>

#include "../fixture.hpp"

using namespace poplar;
using namespace poplar::program;

static int failures = 0;
#define CHECK(...)                                                                                                     \
    if (!(__VA_ARGS__)) {                                                                                              \
        std::cerr << __LINE__ << ": " #__VA_ARGS__ "\n";                                                               \
        ++failures;                                                                                                    \
    }
template <class F> static bool throws(const F &call)
{
    try {
        call();
    } catch (const std::exception &error) {
        return *error.what();
    }
    return false;
}

struct Fixture : TestFixture {
    explicit Fixture(unsigned tiles = 8) : TestFixture(model(tiles))
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
        popnn::addCodelets(graph);
    }
    template <class T> std::vector<T> run(const Tensor &t, unsigned times = 1)
    {
        graph.createHostRead("t", t);
        Engine engine(graph, prog);
        engine.load(device);
        for (unsigned i = 0; i < times; ++i)
            engine.run(0);
        std::vector<T> values(t.numElements());
        engine.readTensor("t", values.data(), values.data() + values.size());
        return values;
    }
    std::size_t tilesOf(const Tensor &t)
    {
        std::size_t used = 0;
        for (const auto &intervals : graph.getTileMapping(t))
            used += !intervals.empty();
        return used;
    }
};

static void counts()
{
    Fixture b;
    Tensor outputs = b.constant<float>(FLOAT, { 2, 3 }, { 1, 5, 2, 9, 0, 1 }),
           labels = b.constant<unsigned>(UNSIGNED_INT, { 2 }, { 1, 0 }),
           correct = b.graph.addVariable(UNSIGNED_INT, {}, VariableMappingMethod::LINEAR, "correct");
    popops::zero(b.graph, correct, b.prog);
    b.prog.add(Repeat(300, popnn::calcAccuracy(b.graph, outputs, labels, correct)));
    CHECK(b.run<unsigned>(correct)[0] == 600);
}

static void zeroSizes()
{
    Fixture b;
    CHECK(!throws([] { poplin::ConvParams(FLOAT, 1, { 4 }, { 3 }, 2, 2, 0).validate(); })); // divided by zero before
    Tensor a = b.graph.addVariable(FLOAT, { 5, 0 }, VariableMappingMethod::LINEAR, "a"),
           c = b.graph.addVariable(FLOAT, { 0, 4 }, VariableMappingMethod::LINEAR, "c");
    Tensor product = poplin::matMul(b.graph, a, c, b.prog, FLOAT);
    poplin::matMulReportPlan(std::cout, b.graph, FLOAT, FLOAT, { 5, 0 }, { 0, 4 });
    CHECK(product.shape() == std::vector<std::size_t>({ 5, 4 }) && b.run<float>(product) == std::vector<float>(20));
}

static void indices()
{
    Fixture b;
    Tensor t = b.constant<int>(INT, { 3 }, { 1, 2, 3 }), seven = b.constant<unsigned>(UNSIGNED_INT, { 1 }, { 7 });
    Tensor slice = popops::dynamicSlice(b.graph, t, seven, { 0 }, { 1 }, b.prog);
    CHECK(b.run<int>(slice)[0] == 1);
    Tensor halves = b.graph.addVariable(HALF, { 2, 8 }, VariableMappingMethod::LINEAR, "h");
    CHECK(popops::topK(b.graph, b.prog, halves, popops::TopKParams(2, true, popops::SortOrder::DESCENDING))
              .elementType() == HALF);
    const std::ptrdiff_t large = (std::ptrdiff_t(1) << 32) + 1;
    CHECK(popops::pad(b.graph, halves, large, 0, 1, 0.0f).dim(1) == 8 + std::size_t(large));
}

static void layouts()
{
    Fixture b(4);
    CHECK(throws([&] { poputil::countedLoop(b.graph, 10, 10, 10, [](const Tensor &) { return Sequence(); }); }));
    CHECK(b.tilesOf(popops::createHostSliceableTensor(b.graph, FLOAT, { 1, 63 }, true).tensor) == 1);
    CHECK(b.tilesOf(popops::createHostSliceableTensor(b.graph, FLOAT, { 2, 10 }, true).tensor) == 2);
    Tensor sliceable = popops::createSliceableTensor(b.graph, FLOAT, { 31, 4 }, { 0 }, { 1 }, 0),
           from = popops::createSliceableTensorFromSlice(b.graph, sliceable.slice(0, 1), { 0 }, { 31 });
    for (const auto &intervals : b.graph.getTileMapping(from))
        CHECK(b.graph.getSortedContiguousRegions(from, intervals).size() <= 1);
    Fixture thirteen(13);
    Tensor in = thirteen.graph.addVariable(FLOAT, { 103 }, "in"), out = thirteen.graph.clone(in);
    poputil::mapTensorLinearly(thirteen.graph, in, 1, 1);
    poputil::mapOutputForElementWiseOp(thirteen.graph, { in }, out, 4);
    for (const auto &intervals : thirteen.graph.getTileMapping(out))
        for (const Interval &interval : intervals)
            CHECK(interval.begin() % 4 == 0 && (interval.end() % 4 == 0 || interval.end() == 103));
}

static void arithmetic()
{
    Fixture b;
    Tensor x = b.graph.addVariable(INT, { 3 }, VariableMappingMethod::LINEAR, "x"),
           y = b.constant<int>(INT, { 3 }, { 1, -2, 3 }), two = b.graph.addConstant(INT, {}, 2),
           three = b.graph.addConstant(INT, {}, 3); // neither is mapped to a tile
    b.graph.setInitialValue(x, ArrayRef<int>({ 5, 6, 7 }));
    popops::scaledAddTo(b.graph, x, two, y, three, b.prog);
    CHECK(b.run<int>(x) == std::vector<int>({ 13, 6, 23 }));
}

static void buffers()
{
    Fixture b;
    Tensor t = b.graph.addVariable(FLOAT, { 3 }, VariableMappingMethod::LINEAR, "t");
    b.graph.createHostWrite("in", t);
    b.graph.createHostRead("out", t);
    Engine engine(b.graph, Sequence());
    engine.load(b.device);
    std::vector<float> longer{ 1, 2, 3, 99 }, got(5, -1);
    engine.writeTensor("in", longer.data(), longer.data() + longer.size());
    engine.readTensor("out", got.data(), got.data() + got.size());
    CHECK(got == std::vector<float>({ 1, 2, 3, -1, -1 }));
}

static void nothingAndPoints()
{
    Fixture b;
    poplin::ConvParams point(FLOAT, 2, std::vector<std::size_t>(), std::vector<std::size_t>(), 3, 4, 1);
    Tensor in = poplin::createInput(b.graph, point, "in"), weights = poplin::createWeights(b.graph, point, "w");
    b.graph.setInitialValue(in, std::vector<float>(6, 2));
    b.graph.setInitialValue(weights, std::vector<float>(12, 0.5f));
    Tensor out = poplin::convolution(b.graph, in, weights, point, false, b.prog);
    CHECK(out.shape() == std::vector<std::size_t>({ 2, 4 }));
    Tensor empty = b.graph.addVariable(FLOAT, { 0, 4, 2 }, VariableMappingMethod::LINEAR, "empty");
    auto statistics = poplin::normStatistics(b.graph, empty, 0.25f, b.prog, false);
    Tensor all = concat({ out.flatten(), statistics.first, statistics.second });
    CHECK(b.run<float>(all) == std::vector<float>({ 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 2, 2, 2, 2 }));
}

int main()
{
    counts();
    zeroSizes();
    indices();
    layouts();
    arithmetic();
    buffers();
    nothingAndPoints();
    return failures != 0;
}
