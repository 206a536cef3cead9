// SPDX-License-Identifier: Apache-2.0
// The options of all releases of the operation libraries (poplibs_options.def) are taken, and have their effect where
// they have one.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Cholesky.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poplin/codelets.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/Gru.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/Rnn.hpp>
#include <popnn/codelets.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <cmath>

using namespace poplar;
using namespace poplar::program;

namespace
{

struct Fixture : TestFixture {
    Fixture() : TestFixture(model(4))
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
        popnn::addCodelets(graph);
    }
};

// ---- one call of each set of options ----

const poplin::ConvParams conv1x1(HALF, HALF, 1, { 4 }, { 1 }, 4, 4, 1);

void conv(Fixture &b, const OptionFlags &o)
{
    poplin::createInput(b.graph, conv1x1, "in", o);
}
void multiConv(Fixture &b, const OptionFlags &o)
{
    poplin::multiconv::createInput(b.graph, { { conv1x1, {}, "a" }, { conv1x1, {}, "b" } }, 0, o);
}
void matMul(Fixture &b, const OptionFlags &o)
{
    poplin::createMatMulInputLHS(b.graph, HALF, HALF, { 4, 4 }, { 4, 4 }, "lhs", o);
}
void triangular(Fixture &b, const OptionFlags &o)
{
    poplin::createTriangularSolveInputLHS(b.graph, FLOAT, FLOAT, { 4, 4 }, { 4, 2 }, true, "lhs", o);
    // The products of the solution have the other options alone.
    for (const auto &product :
         poplin::getTriangularSolveMatMulPrePlanParameters(FLOAT, FLOAT, { 64, 64 }, { 64, 2 }, true, true, o))
        for (const OptionFlags::OptionFlag &option : product.second)
            CHECK(option.first != "blockSize");
}
void cholesky(Fixture &b, const OptionFlags &o)
{
    poplin::createCholeskyInput(b.graph, FLOAT, { 4, 4 }, "in", o);
    poplin::getCholeskyMatMulPrePlanParameters(FLOAT, { 4, 4 }, true, o);
}
void lstm(Fixture &b, const OptionFlags &o)
{
    popnn::lstm::createInput(b.graph, popnn::lstm::LstmParams(HALF, 1, 2, { 4, 4 }), "in", o);
}
void gru(Fixture &b, const OptionFlags &o)
{
    popnn::gru::createInput(b.graph, popnn::gru::GruParams(HALF, 1, 2, { 4, 4 }), "in", o);
}
void rnn(Fixture &b, const OptionFlags &o)
{
    using namespace popnn::rnn;
    const RnnParams params(FLOAT, 1, 2, { 4, 4 });
    OptionFlags taken = o;
    Rnn(
        b.graph, params, false, {}, {}, { createInputTensor(b.graph, params, 1) }, nullptr, nullptr, {}, {}, b.prog,
        [](Graph &, const TimeStepState &, const RnnBatchwiseFlags &, std::vector<Tensor> &, const RnnSlice &,
           std::vector<Tensor> &, Sequence *, const DebugNameAndId &) { return Sequence(); },
        1, taken, "rnn");
}
void pool(Fixture &b, const OptionFlags &o)
{
    const popnn::pooling::PoolParams params(popnn::PoolingType::MAX, { 8 }, { 2 }, { 2 }, { 0 }, { 0 }, 4, 1, HALF);
    popnn::pooling::pool(b.graph, params, b.variable(HALF, { 1, 4, 8 }), b.prog, "pool", o);
}
// All calls of all norms.
void norm(Fixture &b, const OptionFlags &o)
{
    const Tensor x = b.variable(FLOAT, { 2, 4, 3 }), dy = b.variable(FLOAT, { 2, 4, 3 }), scale = b.variable(FLOAT, {});
    Tensor gamma = b.variable(FLOAT, { 4 }), beta = b.variable(FLOAT, { 4 });
    Graph &g = b.graph;
    Sequence &p = b.prog;
    {
        using namespace popnn::gn;
        const auto s = groupNormStatistics(g, x, 1e-3f, p, 2, false, false, FLOAT, "s", o);
        const auto out = groupNormalise(g, x, gamma, beta, s.first, s.second, p, "n", o);
        const auto d = groupNormParamGradients(g, out.second, dy, p, FLOAT, "d", o);
        groupNormWhiten(g, x, s.first, s.second, p, "w", o);
        groupNormParamGradients(g, x, dy, s.first, s.second, p, FLOAT, "d", o);
        groupNormGradients(g, out.second, dy, s.second, gamma, p, FLOAT, "g", o);
        groupNormGradients(g, x, dy, s.first, s.second, gamma, p, FLOAT, "g", o);
        groupNormParamUpdate(g, d.first, d.second, 0.1f, gamma, beta, p, "u", o);
        groupNormParamUpdate(g, d.first, d.second, scale, gamma, beta, p, "u", o);
    }
    {
        using namespace popnn::bn;
        const auto s = batchNormStatistics(g, x, 1e-3f, p, false, false, FLOAT, "s", o);
        const auto out = batchNormalise(g, x, gamma, beta, s.first, s.second, p, "n", o);
        const auto d = batchNormParamGradients(g, out.second, dy, p, FLOAT, "d", o);
        batchNormGradients(g, out.second, dy, s.second, gamma, p, FLOAT, "g", o);
        batchNormParamUpdate(g, d.first, d.second, 0.1f, gamma, beta, p, "u", o);
        batchNormParamUpdate(g, d.first, d.second, scale, gamma, beta, p, "u", o);
    }
    {
        const auto s = popnn::in::instanceNormStatistics(g, x, 1e-3f, p, false, false, FLOAT, "s", o);
        popnn::in::instanceNormalise(g, x, gamma, beta, s.first, s.second, p, "n", o);
        popnn::in::instanceNormParamUpdate(g, gamma, beta, 0.1f, gamma, beta, p, "u", o);
    }
    {
        const auto s = popnn::ln::layerNormStatistics(g, x, 1e-3f, p, false, false, FLOAT, "s", o);
        popnn::ln::layerNormalise(g, x, gamma, beta, s.first, s.second, p, "n", o);
        popnn::ln::layerNormParamUpdate(g, gamma, beta, 0.1f, gamma, beta, p, "u", o);
    }
}
void ctcPlan(Fixture &b, const OptionFlags &o)
{
    popnn::ctc::plan(b.graph, HALF, HALF, 1, 4, 2, 3, o);
}
void ctcCall(Fixture &b, const OptionFlags &o)
{
    const auto plan = popnn::ctc::plan(b.graph, FLOAT, FLOAT, 1, 4, 2, 3);
    const Tensor data = popnn::ctc::createDataInput(b.graph, FLOAT, 1, 4, 3, plan),
                 labels = popnn::ctc::createLabelsInput(b.graph, UNSIGNED_INT, 1, 2, plan),
                 lengths = b.variable(UNSIGNED_INT, { 1 });
    popnn::ctc::calcLossAndGradientLogits(b.graph, FLOAT, data, labels, lengths, lengths, b.prog, 0, plan, "ctc", o);
    popnn::ctc::calcCTCLossLogits(b.graph, FLOAT, data, labels, lengths, lengths, b.prog, 0, plan, "loss", o);
}
void ctcInfer(Fixture &b, const OptionFlags &o)
{
    popnn::ctc_infer::plan(b.graph, FLOAT, 1, 4, 3, 2, o);
}
void slicePlan(Fixture &b, const OptionFlags &o)
{
    popops::embedding::plan(b.graph, HALF, 100, 8, { 10 }, o);
    const Tensor indices = b.variable(UNSIGNED_INT, { 3, 1 }), t = b.variable(FLOAT, { 5, 4 });
    popops::multiSlice(b.graph, t, indices, { 0 }, { 1 }, b.prog, popops::SlicePlan(), o);
}
void map(Fixture &b, const OptionFlags &o)
{
    namespace pe = popops::expr;
    const Tensor t = b.variable(FLOAT, { 3, 1 });
    popops::map(b.graph, pe::Add(pe::_1, pe::_2), { t, t }, b.prog, "map", o);
    popops::add(b.graph, t, t, b.prog, "add", o);
}
void reduce(Fixture &b, const OptionFlags &o)
{
    popops::reduce(b.graph, b.variable(HALF, { 3, 4 }), HALF, { 0 }, popops::Operation::ADD, b.prog, "sum", o);
}
void scaledAdd(Fixture &b, const OptionFlags &o)
{
    const Tensor t = b.variable(HALF, { 4 });
    popops::scaledAddTo(b.graph, t, t, 0.1f, b.prog, "add", o);
}
void histogram(Fixture &b, const OptionFlags &o)
{
    popops::histogram(b.graph, b.variable(FLOAT, { 9 }), b.floats({ 2 }, { 1, 2 }), false, b.prog, "counts", o);
}

