// SPDX-License-Identifier: Apache-2.0
// A GRU of the first era, trained on its last output: backward and weight update in one loop, plain gradient descent.
//
// build: c++11
#include <cmath>
#include <cstring>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Gru.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <random>
using namespace poplar;
using namespace poplar::program;

// The last output in double.
static std::vector<double> last(const std::vector<float> &x, const std::vector<float> &wi, const std::vector<float> &wo,
                                const std::vector<float> &b)
{
    std::vector<double> h(10);
    auto sg = [](double v) { return 1 / (1 + std::exp(-v)); };
    for (int s = 0; s < 3; ++s) {
        auto nh = h;
        for (int n = 0; n < 2; ++n) {
            double a[3][5];
            for (int u = 0; u < 2; ++u)
                for (int k = 0; k < 5; ++k) {
                    a[u][k] = b[u * 5 + k];
                    for (int i = 0; i < 4; ++i)
                        a[u][k] += (double)x[(s * 2 + n) * 4 + i] * wi[(u * 4 + i) * 5 + k];
                    for (int i = 0; i < 5; ++i)
                        a[u][k] += h[n * 5 + i] * wo[(u * 5 + i) * 5 + k];
                    a[u][k] = sg(a[u][k]);
                }
            for (int k = 0; k < 5; ++k) {
                double c = b[10 + k];
                for (int i = 0; i < 4; ++i)
                    c += (double)x[(s * 2 + n) * 4 + i] * wi[(8 + i) * 5 + k];
                for (int i = 0; i < 5; ++i)
                    c += a[0][i] * h[n * 5 + i] * wo[(10 + i) * 5 + k];
                c = std::tanh(c);
                nh[n * 5 + k] = a[1][k] * h[n * 5 + k] + (1 - a[1][k]) * c;
            }
        }
        h = nh;
    }
    return h;
}

static int run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    popnn::gru::GruParams params(FLOAT, 2, 3, { 4, 5 });
    params.calcInputGradients = false;
    params.outputFullSequence = false;
    if (params.layerSizes.size() != 2 || params.timeSteps != 3 || params.batchSize != 2 || params.dataType != FLOAT)
        return 2;
    Sequence fwd, bwd;
    poplin::matmul::PlanningCache cache;
    Tensor in = popnn::gru::createInput(graph, params, "in", {}, &cache);
    Tensor init = popnn::gru::createInitialState(graph, params, "init", {}, &cache);
    auto w = popnn::gru::createWeights(graph, params, "w", {}, &cache);
    popops::zero(graph, init, fwd, "zero");
    Tensor kept;
    Tensor out = popnn::gru::gruFwd(graph, params, init, in, w, &kept, fwd, "gru", {}, &cache);
    Tensor target = graph.clone(out, "target");
    Tensor grad = popops::sub(graph, out, target, fwd, "grad");
    Tensor loss = popops::reduce(graph, grad, { 0, 1 }, { popops::Operation::SQUARE_ADD }, fwd, "loss");
    popnn::gru::GruWeights dw;
    popnn::gru::gruBwdWithWU(graph, params, bwd, init, kept, w, in, out, grad, nullptr, dw, "bwd", {}, &cache);
    popops::scaledAddTo(graph, w.inputWeights, dw.inputWeights, -0.2f, bwd, "u");
    popops::scaledAddTo(graph, w.outputWeights, dw.outputWeights, -0.2f, bwd, "u");
    popops::scaledAddTo(graph, w.biases, dw.biases, -0.2f, bwd, "u");
    graph.createHostWrite("in", in);
    graph.createHostWrite("wi", w.inputWeights);
    graph.createHostWrite("wo", w.outputWeights);
    graph.createHostWrite("b", w.biases);
    graph.createHostWrite("t", target);
    graph.createHostRead("loss", loss);
    graph.createHostRead("out", out);
    Engine e(graph, { fwd, bwd });
    e.load(device);
    std::mt19937 g(2);
    std::uniform_real_distribution<float> d(-1, 1);
    std::vector<float> x(3 * 2 * 4), wi(3 * 4 * 5), wo(3 * 5 * 5), b(15), t(10), o(10);
    for (auto *v : { &x, &wi, &wo, &b, &t })
        for (auto &f : *v)
            f = d(g);
    e.writeTensor("in", x.data(), x.data() + x.size());
    e.writeTensor("wi", wi.data(), wi.data() + wi.size());
    e.writeTensor("wo", wo.data(), wo.data() + wo.size());
    e.writeTensor("b", b.data(), b.data() + b.size());
    e.writeTensor("t", t.data(), t.data() + t.size());
    float l0, l1;
    e.run(0);
    e.readTensor("loss", &l0, &l0 + 1);
    e.readTensor("out", o.data(), o.data() + o.size());
    double worst = 0;
    const std::vector<double> h = last(x, wi, wo, b);
    for (int i = 0; i < 10; ++i)
        worst = std::max(worst, std::abs(h[i] - o[i]));
    for (int i = 0; i < 20; ++i) {
        e.run(1);
        e.run(0);
    }
    e.readTensor("loss", &l1, &l1 + 1);
    std::cout << "worst " << worst << " loss " << l0 << " -> " << l1 << "\n";
    return worst < 1e-5 && l1 < 0.3 * l0 ? 0 : 1;
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 16;
    return run(Device::createCPUDevice()) + run(model.createDevice());
}
