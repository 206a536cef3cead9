// SPDX-License-Identifier: Apache-2.0
// Batch, group, layer and instance norm, called as programs in C++ call them.
#include <gcl/Collectives.hpp>
#include <poplar/Engine.hpp>
#include <poplin/codelets.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Norms.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <cmath>
#include <stdexcept>

using namespace poplar;

// {4, 2} of two channels, and the results of a norm.
struct Fixture : TestFixture {
    Tensor x, gamma, beta;
    Fixture()
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
        popnn::addCodelets(graph);
        x = floats({ 4, 2 }, { 1, 10, 2, 10, 3, 10, 4, 14 });
        gamma = graph.addVariable(FLOAT, { 2 }, "gamma");
        beta = graph.addVariable(FLOAT, { 2 }, "beta");
        graph.setTileMapping(gamma, 0);
        graph.setTileMapping(beta, 0);
        graph.setInitialValue(gamma, std::vector<float>{ 1, 2 });
        graph.setInitialValue(beta, std::vector<float>{ 0, 3 });
    }
};
static bool near(double a, double b)
{
    return std::fabs(a - b) < 1e-4;
}
static bool near(const std::vector<float> &a, const std::vector<float> &b)
{
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i)
        same = near(a[i], b[i]);
    return same;
}

TEST(parameters_and_costs)
{
    Fixture b;
    std::pair<Tensor, Tensor> both = popnn::createNormParams(b.graph, b.x);
    CHECK(both.first.numElements() == 2 && popnn::createNormGamma(b.graph, b.x).numElements() == 2 &&
          popnn::createNormBeta(b.graph, b.x, HALF).elementType() == HALF);
    CHECK(popnn::getNormFwdFlops(2, 8) > popnn::getNormFwdFlops(2, 8, false) &&
          popnn::getNormFwdFlops(2, 8) == popnn::in::getFwdFlops(2, 4, true));
    CHECK(popnn::getNormBwdFlops(2, 8) == popnn::in::getBwdFlops(2, 4) &&
          popnn::getNormWuFlops(2, 8) == popnn::in::getWuFlops(2, 4));
}

TEST(batch_norm)
{
    using namespace popnn::bn;
    Fixture b;
    std::pair<Tensor, Tensor> stats = batchNormStatistics(b.graph, b.x, 0.0f, b.prog, false, true, FLOAT, "stats");
    Tensor white = batchNormWhiten(b.graph, b.x, stats.first, stats.second, b.prog, "whiten");
    std::pair<Tensor, Tensor> out =
        batchNormalise(b.graph, b.x, b.gamma, b.beta, stats.first, stats.second, b.prog, { "out" });
    std::pair<Tensor, Tensor> deltas = batchNormParamGradients(b.graph, out.second, b.x, b.prog);
    std::pair<Tensor, Tensor> same =
        batchNormParamGradients(b.graph, b.x, b.x, stats.first, stats.second, b.prog, FLOAT, "deltas");
    Tensor dx = batchNormGradients(b.graph, out.second, b.x, stats.second, b.gamma, b.prog);
    Tensor again = batchNormGradients(b.graph, b.x, b.x, stats.first, stats.second, b.gamma, b.prog, FLOAT, "dx");
    Tensor inference = batchNormalise(b.graph, b.x, b.gamma, b.beta, b.prog, "inference");
    Tensor scale = b.graph.addConstant<float>(FLOAT, {}, 0.25f);
    b.graph.setTileMapping(scale, 0);
    batchNormParamUpdate(b.graph, deltas.first, deltas.second, 0.25f, b.gamma, b.beta, b.prog, "update");
    batchNormParamUpdate(b.graph, deltas.first, deltas.second, scale, b.gamma, b.beta, b.prog);
    std::vector<std::vector<float>> got = b.run({ stats.first, stats.second, white, out.first, out.second, deltas.first,
                                                  same.first, dx, again, b.gamma, b.beta, inference });
    CHECK(near(got[0][0], 2.5) && near(got[0][1], 11) && near(got[1][1], 1 / std::sqrt(3.0)));
    CHECK(near(got[2], got[4]) && near(got[5], got[6]) && near(got[7], got[8]));
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(near(got[3][i], got[2][i] * (i % 2 ? 2 : 1) + (i % 2 ? 3 : 0)));
    CHECK(near(got[9][0], 1 + 0.5 * got[5][0]) && near(got[9][1], 2 + 0.5 * got[5][1]) && near(got[10][0], 5) &&
          near(got[10][1], 25));
    CHECK(near(got[11], { 1, 23, 2, 23, 3, 23, 4, 31 }));
    CHECK_THROWS(batchNormWhiten(b.graph, b.x, scale, scale, b.prog), poputil::poplibs_error, "mean has shape");
}