struct Row {
    void (*call)(Fixture &, const OptionFlags &);
    const char *set, *name, *value;
};
const Row rows[] = {
#define OPTION(set, name, value) { set, #set, name, value },
#include "poplibs_options.def"
#undef OPTION
};

} // namespace

TEST(options_of_all_releases_are_taken)
{
    for (const Row &row : rows) {
        Fixture b;
        std::string error;
        try {
            row.call(b, { { row.name, row.value } });
        } catch (const std::exception &thrown) {
            error = thrown.what();
        }
        if (!error.empty())
            std::fprintf(stderr, "%s: %s = %s: %s\n", row.set, row.name, row.value, error.c_str());
        CHECK(error.empty());
    }
}

TEST(values_of_options)
{
    Fixture b;
    CHECK_THROWS(cholesky(b, { { "blockSize", "8 " } }), invalid_option, "blockSize");
    CHECK_THROWS(triangular(b, { { "blockSize", "0x" } }), invalid_option, "blockSize");
    CHECK_THROWS(ctcCall(b, { { "zeroInfinityRelTolerance", "-2" } }), invalid_option, "zeroInfinityRelTolerance");
    CHECK_THROWS(
        histogram(b, { { "useFloatArithmetic", "true" }, { "useFloatArithmeticWithUnsignedIntOutput", "true" } }),
        invalid_option, "exclude each other");
    CHECK_THROWS(norm(b, { { "groupNormStridedChannels", "true" } }), invalid_option,
                 "groupNormStridedChannelGrouping");
}

