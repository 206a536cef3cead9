// SPDX-License-Identifier: Apache-2.0
// Operators of an importer, each a lambda: broadcasting, masks, views that are tiled, reversed and strided, bits,
// reductions of several dimensions.
//
// build: c++14
#include "program.hpp"

#include <map>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

namespace
{

constexpr int rows = 4, columns = 6, others = 5;

std::map<std::string, std::vector<double>> onHost(const host::Values &a, const host::Values &b,
                                                  const std::vector<int> &c)
{
    std::map<std::string, std::vector<double>> wanted;
    double sum = 0;
    for (int i = 0; i < rows * columns; ++i) {
        const int row = i / columns, column = i % columns;
        sum += a[i];
        wanted["softplus"].push_back(std::log1p(std::exp(a[i])));
        wanted["where"].push_back(c[i] > 2 ? a[i] : a[row * columns + columns - 1 - column]);
        wanted["hardswish"].push_back(a[i] * std::fmin(1, std::fmax(0, a[i] / 6 + 0.5)));
        wanted["resize"].insert(wanted["resize"].end(), 2, a[i]);
        wanted["mod"].push_back(((c[i] % 5) + 5) % 5);
        wanted["shift"].push_back(static_cast<unsigned>(c[i]) >> 1 & 3);
        wanted["pow"].push_back(std::copysign(std::pow(std::fabs(a[i]), 2.5), a[i]));
    }
    wanted["mean"].push_back(sum / (rows * columns));
    for (int row = 0; row < rows; ++row) {
        double product = 1, any = 0;
        for (int i = 0; i < others * columns; ++i)
            wanted["broadcast"].push_back(a[row * columns + i % columns] * b[i / columns]);
        for (int i = 0; i < 3 * columns; ++i)
            wanted["tile"].push_back(a[row * columns + i % columns]);
        for (int i = 0; i < columns; ++i) {
            product *= a[row * columns + i];
            any = std::fmax(any, a[row * columns + i] > 0.9f);
        }
        wanted["prod"].push_back(product);
        wanted["any"].push_back(any);
        for (int i = 1; i < columns; i += 2)
            wanted["strided"].push_back(a[(rows - 1 - row) * columns + i]);
    }
    return wanted;
}

void run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    Tensor a = graph.addVariable(FLOAT, { rows, 1, columns }, "a"), b = graph.addVariable(FLOAT, { others, 1 }, "b");
    Tensor c = graph.addVariable(INT, { rows, columns }, "c"), matrix = a.reshape({ rows, columns });
    poputil::mapTensorLinearly(graph, a);
    poputil::mapTensorLinearly(graph, b, 1, 1);
    poputil::mapTensorLinearlyWithOffset(graph, c, graph.getTarget().getNumTiles() - 1);

    const auto toFloat = [&](const Tensor &t, Sequence &p) { return popops::cast(graph, t, FLOAT, p); };
    const std::map<std::string, std::function<Tensor(Sequence &)>> operators = {
        { "softplus",
          [&](Sequence &p) { return popops::map(graph, pe::Log(pe::Const(1) + pe::Exp(pe::_1)), { a }, p); } },
        { "broadcast", [&](Sequence &p) { return popops::mul(graph, a, b, p); } },
        { "where",
          [&](Sequence &p) {
              return popops::select(graph, matrix, matrix.reverse(1), popops::gt(graph, c, 2, p), p);
          } },
        { "hardswish",
          [&](Sequence &p) {
              return popops::map(graph, pe::_1 * pe::Clamp(pe::_1 / 6 + 0.5f, pe::Const(0), pe::Const(1)), { a }, p);
          } },
        { "resize",
          [&](Sequence &p) { return poputil::duplicate(graph, a.upsample(2, 2, UpsampleMethod::REPEAT), p); } },
        { "tile", [&](Sequence &p) { return poputil::duplicate(graph, matrix.broadcast(3, 1), p); } },
        { "strided",
          [&](Sequence &p) {
              return poputil::duplicate(graph, matrix.slice(1, columns, 1).subSample(2, 1).reverse(0), p);
          } },
        { "mean",
          [&](Sequence &p) {
              Tensor sum = popops::reduce(graph, a, { 0, 2 }, popops::Operation::ADD, p);
              popops::mulInPlace(graph, sum, 1.0f / (rows * columns), p);
              return sum;
          } },
        { "prod", [&](Sequence &p) { return popops::reduce(graph, a, { 2 }, popops::Operation::MUL, p); } },
        { "any",
          [&](Sequence &p) {
              return toFloat(
                  popops::reduce(graph, popops::gt(graph, a, 0.9f, p), { 2 }, popops::Operation::LOGICAL_OR, p), p);
          } },
        { "mod", [&](Sequence &p) { return toFloat(popops::map(graph, ((pe::_1 % 5) + 5) % 5, { c }, p), p); } },
        { "shift",
          [&](Sequence &p) {
              return toFloat(popops::bitwiseAnd(graph, popops::shiftRight(graph, c, 1, p), 3, p), p);
          } },
        { "pow",
          [&](Sequence &p) {
              return popops::map(graph, pe::Pow(pe::Abs(pe::_1), pe::Const(2.5f)) * pe::Signum(pe::_1), { a }, p);
          } },
    };
    Sequence prog;
    for (const auto &op : operators) {
        Sequence part;
        graph.createHostRead(op.first, op.second(part));
        prog.add(part);
    }
    graph.createHostWrite("a", a);
    graph.createHostWrite("b", b);
    graph.createHostWrite("c", c);
    Engine engine(graph, prog);
    engine.load(device);

    const auto av = host::random(rows * columns), bv = host::random(others);
    std::vector<int> cv;
    for (int i = 0; i < rows * columns; ++i)
        cv.push_back(i - 7);
    host::write(engine, "a", av);
    host::write(engine, "b", bv);
    engine.writeTensor("c", cv.data(), cv.data() + cv.size());
    engine.run(0);
    for (const auto &wanted : onHost(av, bv, cv))
        host::near(wanted.first, host::read(engine, wanted.first, wanted.second.size()), wanted.second);
}

} // namespace

int main()
{
    return host::onDevices(10, run);
}
