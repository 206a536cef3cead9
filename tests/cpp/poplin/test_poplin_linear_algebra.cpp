// SPDX-License-Identifier: Apache-2.0
// Mesh grids, fully connected layers, triangular systems and Cholesky's factors in C++.
#include <poplar/CSRFunctions.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Cholesky.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/MeshGrid.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poplin/codelets.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <popops/codelets.hpp>

#include "check.hpp"

#include <cmath>
#include <set>

using namespace poplar;
using namespace poplar::program;

struct OneCpu {
    Device device;
    Graph graph;
    Sequence prog;
    OneCpu() : device(Device::createCPUDevice()), graph(device.getTarget()), prog()
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
    }
    // A separate function: with both calls inlined, gcc 12 at -O3 reports a use after delete.
    __attribute__((noinline)) static void start(Engine &engine, const Device &device)
    {
        engine.load(device);
        engine.run(0);
    }
    std::vector<float> run(const Tensor &t)
    {
        std::vector<float> values(t.numElements());
        graph.createHostRead("result", t);
        Engine engine(graph, prog);
        start(engine, device);
        engine.readTensor("result", values.data(), values.data() + values.size());
        return values;
    }
};

TEST(grids)
{
    OneCpu fixture;
    Tensor x = poplin::linspace(fixture.graph, FLOAT, 0, 3, 4, "x"),
           y = poplin::linspace(fixture.graph, FLOAT, 5, 6, 2);
    std::vector<Tensor> grids = poplin::meshgrid2d(fixture.graph, x, y);
    CHECK(grids.size() == 2 && grids[0].shape() == grids[1].shape());
    std::vector<float> got = fixture.run(concat(grids));
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(got[i] == static_cast<float>(i % 4) && got[8 + i] == static_cast<float>(5 + i / 4));
}

TEST(layers)
{
    auto list = poplin::fc::getMatMulPrePlanParameters(poplin::fc::FullyConnectedParams{ 1, 16, 784, 30 },
                                                       { { "partialsType", "half" } }, HALF, false);
    CHECK(list.size() == 3);
    CHECK(list[2].first.aShape == (std::vector<std::size_t>{ 1, 784, 16 }) &&
          list[2].first.bShape == (std::vector<std::size_t>{ 1, 16, 30 }));
    CHECK(list[1].second.at("fullyConnectedPass") == "TRAINING_BWD" && list[1].second.at("partialsType") == "half");
    const poplin::MatMulParams &a = list[0].first, &b = list[1].first;
    CHECK((a < b) != (b < a) && !(a < a));
}

TEST(systems)
{
    OneCpu fixture;
    Tensor a = poplin::createTriangularSolveInputLHS(fixture.graph, FLOAT, FLOAT, { 2, 2 }, { 2, 1 }, true, "a");
    Tensor b = poplin::createTriangularSolveInputRHS(fixture.graph, FLOAT, FLOAT, { 2, 2 }, { 2, 1 }, true,
                                                     std::string("b"), {}, nullptr);
    fixture.graph.setInitialValue(a, ArrayRef<float>({ 2, 9, 3, 4 }));
    fixture.graph.setInitialValue(b, ArrayRef<float>({ 8, 20 }));
    Tensor x = poplin::triangularSolve(fixture.graph, a, b, true, true, false, 1, fixture.prog, "solve");
    Tensor same = poplin::triangularSolve(fixture.graph, a, b, true, true, false, fixture.prog,
                                          "solve"); // blocks of a size that the library chooses
    CHECK(same.shape() == x.shape());
    Tensor mask = poplin::triangularMask(fixture.graph, a, true, true, fixture.prog, "mask");
    CHECK(x.shape() == b.shape());
    CHECK(fixture.run(concat(x.flatten(), mask.flatten())) == (std::vector<float>{ 4, 2, 1, 0, 3, 1 }));
    CHECK(
        poplin::getTriangularSolveMatMulPrePlanParameters(FLOAT, FLOAT, { 8, 8 }, { 8, 3 }, true, true, 3, {}).size() ==
        3);
}

TEST(lu_and_qr)
{
    OneCpu fixture;
    Tensor a = fixture.graph.addConstant<float>(FLOAT, { 2, 2 }, { 4, 2, 2, 3 });
    fixture.graph.setTileMapping(a, 0);
    std::pair<Tensor, Tensor> lu = poplin::experimental::LUFactorization(fixture.graph, a, fixture.prog, "lu");
    std::array<Tensor, 2> qr = poplin::experimental::createQRFactorizationMatrices(fixture.graph, FLOAT, 2, 1, "qr");
    CHECK(qr[0].shape() == (std::vector<std::size_t>{ 2, 1 }) && qr[1].shape() == (std::vector<std::size_t>{ 2, 2 }));
    fixture.graph.setInitialValue(qr[0], std::vector<float>{ 3, 4 });
    fixture.graph.setInitialValue(qr[1], std::vector<float>{ 1, 0, 0, 1 });
    poplin::experimental::QRFactorization(fixture.graph, qr[0], qr[1], fixture.prog);
    std::vector<float> got =
        fixture.run(concat({ lu.first.flatten(), lu.second.flatten(), qr[0].flatten(), qr[1].flatten() }));
    const float wanted[] = { 1, 0, 0.5f, 1, 4, 2, 0, 2, -5, 0, -0.6f, -0.8f, -0.8f, 0.6f };
    for (std::size_t i = 0; i < 14; ++i)
        CHECK(std::fabs(got[i] - wanted[i]) < 1e-6f);
}