// With one replica, or fewer images than it has, or no callback, the results are those of the plain norms. A callback
// is called whatever the graph's replicas; the counts that it sums are for all images.
TEST(distributed_norms)
{
    using namespace popnn::bn;
    Fixture b;
    poplin::DistributedNormReduceCallback reduce = [](Graph &, const std::vector<Tensor> &given, program::Sequence &,
                                                      unsigned, const DebugContext &,
                                                      const OptionFlags &) { return given; };
    std::pair<Tensor, Tensor> stats = batchNormStatistics(b.graph, b.x, 0.5f, b.prog, true),
                              shared = distributedBatchNormStatistics(b.graph, b.x, 0.5f, b.prog, true, reduce, 4,
                                                                      false, FLOAT, "stats"),
                              again =
                                  poplin::distributedNormStatistics(b.graph, b.x, 0.5f, b.prog, true, nullptr, 4, true);
    Tensor white = batchNormWhiten(b.graph, b.x, stats.first, stats.second, b.prog),
           grads = b.graph.clone(b.x, "grads");
    b.graph.setInitialValue(grads, std::vector<float>{ 1, -1, 5, 2, -3, 0, 2, 7 });
    Tensor dx = batchNormGradients(b.graph, white, grads, stats.second, b.gamma, b.prog),
           same = distributedBatchNormGradients(b.graph, white, grads, stats.second, b.gamma, b.prog, reduce, 4, FLOAT,
                                                { "dx" }),
           unwhitened = distributedBatchNormGradients(b.graph, b.x, grads, stats.first, stats.second, b.gamma, b.prog,
                                                      reduce, 4),
           plain = poplin::normStatisticsGradients(b.graph, white, grads, stats.second, b.prog),
           alike = poplin::distributedNormStatisticsGradients(b.graph, white, grads, stats.second, b.prog, reduce, 4);
    Tensor eight = distributedBatchNormStatistics(b.graph, b.x, 0.5f, b.prog, true, reduce, 8).first,
           few = distributedBatchNormStatistics(b.graph, b.x, 0.5f, b.prog, true, reduce, 3).first,
           alone = distributedBatchNormStatistics(b.graph, b.x, 0.5f, b.prog, true, nullptr, 8).first,
           none = distributedBatchNormGradients(b.graph, white, grads, stats.second, b.gamma, b.prog, reduce, 0);
    CHECK_THROWS(distributedBatchNormStatistics(b.graph, b.x, 0.5f, b.prog, true, reduce, 6), poputil::poplibs_error,
                 "normBatchSize is 6 and the activations' batch 4: it must be a multiple of the batch");
    std::vector<std::vector<float>> got =
        b.run({ stats.first, shared.first, again.first, stats.second, shared.second, again.second, dx, same, plain,
                alike, unwhitened, eight, few, alone, none });
    CHECK(near(got[11][0], got[0][0] / 2) && near(got[11][1], got[0][1] / 2) && near(got[12], got[0]) &&
          near(got[13], got[0]) && near(got[14], got[6]));
    CHECK(near(got[0], got[1]) && near(got[0], got[2]) && near(got[3], got[4]) && near(got[3], got[5]));
    CHECK(near(got[4][0], 1 / std::sqrt(5.0 / 3 + 0.5)) && near(got[6], got[7]) && near(got[8], got[9]) &&
          near(got[6], got[10]));
}

