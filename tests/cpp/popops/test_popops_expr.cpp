// SPDX-License-Identifier: Apache-2.0
// popops' expressions in C++: every class and operator, and map over them.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <cmath>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

struct Fixture : TestFixture {
    Tensor f, g, h, u, v, c;
    Fixture() : TestFixture(model(2))
    {
        popops::addCodelets(graph);
        f = variable(FLOAT, { 0.5f, -1, 2 });
        g = variable(FLOAT, { 3, 0.25f, 0.5f });
        h = variable(HALF, { 0.1f, 1000, -3 });
        u = variable(UNSIGNED_INT, { 5, 1, 1024 });
        v = variable(UNSIGNED_INT, { 3, 2, 1 });
        c = variable(BOOL, { 1, 0, 1 });
    }
    Tensor variable(Type type, const Floats &values)
    {
        Tensor from = graph.addConstant<float>(type, { values.size() }, values.data()),
               t = graph.addVariable(type, { values.size() });
        graph.setTileMapping(from, 0);
        poputil::mapTensorLinearly(graph, t, 1, 1);
        prog.add(Copy(from, t));
        return t;
    }
};
typedef std::vector<float> Floats;

// The value of an expression of the graph's f, g, h, u, v, c (_1 to _6), compiled and by the library's own vertices.
static Floats value(const pe::Expr &expr)
{
    Fixture whole, parts;
    const std::vector<Tensor> ts = { whole.f, whole.g, whole.h, whole.u, whole.v, whole.c };
    Floats compiled =
        whole.run(popops::map(whole.graph, expr, ts, whole.prog, "compiled", { { "forceGenerateCodelet", "true" } }));
    Floats stepped = parts.run(popops::map(parts.graph, expr, { parts.f, parts.g, parts.h, parts.u, parts.v, parts.c },
                                           parts.prog, { "stepped" }, { { "enableGenerateCodelet", "false" } }));
    CHECK(compiled == stepped);
    return compiled;
}

TEST(operators)
{
    using namespace pe;
    CHECK(value(_1 + _2 * 2) == Floats{ 6.5f, -0.5f, 3 });
    CHECK(value(1 - _1 / _2) == Floats{ 1 - 0.5f / 3, 5, -3 });
    CHECK(value((_4 % 3) ^ _5) == Floats{ 1, 3, 0 });
    CHECK(value((_4 << 1) + (_4 >> 2)) == Floats{ 11, 2, 2304 });
    CHECK(value((_4 & 4) | ~_5) == Floats{ 4294967292.f, 4294967293.f, 4294967294.f });
    CHECK(value(!_6 || (_1 < _2 && _2 >= 0.5f)) == Floats{ 1, 1, 0 });
    CHECK(value((_4 == _5) || (_4 != 5u && _4 > 1 && _4 <= 1024)) == Floats{ 0, 0, 1 });
    CHECK(value(Select(_3 * 0.1_half, Cast(-_1, HALF), _6))[1] == 1);
    CHECK(value(_3 + 1_half)[1] == 1001);
}
// Each class of an operator is in the tests of functions too (test_popops_element_wise.cpp).
TEST(classes)
{
    using namespace pe;
    Any any = Const(0);
    any = Add(_1, Const(1.0));
    CHECK(value(any) == Floats{ 1.5f, 0, 3 });
    CHECK(value(TernaryOp(TernaryOpType::CLAMP, any, Const(0.5f), Max(Const(0.75f), Const(1)))) ==
          Floats{ 1, 0.5f, 1 });
    CHECK(value(BinaryOp(BinaryOpType::MULTIPLY, UnaryOp(UnaryOpType::SQUARE, _1), _2)) == Floats{ 0.75f, 0.25f, 2 });
    CHECK(value(Select(Const(2), Sqrt(Abs(_1 * 0 - 9)), Equal(Mul(_3, ConstHalf(2)), Const(2000)))) ==
          Floats{ 3, 2, 3 });
    CHECK(value(Cast(Floor(_1), INT)) == Floats{ 0, -1, 2 });
    const Expr &expr = any;
    CHECK(expr.isA<BinaryOp>() && !expr.isA<UnaryOp>() && expr.getAs<BinaryOp>()->getOpType() == BinaryOpType::ADD);
    CHECK(expr.getAs<BinaryOp>()->getRHS().getAs<Const>()->getType() == FLOAT &&
          expr.getAs<BinaryOp>()->getLHS().getAs<PlaceHolder>()->getIndex() == 1);
    CHECK(expr.deepEquals(_1 + 1.0) && !expr.deepEquals(_2 + 1.0) && !expr.deepEquals(_1 + 1.5));
    struct Mine : ExprType<Mine> {
        void addTo(std::vector<popops_expr_node> &nodes) const override
        {
            _1.addTo(nodes);
        }
    };
    CHECK(value(Mine() + 1) == Floats{ 1.5f, 0, 3 });
    CHECK(static_cast<int>(BroadcastOpType::ADD) == 0);
    std::ostringstream names;
    names << UnaryOpType::EXPONENT << ' ' << BinaryOpType::MULTIPLY << ' ' << TernaryOpType::SELECT;
    CHECK(names.str() == "EXPONENT MULTIPLY SELECT");
}