TEST(factors)
{
    OneCpu fixture;
    const OptionFlags blocks{ { "blockSize", "1" } };
    Tensor a = poplin::createCholeskyInput(fixture.graph, FLOAT, { 2, 2 }, "a", blocks);
    Tensor like = poplin::createCholeskyInput(fixture.graph, FLOAT, { 3, 4, 4 }, false, "like",
                                              blocks); /* the triangle, in the guide's era */
    CHECK(like.shape() == (std::vector<std::size_t>{ 3, 4, 4 }) &&
          poplin::createCholeskyInput(fixture.graph, HALF, { 2, 2 }, true).elementType() == HALF);
    fixture.graph.setInitialValue(a, ArrayRef<float>({ 4, 6, 6, 25 }));
    Tensor lower = poplin::cholesky(fixture.graph, a, true, fixture.prog, "lower", blocks);
    poplin::choleskyInPlace(fixture.graph, a, false, fixture.prog);
    CHECK(fixture.run(concat(lower.flatten(), a.flatten())) == (std::vector<float>{ 2, 0, 3, 4, 2, 3, 0, 4 }));
    CHECK(poplin::getCholeskyMatMulPrePlanParameters(FLOAT, { 64, 64 }, true, blocks).size() == 126);
    CHECK(poplin::getCholeskyMatMulPrePlanParameters(FLOAT, { 16, 16 }, true).size() == 2);
}

// The products that are announced are those that a solution plans: with them planned, it makes no further plan.
typedef std::vector<std::pair<poplin::MatMulParams, OptionFlags>> Products;
static std::size_t planned(poplin::matmul::PlanningCache &cache, const Target &target, const Products &products)
{
    std::set<poplin::MatMulPlanParams> all;
    for (const auto &product : products) {
        CHECK(product.second.find("blockSize") == product.second.end());
        all.insert(poplin::MatMulPlanParams(&target, product.first, &product.second));
    }
    poplin::preplanMatMuls(all, cache);
    return cache.size();
}
TEST(products_that_are_announced)
{
    IPUModel model;
    model.tilesPerIPU = 4;
    const Device device = model.createDevice();
    struct Case {
        std::size_t n, columns;
        bool left;
        const char *block;
    };
    for (const Case &c :
         { Case{ 16, 1, true, "4" }, Case{ 13, 5, false, "4" }, Case{ 8, 3, true, "8" }, Case{ 4, 1, true, "8" } }) {
        Graph graph(device.getTarget());
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
        Sequence prog;
        poplin::matmul::PlanningCache solving, factoring;
        const OptionFlags options{ { "blockSize", c.block }, { "availableMemoryProportion", "0.5" } };
        const std::vector<std::size_t> a{ 2, c.n, c.n },
            b = c.left ? std::vector<std::size_t>{ 2, c.n, c.columns } : std::vector<std::size_t>{ 2, c.columns, c.n };
        Tensor left = poplin::createTriangularSolveInputLHS(graph, FLOAT, FLOAT, a, b, c.left, "a", options, &solving),
               right = poplin::createTriangularSolveInputRHS(graph, FLOAT, FLOAT, a, b, c.left, "b", options, &solving);
        const std::size_t solved =
            planned(solving, graph.getTarget(),
                    poplin::getTriangularSolveMatMulPrePlanParameters(FLOAT, FLOAT, a, b, c.left, true, options));
        poplin::triangularSolve(graph, left, right, c.left, true, false, prog, "solve", options, &solving);
        CHECK(solving.size() == solved && (solved > 0) == (c.n > 4));
        const std::size_t factored = planned(factoring, graph.getTarget(),
                                             poplin::getCholeskyMatMulPrePlanParameters(FLOAT, a, c.left, options));
        poplin::cholesky(graph, left, c.left, prog, "factor", options, &factoring);
        CHECK(factoring.size() == factored && (factored > 0) == (c.n > 8));
    }
    for (const char *wrong : { "0", "-1", "4x", "" })
        CHECK_THROWS(poplin::getCholeskyMatMulPrePlanParameters(FLOAT, { 4, 4 }, true, { { "blockSize", wrong } }),
                     invalid_option, "for option 'blockSize'");
}

MAIN()
