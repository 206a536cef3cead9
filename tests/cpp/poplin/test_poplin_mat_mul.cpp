// SPDX-License-Identifier: Apache-2.0
// poplin's matrix products in C++, with strings as in the guide's era and with debug contexts.
#include <poplar/CSRFunctions.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <sstream>

using namespace poplar;
using namespace poplar::program;

struct Fixture : TestFixture {
    explicit Fixture(Device on = Device::createCPUDevice()) : TestFixture(std::move(on))
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
    }
    // A variable or a given tensor with values 1, 2, 3, ... modulo 7.
    Tensor fill(const Tensor &t)
    {
        std::vector<float> values(t.numElements());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i % 7 + 1);
        graph.setInitialValue(t, ArrayRef<float>(values));
        return t;
    }
    Tensor floats(const Shape &shape)
    {
        return fill(variable(FLOAT, shape));
    }
};

static float a(std::size_t i)
{
    return static_cast<float>(i % 7 + 1);
}
// Element (row, column) of the product of {m,k} and {k,n} with these values.
static float product(std::size_t k, std::size_t n, std::size_t row, std::size_t column)
{
    float sum = 0;
    for (std::size_t i = 0; i < k; ++i)
        sum += a(row * k + i) * a(i * n + column);
    return sum;
}

TEST(products)
{
    Fixture fixture;
    Tensor left = fixture.floats({ 5, 3 }), right = fixture.floats({ 3, 4 });
    Tensor plain = poplin::matMul(fixture.graph, left, right, fixture.prog);
    Tensor named =
        poplin::matMul(fixture.graph, left, right, fixture.prog, std::string("named"), { { "partialsType", "float" } });
    Tensor typed = poplin::matMul(fixture.graph, left, right, fixture.prog, FLOAT, "typed", {}, nullptr);
    Tensor half = poplin::matMul(fixture.graph, left, right, fixture.prog, HALF, "half");
    CHECK(half.elementType() == HALF);
    CHECK(plain.shape() == (std::vector<std::size_t>{ 5, 4 }));
    std::vector<float> got = fixture.run(concat({ plain, named, typed }));
    for (std::size_t i = 0; i < 60; ++i)
        CHECK(got[i] == product(3, 4, i % 20 / 4, i % 4));
}

// A factor without a tile is put on tile 0, as other scales are.
TEST(a_factor_without_a_tile)
{
    IPUModel model;
    model.tilesPerIPU = 4;
    Fixture fixture(model.createDevice());
    const Tensor left = fixture.floats({ 5, 3 }), right = fixture.floats({ 3, 4 }), sum = fixture.floats({ 5, 4 }),
                 two = fixture.graph.addConstant(FLOAT, {}, 2.0f);
    poplin::matMulAcc(fixture.graph, sum, two, left, right, fixture.prog);
    CHECK(!fixture.graph.getTileMapping(two)[0].empty());
    const std::vector<float> got = fixture.run(sum);
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(got[i] == static_cast<float>(i % 7 + 1) + 2 * product(3, 4, i / 4, i % 4));
}

TEST(sums_and_outputs)
{
    Fixture fixture;
    Tensor left = fixture.floats({ 5, 3 }), right = fixture.floats({ 3, 4 }), sum = fixture.floats({ 5, 4 }),
           out = fixture.floats({ 1, 5, 4 });
    Tensor two = fixture.graph.addConstant(FLOAT, {}, 2.0f);
    fixture.graph.setTileMapping(two, 0);
    poplin::matMulAcc(fixture.graph, sum, 3.0f, left, right, fixture.prog, "acc");
    poplin::matMulAcc(fixture.graph, sum, two, left, right, fixture.prog, "acc");
    poplin::matMulGroupedAcc(fixture.graph, sum.expand({ 0 }), -1.0f, left.expand({ 0 }), right.expand({ 0 }),
                             fixture.prog);
    poplin::matMulGroupedAcc(fixture.graph, sum.expand({ 0 }), two, left.expand({ 0 }), right.expand({ 0 }),
                             fixture.prog);
    poplin::matMulGroupedWithOutput(fixture.graph, left.expand({ 0 }), right.expand({ 0 }), out, fixture.prog, "out");
    Tensor first = out[0];
    poplin::matMulWithOutput(fixture.graph, left, right, first, fixture.prog, "out");
    std::vector<float> got = fixture.run(concat(sum.flatten(), out.flatten()));
    for (std::size_t i = 0; i < 20; ++i) {
        CHECK(got[i] == a(i) + 6 * product(3, 4, i / 4, i % 4));
        CHECK(got[20 + i] == product(3, 4, i / 4, i % 4));
    }
}

