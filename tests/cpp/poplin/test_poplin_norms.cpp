// SPDX-License-Identifier: Apache-2.0
// poplin's norms, called as programs in C++ call them.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplin/Norms.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"

#include <cmath>
#include <tuple>

using namespace poplar;

TEST(norms)
{
    Device device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    program::Sequence prog;
    Tensor x = graph.addVariable(FLOAT, { 4, 2 }, "x");
    poputil::mapTensorLinearly(graph, x);
    Tensor gamma, beta;
    std::tie(gamma, beta) = poplin::createNormParams(graph, x, "params");
    CHECK(poplin::createNormGamma(graph, x, HALF).elementType() == HALF &&
          poplin::createNormBeta(graph, x).numElements() == 2);
    std::pair<Tensor, Tensor> stats = poplin::normStatistics(graph, x, 0.0f, prog, false, true, FLOAT, "norm");
    Tensor whitened = poplin::normWhiten(graph, x, stats.first, stats.second, prog, "norm");
    Tensor out = poplin::normalise(graph, whitened, gamma, beta, prog);
    std::pair<Tensor, Tensor> deltas = poplin::normParamGradients(graph, whitened, x, prog);
    Tensor back = poplin::normStatisticsGradients(graph, whitened, poplin::normGradients(graph, x, gamma, prog),
                                                  stats.second, prog, FLOAT, "back");
    graph.createHostWrite("x", x);
    graph.createHostRead("out", out);
    graph.createHostRead("beta", deltas.second);
    graph.createHostRead("back", back);
    Engine engine(graph, prog);
    engine.load(device);
    const float given[8] = { 1, 10, 2, 10, 3, 10, 4, 14 };
    engine.writeTensor("x", given, given + 8);
    engine.run();
    float got[8], sums[2];
    engine.readTensor("out", got, got + 8);
    engine.readTensor("beta", sums, sums + 2);
    CHECK(std::fabs(got[0] + 1.5f / std::sqrt(1.25f)) < 1e-5f && std::fabs(got[7] - 3 / std::sqrt(3.0f)) < 1e-5f);
    CHECK(std::fabs(sums[0] - 10) < 1e-5f && std::fabs(sums[1] - 44) < 1e-5f);
    engine.readTensor("back", got, got + 8);
    for (float each : got) // shifting or scaling a channel does not change the whitened activations
        CHECK(std::fabs(each) < 1e-4f);
    CHECK_THROWS(poplin::normGradients(graph, gamma, gamma, prog), poputil::poplibs_error, "1 dimensions");
}

MAIN()