// Groups are of neighbouring channels unless the option says otherwise.
TEST(channels_of_group_norms)
{
    for (const bool strided : { false, true }) {
        Fixture b;
        const Tensor x = b.floats({ 1, 4, 1 }, { 1, 3, 10, 20 });
        OptionFlags options;
        if (strided)
            options.set("groupNormStridedChannelGrouping", "true");
        const std::vector<float> mean =
            b.run(popnn::gn::groupNormStatistics(b.graph, x, 1e-3f, b.prog, 2, false, true, FLOAT, "s", options).first);
        CHECK(mean == (strided ? std::vector<float>{ 5.5f, 11.5f } : std::vector<float>{ 2, 15 }));
    }
}

// Two labels in one step do not fit: the loss is infinite, or 0 with its gradient.
TEST(infinite_ctc_losses)
{
    for (const bool zero : { false, true }) {
        Fixture b;
        const auto plan = popnn::ctc::plan(b.graph, FLOAT, FLOAT, 2, 2, 2, 3);
        const Tensor data = popnn::ctc::createDataInput(b.graph, FLOAT, 2, 2, 3, plan),
                     labels = popnn::ctc::createLabelsInput(b.graph, UNSIGNED_INT, 2, 2, plan),
                     steps = b.graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 1, 2 }),
                     two = b.graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, 2u);
        b.graph.setTileMapping(steps, 0);
        b.graph.setTileMapping(two, 0);
        b.graph.setInitialValue<float>(data, std::vector<float>(12, 0));
        b.graph.setInitialValue<unsigned>(labels, { 1, 2, 1, 2 });
        const auto result =
            popnn::ctc::calcLossAndGradientLogits(b.graph, FLOAT, data, labels, steps, two, b.prog, 0, plan, "ctc",
                                                  { { "zeroInfinity", zero ? "true" : "false" } });
        const std::vector<float> got = b.run(concat(result.first, result.second.flatten()));
        CHECK(zero ? got[0] == 0 : got[0] > 60000);
        CHECK(std::fabs(got[1] - 2 * std::log(3.0f)) < 1e-5f);
        float unfit = 0, fit = 0;
        for (unsigned i = 0; i < 12; ++i)
            (i / 3 % 2 ? fit : unfit) += std::fabs(got[2 + i]);
        CHECK((!zero || unfit == 0) && fit > 1);
    }
}

// Slices at the padding index are 0, updates there write nothing.
TEST(padding_indices)
{
    for (const bool planned : { false, true }) {
        Fixture b;
        const OptionFlags options = { { "paddingIndexUsed", "true" }, { "validateIndices", "true" } };
        const popops::SlicePlan plan =
            planned ? popops::embedding::plan(b.graph, FLOAT, 3, 2, { 4 }, options) : popops::SlicePlan();
        const Tensor t = b.floats({ 3, 2 }, { 1, 2, 3, 4, 5, 6 });
        const Tensor indices = b.graph.addConstant<unsigned>(UNSIGNED_INT, { 4, 1 }, { 2, 3, 0, 3 });
        b.graph.setTileMapping(indices, 0);
        const Tensor slices =
            popops::multiSlice(b.graph, t, indices, { 0 }, { 1 }, b.prog, plan, planned ? OptionFlags() : options);
        const Tensor kept = b.graph.clone(slices);
        b.prog.add(Copy(slices, kept));
        popops::multiUpdate(b.graph, t, b.floats({ 4, 1, 2 }, { 9, 9, 8, 8, 7, 7, 6, 6 }), indices, { 0 }, { 1 },
                            b.prog, plan, planned ? OptionFlags() : options);
        CHECK(b.run(concat(kept.flatten(), t.flatten())) ==
              (std::vector<float>{ 5, 6, 0, 0, 1, 2, 0, 0, 7, 7, 3, 4, 9, 9 }));
    }
}

MAIN()