// Two replicas on the CPU, with an all-reduce of the caller; exceptions of a callback reach the caller.
TEST(norms_over_replicas)
{
    using namespace popnn::bn;
    Device device = Device::createCPUDevice();
    Graph graph(device.getTarget(), replication_factor(2));
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    program::Sequence prog;
    Tensor x = graph.addVariable(FLOAT, { 2, 1 }, "x"), gamma = graph.addConstant<float>(FLOAT, { 1 }, 2.0f);
    poputil::mapTensorLinearly(graph, x);
    graph.setTileMapping(gamma, 0);
    std::vector<unsigned> groups;
    poplin::DistributedNormReduceCallback reduce = [&groups](Graph &g, const std::vector<Tensor> &given,
                                                             program::Sequence &p, unsigned size,
                                                             const DebugContext &context, const OptionFlags &) {
        groups.push_back(size);
        return gcl::allReduceCrossReplica(g, given, gcl::CollectiveOperator::ADD, p,
                                          { gcl::CommGroupType::CONSECUTIVE, size }, context);
    };
    std::pair<Tensor, Tensor> stats = distributedBatchNormStatistics(graph, x, 0.0f, prog, false, reduce, 4, true);
    Tensor white = batchNormWhiten(graph, x, stats.first, stats.second, prog);
    Tensor dx = distributedBatchNormGradients(graph, white, x, stats.second, gamma, prog, reduce, 4);
    CHECK(groups == (std::vector<unsigned>{ 2, 2, 2 }));

    poplin::DistributedNormReduceCallback throws = [](Graph &, const std::vector<Tensor> &given, program::Sequence &,
                                                      unsigned, const DebugContext &,
                                                      const OptionFlags &) -> std::vector<Tensor> {
        throw std::runtime_error("no links for " + std::to_string(given.size()));
    };
    CHECK_THROWS(distributedBatchNormStatistics(graph, x, 0.0f, prog, false, throws, 4), std::runtime_error,
                 "no links for 2");
    poplin::DistributedNormReduceCallback few = [](Graph &, const std::vector<Tensor> &given, program::Sequence &,
                                                   unsigned, const DebugContext &,
                                                   const OptionFlags &) { return std::vector<Tensor>{ given[0] }; };
    CHECK_THROWS(distributedBatchNormGradients(graph, white, x, stats.second, gamma, prog, few, 4),
                 poputil::poplibs_error, "returned 1 tensors for 2");

    graph.createHostWrite("x", x);
    graph.createHostRead("mean", stats.first);
    graph.createHostRead("white", white);
    graph.createHostRead("dx", dx);
    Engine engine(graph, prog);
    engine.load(device);
    const float given[4] = { 1, 2, 3, 6 };
    float mean[2], whitened[4], gradients[4];
    engine.writeTensor("x", given, given + 4);
    engine.run(0);
    engine.readTensor("mean", mean, mean + 2);
    engine.readTensor("white", whitened, whitened + 4);
    engine.readTensor("dx", gradients, gradients + 4);
    CHECK(near(mean[0], 3) && near(mean[1], 3));
    for (int i = 0; i < 4; ++i) // gradients along the whitened activations vanish
        CHECK(near(whitened[i], (given[i] - 3) / std::sqrt(3.5)) && near(gradients[i], 0));
}

TEST(group_norm)
{
    using namespace popnn::gn;
    Fixture b;
    std::pair<Tensor, Tensor> stats = groupNormStatistics(b.graph, b.x, 0.0f, b.prog, 1, false, true, FLOAT, "stats");
    Tensor white = groupNormWhiten(b.graph, b.x, stats.first, stats.second, b.prog, "whiten");
    std::pair<Tensor, Tensor> out =
        groupNormalise(b.graph, b.x, b.gamma, b.beta, stats.first, stats.second, b.prog, { "out" });
    std::pair<Tensor, Tensor> deltas = groupNormParamGradients(b.graph, out.second, b.x, b.prog);
    std::pair<Tensor, Tensor> same =
        groupNormParamGradients(b.graph, b.x, b.x, stats.first, stats.second, b.prog, FLOAT, "deltas");
    Tensor dx = groupNormGradients(b.graph, out.second, b.x, stats.second, b.gamma, b.prog);
    Tensor again = groupNormGradients(b.graph, b.x, b.x, stats.first, stats.second, b.gamma, b.prog, FLOAT, "dx");
    Tensor scale = b.graph.addConstant<float>(FLOAT, {}, 0.25f);
    b.graph.setTileMapping(scale, 0);
    groupNormParamUpdate(b.graph, deltas.first, deltas.second, 0.25f, b.gamma, b.beta, b.prog, "update");
    groupNormParamUpdate(b.graph, deltas.first, deltas.second, scale, b.gamma, b.beta, b.prog);
    std::vector<std::vector<float>> got = b.run({ stats.first, stats.second, white, out.first, out.second, deltas.first,
                                                  same.first, dx, again, b.gamma, b.beta });
    CHECK(got[0].size() == 4 && near(got[0][0], 5.5) && near(got[1][1], 0.25));
    CHECK(near(got[2], got[4]) && near(got[5], got[6]) && near(got[7], got[8]));
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(near(got[3][i], got[2][i] * (i % 2 ? 2 : 1) + (i % 2 ? 3 : 0)));
    CHECK(near(got[9][0], 1 + 0.5 * got[5][0]) && near(got[9][1], 2 + 0.5 * got[5][1]) && near(got[10][0], 5) &&
          near(got[10][1], 25));
    CHECK_THROWS(groupNormStatistics(b.graph, b.x, 0.0f, b.prog, 3, false), poputil::poplibs_error,
                 "3 groups of 2 channels");
}