TEST(forms)
{
    Fixture a, b, c;
    popops::mapInPlace(a.graph, pe::Tanh(pe::_1) * pe::_2, { a.f, a.g }, a.prog, "in place");
    const Floats first = a.run(a.f);
    popops::mapWithOutput(b.graph, pe::Tanh(pe::_1) * pe::_2, { b.f, b.g }, b.f, b.prog);
    CHECK(first == b.run(b.f) && std::fabs(first[0] - 3 * std::tanh(0.5f)) < 1e-6f);
    popops::mapInPlace(c.graph, pe::BinaryOpType::ADD, c.f, c.g, c.prog);
    popops::mapInPlace(c.graph, pe::UnaryOpType::NEGATE, c.f, c.prog);
    popops::mapWithOutput(c.graph, pe::TernaryOpType::SELECT, c.f, c.g, c.c, c.f, c.prog);
    CHECK(c.run(c.f) == Floats{ -3.5f, 0.25f, -2.5f });
}
TEST(several_expressions)
{
    using namespace pe;
    Fixture b;
    const std::vector<Any> sum_and_product{ _1 + _2, _1 * _2 };
    std::vector<Tensor> made = popops::map(b.graph, sum_and_product, { b.f, b.g }, b.prog, "both");
    CHECK(made.size() == 2);
    Tensor out[2] = { b.graph.clone(b.f), b.graph.clone(b.f) };
    popops::mapWithOutput(b.graph, sum_and_product, { b.f, b.g }, { out[0], out[1] }, b.prog);
    popops::mapInPlace(b.graph, sum_and_product, { b.f, b.g }, b.prog);
    CHECK(b.run(concat({ made[0], made[1], out[0], out[1], b.f, b.g })) ==
          Floats{ 3.5f, -0.75f, 2.5f, 1.5f, -0.25f, 1, 3.5f, -0.75f, 2.5f, 1.5f, -0.25f, 1, 3.5f, -0.75f, 2.5f, 1.5f,
                  -0.25f, 1 });
    CHECK_THROWS(popops::mapInPlace(b.graph, sum_and_product, { b.f }, b.prog), poputil::poplibs_error,
                 "2 expressions for 1 tensors");
    CHECK_THROWS(popops::mapWithOutput(b.graph, sum_and_product, { b.f, b.g }, { out[0] }, b.prog),
                 poputil::poplibs_error, "2 expressions for 1 outputs");
}
TEST(trees_as_text)
{
    using namespace pe;
    std::ostringstream text, pretty, messages;
    std::stringstream source;
    const Select tree(_1 * 2u, Cast(_2, HALF), _3 < 0.5f);
    tree.print(text, 0, false);
    CHECK(text.str() == "SELECT(MULTIPLY(PlaceHolder(1),Const(2)),Cast(half,PlaceHolder(2)),"
                        "LESS_THAN(PlaceHolder(3),Const(0.5)))");
    pretty << -_1;
    CHECK(pretty.str() == "NEGATE(\n  PlaceHolder(1))");
    CHECK(deepEquals(tree, Any(tree)) && !deepEquals(_1, _2));
    const short number = -7;
    const Const given(TypeTraits::make<short>(), SHORT, reinterpret_cast<const char *>(&number)), wide(~0ull);
    CHECK(given.getType() == SHORT && given.getDataAsDouble() == -7 && given.getTypeTraits().size == 2);
    CHECK(std::memcmp(given.getData(), &number, sizeof(number)) == 0);
    CHECK(wide.getDataForUnsignedIntegral() == ~0ull && wide.getType() == UNSIGNED_LONGLONG);
    Fixture b;
    popops::outputGeneratedCodelet(b.graph.getTarget(), Tanh(_1) + _2, { b.f, b.g }, {}, source);
    CHECK(source.str().find("tanh") != std::string::npos);
    b.graph.addCodelets(source, "", messages, CodeletFileType::CSource); // it can be compiled
    CHECK(b.graph.hasCodelet("popops::Map2D<Add(Tanh(_1),_2),float,float>") && messages.str().empty());
}
TEST(mistakes)
{
    using namespace pe;
    Fixture b;
    CHECK_THROWS(popops::map(b.graph, _1 + _3, { b.f, b.g }, b.prog), index_error,
                 "no tensor for placeholder _3: the list has 2");
    CHECK_THROWS(popops::map(b.graph, _1 * _2 + _3, { b.f, b.g, b.h }, b.prog), type_error,
                 "operands of add are float and half");
    CHECK_THROWS(popops::map(b.graph, Exp(_1 + 1), { b.u }, b.prog), type_error, "exp does not take unsigned int");
    CHECK_THROWS(popops::map(b.graph, _1 * 2 + 0.5, { b.u }, b.prog), type_error,
                 "0.5 cannot be represented as unsigned int");
    CHECK_THROWS(popops::map(b.graph, _1 + 1, { b.f }, b.prog, "x", { { "forceGenerateCodelets", "true" } }),
                 invalid_option, "forceGenerateCodelet");
    CHECK_THROWS(popops::map(b.graph, Const(1) + Const(2), { b.f }, b.prog), poputil::poplibs_error, "no placeholder");
}

MAIN()
