// SPDX-License-Identifier: Apache-2.0
// popops' element-wise operators in C++: every function of operators.def in its spellings, numbers for tensors, the
// guide's tutorial 2.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <cmath>

using namespace poplar;
using namespace poplar::program;

struct Fixture : TestFixture {
    explicit Fixture(unsigned tiles = 3) : TestFixture(model(tiles))
    {
        popops::addCodelets(graph);
    }
    // A variable of which each element is on another tile than the constant that it is copied from.
    template <typename T> Tensor constant(Type type, const Shape &shape, const std::vector<T> &values)
    {
        Tensor from = graph.addConstant<T>(type, shape, values.data());
        Tensor t = graph.addVariable(type, shape);
        poputil::mapTensorLinearly(graph, t, 1, 2);
        poputil::mapTensorLinearly(graph, from, 1, 3);
        prog.add(Copy(from, t));
        return t;
    }
    Tensor copy(const Tensor &t)
    {
        Tensor made = graph.clone(t);
        prog.add(Copy(t, made));
        return made;
    }
};
typedef std::vector<float> Floats;

// The guide's tutorial 2.
TEST(tutorial)
{
    Fixture b;
    Tensor v1 = b.constant<float>(FLOAT, { 2, 2 }, { 4, 3, 2, 1 }),
           v2 = b.constant<float>(FLOAT, { 2, 2 }, { 1, 1.5f, 2, 2.5f });
    Tensor v3 = popops::add(b.graph, v1, v2, b.prog, "Add");
    Tensor v4 = popops::add(b.graph, v3, v2, b.prog, "Add");
    Tensor v5 = popops::add(b.graph, v1, v2.transpose(), b.prog, "Add");
    const std::vector<Floats> got = b.run({ v3, v4, v5 });
    CHECK(got[0] == Floats{ 5, 4.5f, 4, 3.5f });
    CHECK(got[1] == Floats{ 6, 6, 6, 6 });
    CHECK(got[2] == Floats{ 5, 5, 3.5f, 3.5f });
}