TEST(layer_norm)
{
    using namespace popnn::ln;
    Fixture b;
    std::pair<Tensor, Tensor> stats = layerNormStatistics(b.graph, b.x, 0.0f, b.prog, false, true, FLOAT, "stats");
    Tensor white = layerNormWhiten(b.graph, b.x, stats.first, stats.second, b.prog, "whiten");
    std::pair<Tensor, Tensor> out =
        layerNormalise(b.graph, b.x, b.gamma, b.beta, stats.first, stats.second, b.prog, { "out" });
    std::pair<Tensor, Tensor> deltas = layerNormParamGradients(b.graph, out.second, b.x, b.prog);
    std::pair<Tensor, Tensor> same =
        layerNormParamGradients(b.graph, b.x, b.x, stats.first, stats.second, b.prog, FLOAT, "deltas");
    Tensor dx = layerNormGradients(b.graph, out.second, b.x, stats.second, b.gamma, b.prog);
    Tensor again = layerNormGradients(b.graph, b.x, b.x, stats.first, stats.second, b.gamma, b.prog, FLOAT, "dx");
    Tensor scale = b.graph.addConstant<float>(FLOAT, {}, 0.25f);
    b.graph.setTileMapping(scale, 0);
    layerNormParamUpdate(b.graph, deltas.first, deltas.second, 0.25f, b.gamma, b.beta, b.prog, "update");
    layerNormParamUpdate(b.graph, deltas.first, deltas.second, scale, b.gamma, b.beta, b.prog);
    std::vector<std::vector<float>> got = b.run({ stats.first, stats.second, white, out.first, out.second, deltas.first,
                                                  same.first, dx, again, b.gamma, b.beta });
    CHECK(got[0].size() == 4 && near(got[0][3], 9) && near(got[1][3], 0.2));
    CHECK(near(got[2], got[4]) && near(got[5], got[6]) && near(got[7], got[8]));
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(near(got[3][i], got[2][i] * (i % 2 ? 2 : 1) + (i % 2 ? 3 : 0)));
    CHECK(near(got[9][0], 1 + 0.5 * got[5][0]) && near(got[9][1], 2 + 0.5 * got[5][1]) && near(got[10][0], 5) &&
          near(got[10][1], 25));
}

TEST(instance_norm)
{
    using namespace popnn::in;
    Fixture b;
    std::pair<Tensor, Tensor> stats = instanceNormStatistics(b.graph, b.x, 1.0f, b.prog, false, true, FLOAT, "stats");
    Tensor white = instanceNormWhiten(b.graph, b.x, stats.first, stats.second, b.prog, "whiten");
    std::pair<Tensor, Tensor> out =
        instanceNormalise(b.graph, b.x, b.gamma, b.beta, stats.first, stats.second, b.prog, { "out" });
    std::pair<Tensor, Tensor> deltas = instanceNormParamGradients(b.graph, out.second, b.x, b.prog);
    std::pair<Tensor, Tensor> same =
        instanceNormParamGradients(b.graph, b.x, b.x, stats.first, stats.second, b.prog, FLOAT, "deltas");
    Tensor dx = instanceNormGradients(b.graph, out.second, b.x, stats.second, b.gamma, b.prog);
    Tensor again = instanceNormGradients(b.graph, b.x, b.x, stats.first, stats.second, b.gamma, b.prog, FLOAT, "dx");
    Tensor scale = b.graph.addConstant<float>(FLOAT, {}, 0.25f);
    b.graph.setTileMapping(scale, 0);
    instanceNormParamUpdate(b.graph, deltas.first, deltas.second, 0.25f, b.gamma, b.beta, b.prog, "update");
    instanceNormParamUpdate(b.graph, deltas.first, deltas.second, scale, b.gamma, b.beta, b.prog);
    std::vector<std::vector<float>> got = b.run({ stats.first, stats.second, white, out.first, out.second, deltas.first,
                                                  same.first, dx, again, b.gamma, b.beta });
    CHECK(got[0].size() == 8 && near(got[0][1], 10) && near(got[2][1], 0));
    CHECK(near(got[2], got[4]) && near(got[5], got[6]) && near(got[7], got[8]));
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(near(got[3][i], got[2][i] * (i % 2 ? 2 : 1) + (i % 2 ? 3 : 0)));
    CHECK(near(got[9][0], 1 + 0.5 * got[5][0]) && near(got[9][1], 2 + 0.5 * got[5][1]) && near(got[10][0], 5) &&
          near(got[10][1], 25));
}

MAIN()
