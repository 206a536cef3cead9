// SPDX-License-Identifier: Apache-2.0
// Lloyd's iterations: distances by a product, the nearest centre, means by a product with one-hot rows; streams.
//
// build: c++14
#include <cmath>
#include <cstring>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <random>
using namespace poplar;
using namespace poplar::program;

// The centres in double.
static std::vector<double> means(const std::vector<float> &p, const std::vector<float> &c, std::size_t N, std::size_t D,
                                 std::size_t K, unsigned iterations)
{
    std::vector<double> cd(c.begin(), c.end());
    for (unsigned t = 0; t < iterations; ++t) {
        std::vector<double> s(K * D), n(K);
        for (std::size_t i = 0; i < N; ++i) {
            std::size_t best = 0;
            double bd = 1e30;
            for (std::size_t k = 0; k < K; ++k) {
                double d2 = 0;
                for (std::size_t d = 0; d < D; ++d)
                    d2 += (p[i * D + d] - cd[k * D + d]) * (p[i * D + d] - cd[k * D + d]);
                if (d2 < bd) {
                    bd = d2;
                    best = k;
                }
            }
            ++n[best];
            for (std::size_t d = 0; d < D; ++d)
                s[best * D + d] += p[i * D + d];
        }
        for (std::size_t k = 0; k < K * D; ++k)
            cd[k] = s[k] / n[k / D];
    }
    return cd;
}

static int run(const Device &device)
{
    const Target &target = device.getTarget();
    Graph graph(target);
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    const std::size_t N = 60, D = 3, K = 4;
    const unsigned iterations = 10;
    Tensor points = poplin::createMatMulInputLHS(graph, FLOAT, { N, D }, { D, K }, "points");
    Tensor centres = graph.addVariable(FLOAT, { K, D }, poplar::VariableMappingMethod::LINEAR, "centres");
    Sequence it;
    Tensor dots = poplin::matMul(graph, points, centres.transpose(), it, "dots");
    Tensor norms = popops::reduce(graph, centres, { 1 }, { popops::Operation::SQUARE_ADD }, it, "norms");
    Tensor dist = popops::map(graph, popops::expr::_1 - popops::expr::Const(2.0f) * popops::expr::_2,
                              { norms.broadcast(N, 0).reshape({ N, K }), dots }, it, "dist");
    Tensor arg = popnn::argMin(graph, dist, it, "arg");
    Tensor hot = graph.addVariable(FLOAT, { N, K }, "hot");
    poputil::mapTensorLinearly(graph, hot);
    popops::encodeOneHot(graph, arg, hot, it, "hot");
    Tensor sums = poplin::matMul(graph, hot.transpose(), points, it, "sums");
    Tensor counts = popops::reduce(graph, hot, { 0 }, popops::Operation::ADD, it, "counts");
    Tensor fresh = popops::div(graph, sums, counts.expand({ 1 }), it, "mean");
    it.add(Copy(fresh, centres));
    auto inP = graph.addHostToDeviceFIFO("points", FLOAT, N * D);
    auto inC = graph.addHostToDeviceFIFO("centres", FLOAT, K * D);
    auto outC = graph.addDeviceToHostFIFO("result", FLOAT, K * D);
    Sequence main{ Copy(inP, points), Copy(inC, centres), Repeat(iterations, it), Copy(centres, outC) };
    Engine engine(graph, main);
    std::vector<float> p(N * D), c(K * D), r(K * D);
    std::mt19937 gen(11);
    std::normal_distribution<float> nd;
    for (std::size_t i = 0; i < p.size(); ++i)
        p[i] = nd(gen) * 0.4f + 3.0f * float((i / D) % K) * (i % 2 ? 1 : -1);
    for (std::size_t k = 0; k < K * D; ++k)
        c[k] = p[k];
    engine.connectStream("points", p.data());
    engine.connectStream("centres", c.data());
    engine.connectStream("result", r.data(), r.data() + r.size());
    engine.load(device);
    engine.run(0);
    const std::vector<double> cd = means(p, c, N, D, K, iterations);
    double worst = 0;
    for (std::size_t k = 0; k < K * D; ++k)
        worst = std::max(worst, std::abs(cd[k] - r[k]));
    std::cout << "worst " << worst << "\n";
    return worst < 1e-4 ? 0 : 1;
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 16;
    return run(Device::createCPUDevice()) + run(model.createDevice());
}