// Operands for every operator of a list of types.
#define TYPES_FLOATS     FLOAT
#define TYPES_SIGNED     FLOAT
#define TYPES_ROOTS      FLOAT
#define TYPES_SQUARES    FLOAT
#define TYPES_NUMBERS    FLOAT
#define TYPES_COMPARABLE FLOAT
#define TYPES_EVERYTHING FLOAT
#define TYPES_BITS       UNSIGNED_INT
#define TYPES_WORDS      UNSIGNED_INT
#define TYPES_BOOLS      BOOL
// The four forms of each operator agree, and its class gives the same expression.
struct Ways {
    Fixture b;
    std::vector<Tensor> results;
    Tensor x(const Type &type)
    {
        return type == FLOAT ? b.constant<float>(FLOAT, { 5 }, { 0.25f, 0.5f, 0.75f, 1, 0.125f })
                             : bits(type, { 1, 0, 1, 1, 0 });
    }
    Tensor y(const Type &type)
    {
        return type == FLOAT ? b.constant<float>(FLOAT, { 5 }, { 1, 0.5f, 0.25f, 2, 0.125f })
                             : bits(type, { 0, 0, 1, 1, 1 });
    }
    Tensor bits(const Type &type, const std::vector<unsigned> &values)
    {
        return b.constant<unsigned>(type, { 5 }, values);
    }
    void add(const Tensor &t)
    {
        results.push_back(t);
    }
    void check(std::size_t ways)
    {
        const std::vector<Floats> got = b.run(results);
        for (std::size_t i = 0; i < got.size(); ++i)
            CHECK(got[i] == got[i / ways * ways] && got[i].size() == 5);
    }
};
TEST(unary_functions)
{
    Ways w;
    Sequence &prog = w.b.prog;
    Graph &graph = w.b.graph;
#define UNARY(name, function, constant, Node, TYPES, RESULT, ...)                                                      \
    {                                                                                                                  \
        Tensor a = w.x(TYPES_##TYPES), first = popops::function(graph, a, prog, "old style");                          \
        Tensor out = graph.clone(first), own = w.b.copy(a);                                                            \
        popops::function##WithOutput(graph, a, out, prog, DebugContext("context"), {});                                \
        if (first.elementType() == a.elementType())                                                                    \
            popops::function##InPlace(graph, own, prog);                                                               \
        else                                                                                                           \
            own = out;                                                                                                 \
        for (const Tensor &t :                                                                                         \
             { first, out, own, popops::map(graph, popops::expr::Node(popops::expr::_1), { a }, prog),                 \
               popops::map(graph, popops::expr::UnaryOpType::constant, a, prog) })                                     \
            w.add(t);                                                                                                  \
    }
#define UNARY_ENUMERATOR(...)
#include <popops/operators.def>
#undef UNARY
    w.check(5);
}
TEST(binary_functions)
{
    Ways w;
    Sequence &prog = w.b.prog;
    Graph &graph = w.b.graph;
#define BINARY(name, function, constant, Node, TYPES, RESULT, ...)                                                     \
    {                                                                                                                  \
        Tensor a = w.x(TYPES_##TYPES), b = w.y(TYPES_##TYPES),                                                         \
               c = popops::map(graph, popops::expr::BinaryOpType::constant, a, b, prog);                               \
        Tensor out = graph.clone(c), own = w.b.copy(a);                                                                \
        popops::function(graph, a, b, prog, "result of its own type");                                                 \
        popops::function##WithOutput(graph, a, b, out, prog, "out");                                                   \
        if (c.elementType() == a.elementType())                                                                        \
            popops::function##InPlace(graph, own, b, prog, "in place", {});                                            \
        else                                                                                                           \
            own = out;                                                                                                 \
        for (const Tensor &t :                                                                                         \
             { c, out, own,                                                                                            \
               popops::map(graph, popops::expr::Node(popops::expr::_1, popops::expr::_2), { a, b }, prog) })           \
            w.add(t);                                                                                                  \
    }
#include <popops/operators.def>
#undef BINARY
    w.check(4);
}
TEST(ternary_functions)
{
    Ways w;
    Sequence &prog = w.b.prog;
    Graph &graph = w.b.graph;
    Tensor a = w.x(FLOAT), b = w.y(FLOAT), low = w.b.copy(a), picked = w.b.copy(a), condition = w.x(BOOL),
           out = graph.clone(a), chosen = graph.clone(a);
    popops::clampInPlace(graph, low, 0.3f, 0.6f, prog);
    popops::clampWithOutput(graph, a, 0.3f, 0.6f, out, prog, "out");
    popops::selectInPlace(graph, picked, b, condition, prog);
    popops::selectWithOutput(graph, a, b, condition, chosen, prog);
    const std::vector<Floats> got =
        w.b.run({ low, out, popops::clamp(graph, a, 0.3f, 0.6f, prog, "clamp"), picked, chosen,
                  popops::select(graph, a, b, condition, prog), popops::select(graph, 7, 9.0, condition, prog),
                  popops::select(graph, a, 9, condition, prog), popops::select(graph, 9u, a, condition, prog),
                  popops::map(graph, popops::expr::TernaryOpType::SELECT, a, b, condition, prog) });
    for (int i = 0; i < 3; ++i)
        CHECK(got[i] == Floats{ 0.3f, 0.5f, 0.6f, 0.6f, 0.3f });
    for (int i : { 3, 4, 5, 9 })
        CHECK(got[i] == Floats{ 0.25f, 0.5f, 0.75f, 1, 0.125f });
    CHECK(got[6].size() == 5 && got[6][0] == 7 && got[6][1] == 9);
    CHECK(got[7][0] == 0.25f && got[7][1] == 9 && got[8][0] == 9 && got[8][1] == 0.5f);
}

TEST(numbers)
{
    Fixture b;
    Tensor t = b.constant<float>(FLOAT, { 3 }, { 1, 2, 4 }), h = b.constant<float>(HALF, { 3 }, { 1, 2, 4 }),
           i = b.constant<int>(INT, { 3 }, { 1, 2, 4 });
    Tensor own = b.copy(t), out = b.graph.clone(t);
    popops::mulInPlace(b.graph, own, 3, b.prog);
    popops::subWithOutput(b.graph, 10.0, t, out, b.prog);
    const std::vector<Floats> got =
        b.run({ own, out, popops::div(b.graph, 1.0f, t, b.prog), popops::add(b.graph, h, 0.5, b.prog),
                popops::shiftLeft(b.graph, i, 2, b.prog), popops::gt(b.graph, 3u, i, b.prog),
                popops::varianceToInvStdDev(b.graph, t, 0.0f, b.prog, FLOAT, "f"),
                popops::varianceToInvStdDev(b.graph, t, 0.0f, b.prog),
                popops::invStdDevToVariance(b.graph, h, 0.0f, b.prog, FLOAT) });
    CHECK(got[0] == Floats{ 3, 6, 12 });
    CHECK(got[1] == Floats{ 9, 8, 6 });
    CHECK(got[2] == Floats{ 1, 0.5f, 0.25f });
    CHECK(got[3] == Floats{ 1.5f, 2.5f, 4.5f });
    CHECK(got[4] == Floats{ 4, 8, 16 });
    CHECK(got[5] == Floats{ 1, 1, 0 });
    CHECK(std::fabs(got[6][1] - 0.70710678f) < 1e-7f && got[7][1] == 0.70703125f); /* FLOAT; HALF if not given */
    CHECK(got[8] == Floats{ 1, 0.25f, 0.0625f });
    CHECK_THROWS(popops::add(b.graph, i, 0.5, b.prog), type_error, "0.5 cannot be represented as int");
}

TEST(output)
{
    Fixture b;
    Tensor a = b.graph.addVariable(FLOAT, { 2, 3 }), row = b.graph.addVariable(FLOAT, { 3 });
    b.graph.setTileMapping(a[0], 1);
    b.graph.setTileMapping(a[1], 2);
    b.graph.setTileMapping(row, 0);
    Tensor out = popops::createOutputForElementWiseOp(b.graph, { row, a }, HALF, "out");
    CHECK(out.shape() == std::vector<std::size_t>({ 2, 3 }) && out.elementType() == HALF);
    CHECK(b.graph.getTileMapping(out) == b.graph.getTileMapping(a));
    CHECK_THROWS(popops::createOutputForElementWiseOp(b.graph, {}, HALF), poputil::poplibs_error, "no inputs");
}

// Halves times one float, with the option of this product and with those of other operators.
TEST(halves_times_one_float)
{
    Fixture b;
    Tensor x = b.constant<float>(HALF, { 3 }, { 1, 2, 4 }), s = b.constant<float>(FLOAT, { 1 }, { 1.0009765625f / 3 });
    const OptionFlags coarse{ { "scalarMultiplyFloatToHalfTolerance", "1e-2" } };
    Tensor own = b.copy(x), out = b.copy(x);
    popops::mulInPlace(b.graph, own, s, b.prog, "x", coarse);
    popops::mulWithOutput(b.graph, s, x, out, b.prog, "x", { { "enableGenerateCodelet", "false" } });
    Tensor mapped = popops::map(b.graph, popops::expr::BinaryOpType::MULTIPLY, x, s, b.prog),
           number = popops::mul(b.graph, x, 3, b.prog, "x", { { "forceGenerateCodelet", "true" } });
    CHECK_THROWS(popops::add(b.graph, x, x, b.prog, "x", coarse), invalid_option, "scalarMultiplyFloatToHalfTolerance");
    CHECK_THROWS(popops::mul(b.graph, x, x, b.prog, "x", coarse), invalid_option, "scalarMultiplyFloatToHalfTolerance");
    CHECK_THROWS(popops::mul(b.graph, x, s, b.prog, "x", { { "tolerance", "1" } }), invalid_option, "tolerance");
    const std::vector<Floats> values = b.run({ own, out, mapped, number });
    CHECK(values[0] == values[1] && values[1] == values[2]);
    CHECK(values[3] == Floats({ 3, 6, 12 }));
}

TEST(mistakes)
{
    Fixture b;
    Tensor f = b.constant<float>(FLOAT, { 3 }, { 1, 2, 4 }), i = b.constant<int>(INT, { 3 }, { 1, 2, 4 }),
           four = b.constant<float>(FLOAT, { 4 }, { 1, 2, 4, 8 });
    CHECK_THROWS(popops::add(b.graph, f, i, b.prog), type_error, "operands are float and int");
    CHECK_THROWS(popops::exp(b.graph, i, b.prog), type_error, "operands are int; allowed are half, float");
    CHECK_THROWS(popops::add(b.graph, f, four, b.prog), poputil::poplibs_error, "shapes {3} and {4}");
    CHECK_THROWS(popops::isFiniteInPlace(b.graph, f, b.prog), type_error, "the output is float, the result bool");
    CHECK_THROWS(popops::add(b.graph, f, f, b.prog, "x", { { "enableGenerateCodlet", "true" } }), invalid_option,
                 "enableGenerateCodelet");
    Tensor unmapped = b.graph.addVariable(FLOAT, { 3 }, "unmapped");
    CHECK_THROWS(popops::add(b.graph, f, unmapped, b.prog), invalid_tile_mapping, "not mapped completely");
    CHECK_THROWS(popops::negInPlace(b.graph, f.broadcast(2, 0), b.prog), poputil::poplibs_error, "repeated elements");
}

TEST(types_of_constants)
{
    popops::checkTypes(HALF, 1.0);
    popops::checkTypes(FLOAT, 1.0f);
    popops::checkTypes(INT, 1);
    CHECK_THROWS(popops::checkTypes(INT, 1.0f), poputil::poplibs_error, "a floating point constant");
    CHECK_THROWS(popops::checkTypes(FLOAT, 1u), poputil::poplibs_error, "a constant of type unsigned int");
}

// Elements on tiles that a virtual graph does not see have no vertices there: without an error their results would be
// what the memory held. A framework's replication index on tile 0 and its computation on other tiles is such a case.
TEST(operands_outside_a_virtual_graph_are_refused)
{
    Fixture b(5);
    Graph part = b.graph.createVirtualGraph(1, 5);
    const Tensor index = b.graph.addReplicationIndexConstant("index"), own = part.addVariable(FLOAT, { 4 }),
                 other = b.graph.addVariable(FLOAT, { 4 }), copied = part.clone(own);
    b.graph.setTileMapping(index, 0);
    poputil::mapTensorLinearly(part, own, 1, 1);
    poputil::mapTensorLinearly(part, copied, 1, 1);
    poputil::mapTensorLinearly(b.graph, other, 1, 1);
    part.setInitialValue<float>(own, Floats{ 1, 2, 3, 4 });
    b.graph.setInitialValue<float>(other, Floats{ 10, 20, 30, 40 });
    const char text[] = "not among this virtual graph's 4: copy it to a tensor of this graph";
    CHECK_THROWS(popops::cast(part, index, FLOAT, b.prog), invalid_tile_mapping, text);
    CHECK_THROWS(popops::neg(part, other, b.prog), invalid_tile_mapping, text);
    CHECK_THROWS(popops::add(part, own, other, b.prog), invalid_tile_mapping, text);
    CHECK_THROWS(popops::addInPlace(part, other, own, b.prog), invalid_tile_mapping, text);
    CHECK_THROWS(part.getTileMapping(other), invalid_tile_mapping, text);
    CHECK_THROWS(part.getTileMapping(part.addVariable(FLOAT, { 2 }), true, true), invalid_tile_mapping, "completely");
    CHECK(part.getTileMapping(other, true, true).size() == 4 && part.getTileMapping(other, true, true)[3].empty());
    b.prog.add(Copy(other, copied));
    const Tensor sum = popops::add(part, own, copied, b.prog), negated = popops::neg(b.graph, other, b.prog);
    CHECK(b.run({ sum, negated }) == (std::vector<Floats>{ { 11, 22, 33, 44 }, { -10, -20, -30, -40 } }));
}

MAIN()
