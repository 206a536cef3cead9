// SPDX-License-Identifier: Apache-2.0
// Adam written by hand: weights in half, state in float, the gradient scaled, weights that are NaN set back to
// 0.
//
// build: c++17
#include "program.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/NaN.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

namespace
{

constexpr std::size_t count = 517;
constexpr float beta1 = 0.9f, beta2 = 0.99f, epsilon = 1e-4f, rate = 0.01f, lossScale = 4;

void run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    Tensor w = graph.addVariable(HALF, { count }, "w"), g = graph.addVariable(HALF, { count }, "g");
    Tensor m = graph.addVariable(FLOAT, { count }, "m"), v = graph.addVariable(FLOAT, { count }, "v");
    for (auto &t : { w, g, m, v })
        poputil::mapTensorLinearly(graph, t);
    Tensor scale = graph.addConstant(FLOAT, {}, lossScale, "lossScale");
    graph.setTileMapping(scale, 0);

    Sequence init, prog, reset;
    popops::zero(graph, m, init);
    popops::zero(graph, v, init, "zero v");
    const auto gradient = pe::Cast(pe::_2, FLOAT) / pe::_3;
    popops::mapInPlace(graph, pe::Const(beta1) * pe::_1 + (1.0f - beta1) * gradient, { m, g, scale }, prog, "m");
    popops::mapInPlace(graph, pe::Const(beta2) * pe::_1 + (1.0f - beta2) * pe::Square(gradient), { v, g, scale }, prog,
                       "v");
    Tensor step = popops::map(graph, pe::_1 / (pe::Sqrt(pe::_2) + epsilon), { m, v }, prog, "step");
    popops::mapInPlace(graph, pe::Cast(pe::Cast(pe::_1, FLOAT) - rate * pe::_2, HALF), { w, step }, prog, "w");
    popops::zero(graph, w, reset);
    prog.add(If(popops::hasNaNOrInf(graph, w, prog), reset, Sequence()));
    Tensor norm = popops::sqrt(graph, popops::reduce(graph, step, { 0 }, popops::Operation::SQUARE_ADD, prog), prog);
    host::check(norm.rank() == 0, "the norm is a scalar");

    DataStream ins = graph.addHostToDeviceFIFO("w", HALF, count),
               gradients = graph.addHostToDeviceFIFO("g", HALF, count);
    DataStream outs = graph.addDeviceToHostFIFO("out", HALF, count);
    graph.createHostRead("v", v);
    graph.createHostRead("norm", norm);
    Engine engine(graph, { Sequence({ Copy(ins, w), init }), Sequence({ Copy(gradients, g), prog, Copy(w, outs) }) });

    const Target &target = graph.getTarget();
    auto wv = host::random(count), gv = host::random(count);
    std::vector<char> deviceW(count * target.getTypeSize(HALF)), deviceG(deviceW.size()), deviceOut(deviceW.size());
    copyFloatToDeviceHalf(target, wv.data(), deviceW.data(), count);
    copyFloatToDeviceHalf(target, gv.data(), deviceG.data(), count);
    copyDeviceHalfToFloat(target, deviceG.data(), gv.data(), count);
    engine.connectStream("w", deviceW.data());
    engine.connectStream("g", deviceG.data());
    engine.connectStream("out", deviceOut.data());
    engine.load(device);
    engine.run(0);

    std::vector<double> hostM(count), hostV(count), hostW(wv.begin(), wv.end());
    double squares = 0;
    for (unsigned turn = 0; turn < 5; ++turn) {
        engine.run(1);
        squares = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double d = gv[i] / lossScale;
            hostM[i] = beta1 * hostM[i] + (1 - beta1) * d;
            hostV[i] = beta2 * hostV[i] + (1 - beta2) * d * d;
            const double s = hostM[i] / (std::sqrt(hostV[i]) + epsilon);
            squares += s * s;
            hostW[i] -= rate * s;
        }
    }
    host::Values out(count);
    copyDeviceHalfToFloat(target, deviceOut.data(), out.data(), count);
    host::near("w", out, hostW, 1e-2, 2e-3);
    host::near("v", host::read(engine, "v", count), hostV);
    host::near("norm", host::read(engine, "norm", 1), std::vector<double>{ std::sqrt(squares) });
}

} // namespace

int main()
{
    return host::onDevices(6, run);
}
