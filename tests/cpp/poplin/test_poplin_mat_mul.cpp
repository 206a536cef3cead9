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

#include "bed.hpp"
#include "check.hpp"

#include <sstream>

using namespace poplar;
using namespace poplar::program;

struct Bed : TestBed {
    explicit Bed(Device on = Device::createCPUDevice()) : TestBed(std::move(on))
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
    Bed bed;
    Tensor left = bed.floats({ 5, 3 }), right = bed.floats({ 3, 4 });
    Tensor plain = poplin::matMul(bed.graph, left, right, bed.prog);
    Tensor named =
        poplin::matMul(bed.graph, left, right, bed.prog, std::string("named"), { { "partialsType", "float" } });
    Tensor typed = poplin::matMul(bed.graph, left, right, bed.prog, FLOAT, "typed", {}, nullptr);
    Tensor half = poplin::matMul(bed.graph, left, right, bed.prog, HALF, "half");
    CHECK(half.elementType() == HALF);
    CHECK(plain.shape() == (std::vector<std::size_t>{ 5, 4 }));
    std::vector<float> got = bed.run(concat({ plain, named, typed }));
    for (std::size_t i = 0; i < 60; ++i)
        CHECK(got[i] == product(3, 4, i % 20 / 4, i % 4));
}

// A factor without a tile is put on tile 0, as other scales are.
TEST(a_factor_without_a_tile)
{
    IPUModel model;
    model.tilesPerIPU = 4;
    Bed bed(model.createDevice());
    const Tensor left = bed.floats({ 5, 3 }), right = bed.floats({ 3, 4 }), sum = bed.floats({ 5, 4 }),
                 two = bed.graph.addConstant(FLOAT, {}, 2.0f);
    poplin::matMulAcc(bed.graph, sum, two, left, right, bed.prog);
    CHECK(!bed.graph.getTileMapping(two)[0].empty());
    const std::vector<float> got = bed.run(sum);
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(got[i] == static_cast<float>(i % 7 + 1) + 2 * product(3, 4, i / 4, i % 4));
}

TEST(sums_and_outputs)
{
    Bed bed;
    Tensor left = bed.floats({ 5, 3 }), right = bed.floats({ 3, 4 }), sum = bed.floats({ 5, 4 }),
           out = bed.floats({ 1, 5, 4 });
    Tensor two = bed.graph.addConstant(FLOAT, {}, 2.0f);
    bed.graph.setTileMapping(two, 0);
    poplin::matMulAcc(bed.graph, sum, 3.0f, left, right, bed.prog, "acc");
    poplin::matMulAcc(bed.graph, sum, two, left, right, bed.prog, "acc");
    poplin::matMulGroupedAcc(bed.graph, sum.expand({ 0 }), -1.0f, left.expand({ 0 }), right.expand({ 0 }), bed.prog);
    poplin::matMulGroupedAcc(bed.graph, sum.expand({ 0 }), two, left.expand({ 0 }), right.expand({ 0 }), bed.prog);
    poplin::matMulGroupedWithOutput(bed.graph, left.expand({ 0 }), right.expand({ 0 }), out, bed.prog, "out");
    Tensor first = out[0];
    poplin::matMulWithOutput(bed.graph, left, right, first, bed.prog, "out");
    std::vector<float> got = bed.run(concat(sum.flatten(), out.flatten()));
    for (std::size_t i = 0; i < 20; ++i) {
        CHECK(got[i] == a(i) + 6 * product(3, 4, i / 4, i % 4));
        CHECK(got[20 + i] == product(3, 4, i / 4, i % 4));
    }
}

TEST(operands)
{
    Bed bed;
    poplin::matmul::PlanningCache cache;
    Tensor left = bed.fill(poplin::createMatMulInputLHS(bed.graph, FLOAT, { 5, 3 }, { 3, 4 }, "left", {}, &cache));
    Tensor right =
        bed.fill(poplin::createMatMulInputRHS(bed.graph, FLOAT, FLOAT, { 5, 3 }, { 3, 4 }, "right", {}, &cache));
    Tensor out = poplin::createMatMulOutput(bed.graph, FLOAT, { 5, 3 }, { 3, 4 }, "out");
    CHECK(out.shape() == (std::vector<std::size_t>{ 5, 4 }));
    const OptionFlags arranged{ { "inputRHSIsPreArranged", "true" } };
    right = poplin::preArrangeMatMulInputRHS(bed.graph, { 5, 3 }, right, bed.prog, "arranged", arranged);
    poplin::matMulWithOutput(bed.graph, left, right, out, bed.prog, "mm", arranged, &cache);

    Tensor lefts =
        bed.fill(poplin::createMatMulGroupedInputLHS(bed.graph, FLOAT, FLOAT, { 2, 5, 3 }, { 2, 3, 4 }, "lefts"));
    Tensor rights =
        bed.fill(poplin::createMatMulGroupedInputRHS(bed.graph, FLOAT, FLOAT, { 2, 5, 3 }, { 2, 3, 4 }, "rights"));
    CHECK(poplin::createMatMulGroupedOutput(bed.graph, FLOAT, HALF, { 2, 5, 3 }, { 2, 3, 4 }, "outs").elementType() ==
          HALF);
    rights =
        poplin::preArrangeMatMulGroupedInputRHS(bed.graph, { 2, 5, 3 }, rights, bed.prog, FLOAT, "arranged", arranged);
    Tensor turned = poplin::matMulGrouped(bed.graph, poplin::transposeGroupedMatrix(rights),
                                          poplin::transposeGroupedMatrix(lefts), bed.prog, FLOAT, "g");
    CHECK(turned.shape() == (std::vector<std::size_t>{ 2, 4, 5 }));
    std::vector<float> got = bed.run(concat(out.flatten(), turned.dimShuffle({ 0, 2, 1 }).flatten()));
    for (std::size_t i = 0; i < 20; ++i) {
        CHECK(got[i] == product(3, 4, i / 4, i % 4));
        CHECK(got[20 + i] == product(3, 4, i / 4, i % 4));
    }
}

TEST(mistakes)
{
    Bed bed;
    Tensor left = bed.floats({ 5, 3 }), right = bed.floats({ 4, 3 });
    CHECK_THROWS((poplin::matMul(bed.graph, left, right, bed.prog, "x")), poputil::poplibs_error, "as many columns");
    CHECK_THROWS((poplin::matMul(bed.graph, left, right.transpose(), bed.prog, "x",
                                 { { "availableMemoryProportion", "-1.1" } })),
                 invalid_option, "must not be negative");
    CHECK_THROWS((poplin::matmulValidateOptions({ { "partialsType", "int" } })), invalid_option, "half|float");
    poplin::matmulValidateOptions({ { "fullyConnectedPass", "TRAINING_FWD" } });
}

MAIN()