TEST(operands)
{
    Fixture fixture;
    poplin::matmul::PlanningCache cache;
    Tensor left =
        fixture.fill(poplin::createMatMulInputLHS(fixture.graph, FLOAT, { 5, 3 }, { 3, 4 }, "left", {}, &cache));
    Tensor right = fixture.fill(
        poplin::createMatMulInputRHS(fixture.graph, FLOAT, FLOAT, { 5, 3 }, { 3, 4 }, "right", {}, &cache));
    Tensor out = poplin::createMatMulOutput(fixture.graph, FLOAT, { 5, 3 }, { 3, 4 }, "out");
    CHECK(out.shape() == (std::vector<std::size_t>{ 5, 4 }));
    const OptionFlags arranged{ { "inputRHSIsPreArranged", "true" } };
    right = poplin::preArrangeMatMulInputRHS(fixture.graph, { 5, 3 }, right, fixture.prog, "arranged", arranged);
    poplin::matMulWithOutput(fixture.graph, left, right, out, fixture.prog, "mm", arranged, &cache);

    Tensor lefts = fixture.fill(
        poplin::createMatMulGroupedInputLHS(fixture.graph, FLOAT, FLOAT, { 2, 5, 3 }, { 2, 3, 4 }, "lefts"));
    Tensor rights = fixture.fill(
        poplin::createMatMulGroupedInputRHS(fixture.graph, FLOAT, FLOAT, { 2, 5, 3 }, { 2, 3, 4 }, "rights"));
    CHECK(
        poplin::createMatMulGroupedOutput(fixture.graph, FLOAT, HALF, { 2, 5, 3 }, { 2, 3, 4 }, "outs").elementType() ==
        HALF);
    rights = poplin::preArrangeMatMulGroupedInputRHS(fixture.graph, { 2, 5, 3 }, rights, fixture.prog, FLOAT,
                                                     "arranged", arranged);
    Tensor turned = poplin::matMulGrouped(fixture.graph, poplin::transposeGroupedMatrix(rights),
                                          poplin::transposeGroupedMatrix(lefts), fixture.prog, FLOAT, "g");
    CHECK(turned.shape() == (std::vector<std::size_t>{ 2, 4, 5 }));
    std::vector<float> got = fixture.run(concat(out.flatten(), turned.dimShuffle({ 0, 2, 1 }).flatten()));
    for (std::size_t i = 0; i < 20; ++i) {
        CHECK(got[i] == product(3, 4, i / 4, i % 4));
        CHECK(got[20 + i] == product(3, 4, i / 4, i % 4));
    }
}

TEST(mistakes)
{
    Fixture fixture;
    Tensor left = fixture.floats({ 5, 3 }), right = fixture.floats({ 4, 3 });
    CHECK_THROWS((poplin::matMul(fixture.graph, left, right, fixture.prog, "x")), poputil::poplibs_error,
                 "as many columns");
    CHECK_THROWS((poplin::matMul(fixture.graph, left, right.transpose(), fixture.prog, "x",
                                 { { "availableMemoryProportion", "-1.1" } })),
                 invalid_option, "must not be negative");
    CHECK_THROWS((poplin::matmulValidateOptions({ { "partialsType", "int" } })), invalid_option, "half|float");
    poplin::matmulValidateOptions({ { "fullyConnectedPass", "TRAINING_FWD" } });
}

MAIN()
