// SPDX-License-Identifier: Apache-2.0
// Expressions with placeholders, constants and casts, in every notation; results of other types.
//
// build: c++11
#include "program.hpp"

#include <memory>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;
using namespace popops::expr;
namespace pe = popops::expr;

namespace
{

const std::size_t count = 203;

void run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    Tensor a = graph.addVariable(FLOAT, { count }, "a"),
           b = graph.addVariable(FLOAT, { count }, VariableMappingMethod::LINEAR, "b");
    Tensor k = graph.addVariable(INT, { count }, "k"), mask = graph.addVariable(BOOL, { count }, "mask");
    for (Tensor t : { a, k, mask })
        poputil::mapTensorLinearly(graph, t);

    Sequence prog;
    std::vector<std::unique_ptr<Expr>> grown; // as code that builds expressions stores them
    grown.push_back(std::unique_ptr<Expr>(new Sub(_1, _2)));
    grown.push_back(std::unique_ptr<Expr>(new Square(*grown.back())));
    const auto norm = (_1 - _2) / Max(Abs(_1), Const(0.01f));
    std::vector<Tensor> floats = {
        popops::map(graph, _1 * _2 + Const(3), { a, b }, prog),
        popops::map(graph, Select(_1, _2, _3), { a, b, mask }, prog, "select"),
        popops::map(graph, pe::Sqrt(pe::Abs(pe::_1)) / (1.0f + pe::Exp(-pe::_2)), { a, b }, prog, "gate"),
        popops::map(graph, *grown.back(), { a, b }, prog),
        popops::map(graph, norm, { a, b }, prog, "norm", { { "enableGenerateCodelet", "false" } }),
        popops::map(graph, BinaryOpType::MAXIMUM, a, b, prog),
        popops::map(graph, Cast(_1, FLOAT) * 0.5, { k }, prog, "half of it"),
        popops::sub(graph, 1, a, prog),
    };
    const Tensor bits = popops::map(graph, ((_1 & 7) ^ (_1 << 2)) | 1, { k }, prog),
                 both = popops::map(graph, _1 > 0.5f && !(_2 <= _1), { a, b }, prog);
    popops::mapInPlace(graph, Add(_1, Mul(Const(0.5), _2)), { a, b }, prog, "in place");
    floats.push_back(a);
    host::check(bits.elementType() == INT && both.elementType() == BOOL, "types");

    graph.createHostWrite("a", a);
    graph.createHostWrite("b", b);
    graph.createHostWrite("k", k);
    graph.createHostWrite("mask", mask);
    graph.createHostRead("bits", bits);
    graph.createHostRead("both", both);
    for (std::size_t i = 0; i < floats.size(); ++i)
        graph.createHostRead("floats" + std::to_string(i), floats[i]);
    Engine engine(graph, prog);
    engine.load(device);

    const host::Values av = host::random(count, -2, 2), bv = host::random(count, -2, 2);
    std::vector<int> kv(count), wantedBits;
    std::vector<unsigned char> maskv(count), wantedBoth;
    std::vector<host::Values> wanted(floats.size());
    for (std::size_t i = 0; i < count; ++i) {
        kv[i] = static_cast<int>(i) - 100;
        maskv[i] = i % 3 == 0;
        const float x = av[i], y = bv[i];
        const float values[] = { x * y + 3,
                                 maskv[i] ? x : y,
                                 std::sqrt(std::fabs(x)) / (1 + std::exp(-y)),
                                 (x - y) * (x - y),
                                 (x - y) / std::fmax(std::fabs(x), 0.01f),
                                 std::fmax(x, y),
                                 0.5f * static_cast<float>(kv[i]),
                                 1 - x,
                                 x + 0.5f * y };
        for (std::size_t f = 0; f < floats.size(); ++f)
            wanted[f].push_back(values[f]);
        wantedBits.push_back(((kv[i] & 7) ^ static_cast<int>(static_cast<unsigned>(kv[i]) << 2)) | 1);
        wantedBoth.push_back(x > 0.5f && !(y <= x));
    }
    host::write(engine, "a", av);
    host::write(engine, "b", bv);
    engine.writeTensor("k", kv.data(), kv.data() + count);
    engine.writeTensor("mask", maskv.data(), maskv.data() + count);
    engine.run(0);
    for (std::size_t f = 0; f < floats.size(); ++f)
        host::near("expression " + std::to_string(f), host::read(engine, "floats" + std::to_string(f), count),
                   wanted[f]);
    host::near("bits", host::read<int>(engine, "bits", count), wantedBits);
    host::near("both", host::read<unsigned char>(engine, "both", count), wantedBoth);
}

} // namespace

int main()
{
    return host::onDevices(5, run);
}
