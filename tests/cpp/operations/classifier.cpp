// SPDX-License-Identifier: Apache-2.0
// Two layers and softmax cross entropy, trained for forty steps from streams: each step's loss is the host's.
//
// build: c++11
#include "program.hpp"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;
using poplin::matMul;

namespace
{

const unsigned batch = 16, inputs = 8, hidden = 12, outputs = 4, steps = 40;
const float rate = 0.5f / batch;

// The losses of all steps.
std::vector<double> onHost(const host::Values &x, const std::vector<unsigned> &labels, const host::Values &first,
                           const host::Values &second)
{
    std::vector<double> w1(first.begin(), first.end()), w2(second.begin(), second.end()), b1(hidden), losses(steps);
    for (double &loss : losses) {
        std::vector<double> h = host::product(x, w1, batch, inputs, hidden), d(batch * outputs);
        for (unsigned i = 0; i < batch * hidden; ++i)
            h[i] = std::fmax(h[i] + b1[i % hidden], 0);
        const std::vector<double> z = host::product(h, w2, batch, hidden, outputs), oldW2 = w2;
        for (unsigned n = 0; n < batch; ++n) {
            double sum = 0;
            for (unsigned o = 0; o < outputs; ++o)
                sum += std::exp(z[n * outputs + o]);
            for (unsigned o = 0; o < outputs; ++o)
                d[n * outputs + o] = std::exp(z[n * outputs + o]) / sum - (o == labels[n]);
            loss -= z[n * outputs + labels[n]] - std::log(sum);
        }
        for (unsigned n = 0; n < batch; ++n)
            for (unsigned k = 0; k < hidden; ++k) {
                double back = 0;
                for (unsigned o = 0; o < outputs; ++o) {
                    back += d[n * outputs + o] * oldW2[k * outputs + o];
                    w2[k * outputs + o] -= static_cast<double>(rate) * h[n * hidden + k] * d[n * outputs + o];
                }
                if (h[n * hidden + k] <= 0)
                    continue;
                b1[k] -= static_cast<double>(rate) * back;
                for (unsigned i = 0; i < inputs; ++i)
                    w1[i * hidden + k] -= static_cast<double>(rate) * back * static_cast<double>(x[n * inputs + i]);
            }
    }
    return losses;
}

void run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    poplin::matmul::PlanningCache cache;
    const OptionFlags fwd{ { "fullyConnectedPass", "TRAINING_FWD" } }, bwd{ { "fullyConnectedPass", "TRAINING_BWD" } },
        wu{ { "fullyConnectedPass", "TRAINING_WU" } };
    Tensor x = poplin::createMatMulInputLHS(graph, FLOAT, { batch, inputs }, { inputs, hidden }, "x", fwd, &cache);
    Tensor w1 = poplin::createMatMulInputRHS(graph, FLOAT, { batch, inputs }, { inputs, hidden }, "w1", fwd, &cache);
    Tensor w2 = poplin::createMatMulInputRHS(graph, FLOAT, { batch, hidden }, { hidden, outputs }, "w2", fwd, &cache);
    Tensor b1 = graph.addVariable(FLOAT, { hidden }, "b1"),
           labels = graph.addVariable(UNSIGNED_INT, { batch }, "labels");
    Tensor loss = graph.addVariable(FLOAT, { batch }, "loss"),
           correct = graph.addVariable(UNSIGNED_INT, { 1 }, "correct");
    for (Tensor t : { b1, labels, loss, correct })
        poputil::mapTensorLinearly(graph, t);

    Sequence init, prog;
    popops::zero(graph, b1, init);
    popops::zero(graph, correct, prog);
    Tensor h = matMul(graph, x, w1, prog, "fc1", fwd, &cache);
    popops::addInPlace(graph, h, b1, prog, "bias");
    popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::RELU, h, prog, "relu");
    Tensor p = matMul(graph, h, w2, prog, "fc2", fwd, &cache);
    popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::SOFTMAX_STABLE, p, prog, "softmax");
    Tensor deltas = graph.clone(p, "deltas");
    prog.add(popnn::calcLoss(graph, p, labels, loss, deltas, correct, popnn::LossType::CROSS_ENTROPY_LOSS, "loss"));
    Tensor dh = matMul(graph, deltas, w2.transpose(), prog, "bwd", bwd, &cache);
    Tensor dz = popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::RELU, h, dh, prog, "drelu");
    poplin::matMulAcc(graph, w2, -rate, h.transpose(), deltas, prog, "wu2", wu, &cache);
    poplin::matMulAcc(graph, w1, -rate, x.transpose(), dz, prog, "wu1", wu, &cache);
    popops::scaledAddTo(graph, b1, popops::reduce(graph, dz, { 0 }, popops::Operation::ADD, prog, "db"), -rate, prog);
    Tensor total = popops::reduce(graph, loss, { 0 }, { popops::Operation::ADD }, prog);

    DataStream xs = graph.addHostToDeviceFIFO("x", FLOAT, batch * inputs),
               ls = graph.addHostToDeviceFIFO("labels", UNSIGNED_INT, batch);
    DataStream losses = graph.addDeviceToHostFIFO("loss", FLOAT, 1),
               rights = graph.addDeviceToHostFIFO("correct", UNSIGNED_INT, 1);
    Sequence train(Copy(xs, x), Copy(ls, labels), prog, Copy(total, losses), Copy(correct, rights));
    graph.createHostWrite("w1", w1);
    graph.createHostWrite("w2", w2);
    Engine engine(graph, { init, Repeat(steps, train) });

    host::Values data(batch * inputs), seen(steps);
    std::vector<unsigned> classes(batch), counts(steps);
    for (unsigned n = 0; n < batch; ++n) {
        classes[n] = n % outputs;
        for (unsigned i = 0; i < inputs; ++i)
            data[n * inputs + i] =
                std::sin(static_cast<float>(classes[n] * 7 + i * 3)) + 0.1f * std::cos(static_cast<float>(n * 13 + i));
    }
    const host::Values first = host::random(inputs * hidden, -0.4f, 0.4f),
                       second = host::random(hidden * outputs, -0.4f, 0.4f);
    engine.connectStream("x", data.data());
    engine.connectStream("labels", classes.data());
    engine.connectStream("loss", seen.data(), seen.data() + steps);
    engine.connectStream("correct", counts.data(), counts.data() + steps);
    engine.load(device);
    host::write(engine, "w1", first);
    host::write(engine, "w2", second);
    engine.run(0);
    engine.run(1);
    host::near("loss", seen, onHost(data, classes, first, second), 1e-3, 1e-3);
    host::check(counts.front() < counts.back(), "more are right at the end");
}

} // namespace

int main()
{
    return host::onDevices(12, run);
}
