// SPDX-License-Identifier: Apache-2.0
// Parameters of convolutions, index arithmetic, plans and their reports, called as programs in C++ call them.
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/ConvPreplan.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>

#include "check.hpp"

#include <set>
#include <sstream>
#include <unordered_set>

using namespace poplar;
using poplin::ConvParams;

typedef std::pair<unsigned, unsigned> Range;

static Graph modelGraph()
{
    IPUModel model;
    model.tilesPerIPU = 32;
    return Graph(model.createDevice().getTarget());
}

TEST(constructors_of_all_releases)
{
    const ConvParams plain(HALF, 2, { 8, 9 }, { 3, 3 }, 4, 5, 2);
    CHECK(plain.inputType == HALF && plain.outputType == HALF && plain.getBatchSize() == 2);
    CHECK(plain.getNumFieldDims() == 2 && plain.getOutputFieldShape() == (std::vector<std::size_t>{ 6, 7 }));
    CHECK(plain.getNumInputChans() == 8 && plain.getNumOutputChans() == 10 && plain.getNumConvGroups() == 2);
    CHECK(plain.getNumInputChansPerConvGroup() == 4 && plain.getNumOutputChansPerConvGroup() == 5);
    CHECK(plain.getInputSize(1) == 9 && plain.getInputFieldShape()[0] == 8 && plain.getKernelShape()[1] == 3);
    const ConvParams strided(
        HALF, FLOAT, 1, { 8 }, { 3 }, 1, 1, 1, ConvParams::InputTransform({ 1 }, { 0 }, { 2 }, { 1 }, { 3 }, { true }),
        ConvParams::InputTransform(1), ConvParams::OutputTransform({ 1 }, { 0 }, { 2 }, { 0 }, { 1 }));
    CHECK(strided.outputType == FLOAT && strided.getTruncatedInputSize(0) == 7 &&
          strided.getTransformedInputSize(0) == 17);
    CHECK(strided.getTruncatedKernelSize(0) == 3 && strided.getTransformedKernelSize(0) == 3);
    CHECK(strided.getUntransformedOutputSize(0) == 15 && strided.getOutputSize(0) == 8);
    CHECK(ConvParams(strided.c()) == strided && strided != plain && (strided < plain) != (plain < strided));
    CHECK(strided.canonicalize().getOutputSize(0) == 8);
    const ConvParams half(HALF, HALF, 1, { 8 }, { 3 }, 1, 1, 1),
        same(HALF, 1, { 8 }, { 3 }, 1, 1, 1, ConvParams::InputTransform(1), ConvParams::InputTransform(1),
             ConvParams::OutputTransform(1));
    CHECK(half == same && ConvParams().getNumFieldDims() == 0);
    CHECK_THROWS(ConvParams(HALF, 1, { 2 }, { 3 }, 1, 1, 1), poputil::poplibs_error, "the kernel has 3 elements");
    ConvParams uneven = plain;
    uneven.outputTransform.stride.pop_back();
    CHECK_THROWS(uneven.validate(), poputil::poplibs_error, "outputTransform.stride has 1 dimensions");
}

TEST(containers_and_streams)
{
    const ConvParams a(FLOAT, 1, { 8 }, { 3 }, 2, 3, 1), b(FLOAT, 1, { 8 }, { 3 }, 2, 4, 1);
    CHECK(poplin::hash_value(a) == std::hash<ConvParams>()(a) && poplin::hash_value(a) != poplin::hash_value(b));
    CHECK((std::unordered_set<ConvParams>{ a, b, a }.size() == 2 && std::set<ConvParams>{ a, b, b }.size() == 2));
    std::stringstream stream;
    stream << b;
    CHECK(check::contains(stream.str(), "outputChannelsPerConvGroup 4"));
    ConvParams read;
    stream >> read;
    CHECK(read == b);
    std::istringstream nonsense("nonsense");
    CHECK_THROWS(nonsense >> read, poputil::poplibs_error, "'nonsense' is not a field");
    std::ostringstream costs;
    costs << poplin::PlanCosts{ 3, 4 };
    CHECK(costs.str() == "{ cycles: 3, memory: 4 }");
}

TEST(index_arithmetic)
{
    // 8 elements, one of padding before; a kernel of 3; every second of 7 outputs.
    ConvParams p(FLOAT, 1, { 8 }, { 3 }, 1, 1, 1);
    p.inputTransform.paddingLower[0] = 1;
    p.outputTransform.stride[0] = 2;
    CHECK(poplin::getDilatedSize(3, 2) == 5 && p.getOutputSize(0) == 4);
    CHECK(poplin::getInputIndex(0, 0, 0, p) == ~0U && poplin::getInputIndex(0, 2, 1, p) == 4);
    CHECK(poplin::getKernelIndex(0, 2, 4, p) == 1 && poplin::getKernelIndex(0, 0, 4, p) == ~0U);
    CHECK(poplin::getOutputRangeForKernelIndex(0, Range(0, 4), 0, p) == Range(1, 4));
    CHECK(poplin::getOutputRangeForInputIndex(0, Range(0, 4), 3, p) == Range(1, 3));
    CHECK(poplin::getOutputRangeForKernelRange(0, Range(0, 2), Range(0, 2), p) == Range(0, 2));
    CHECK(poplin::getOutputRangeForInputRange(0, Range(0, 4), Range(0, 1), p) == Range(0, 1));
    CHECK(poplin::getInputRange(0, Range(0, 2), 1, p) == Range(0, 3) &&
          poplin::getInputRange(0, Range(1, 2), Range(0, 3), p) == Range(1, 4));
    CHECK(poplin::getInputRange(0, Range(0, 4), p) == Range(0, 8));
    CHECK(poplin::getKernelRange(0, Range(0, 1), 1, p) == Range(2, 3) &&
          poplin::getKernelRange(0, Range(0, 4), Range(0, 8), p) == Range(0, 3));
    CHECK(poplin::getKernelRange(0, Range(0, 1), p) == Range(1, 3));
}

TEST(convolutions_of_training)
{
    ConvParams p(HALF, 3, { 7, 8 }, { 3, 2 }, 4, 5, 2);
    p.outputTransform.stride = { 2, 1 };
    const ConvParams back = poplin::getGradientParams(p), update = poplin::getWeightUpdateParams(p);
    CHECK(back.getOutputFieldShape() == p.inputFieldShape && back.inputFieldShape == p.getOutputFieldShape());
    CHECK(back.inputChannelsPerConvGroup == 5 && back.outputChannelsPerConvGroup == 4 && back.numConvGroups == 2);
    CHECK(update.getOutputFieldShape() == p.kernelShape && update.kernelShape == p.getOutputFieldShape());
    CHECK(update.batchSize == 4 && update.inputChannelsPerConvGroup == 3 && update.outputChannelsPerConvGroup == 5);
}

TEST(reports)
{
    Graph graph = modelGraph();
    const ConvParams p(FLOAT, 1, { 9, 9 }, { 3, 3 }, 8, 16, 1);
    poplin::PlanningCache cache;
    std::ostringstream forward, update;
    poplin::reportPlanInfo(forward, graph, p, { { "pass", "TRAINING_FWD" } }, &cache);
    poplin::reportWeightUpdatePlanInfo(update, graph, p, { { "pass", "TRAINING_WU" } }, &cache);
    CHECK(check::contains(forward.str(), "fieldSplit") && check::contains(update.str(), "fieldSplit") &&
          forward.str() != update.str());
    CHECK(cache.size() == 2);
    const poplin::PlanCosts costs = poplin::reportPlanEstimatedCosts(graph, p, { { "pass", "TRAINING_FWD" } }, &cache);
    CHECK(check::contains(forward.str(),
                          std::to_string(costs.cycles) + " cycles, " + std::to_string(costs.memory) + " bytes"));
    const poplin::DetailedPlanCosts steps =
        poplin::reportDetailedPlanEstimatedCosts(graph, p, { { "pass", "TRAINING_FWD" } }, &cache);
    CHECK(steps.total.cycles == costs.cycles && steps.parallelSplit >= 1 && steps.parallelSplit <= 32 &&
          steps.serialSplit == 1);
    CHECK(steps.compute.cycles + steps.exchange.cycles + steps.reduction.cycles + steps.transform.cycles +
              steps.tileLevelTransform.cycles + steps.outputCast.cycles ==
          costs.cycles);
    CHECK(cache.size() == 2);
    CHECK_THROWS(poplin::reportPlanEstimatedCosts(graph, p, { { "availableMemoryProportion", "-2" } }),
                 poplar::invalid_option, "must not be negative");
}

TEST(plans_ahead)
{
    Graph graph = modelGraph();
    const Target &target = graph.getTarget();
    const OptionFlags options = { { "partialsType", "half" } }, bad = { { "partialsType", "int" } };
    const ConvParams a(HALF, 1, { 9 }, { 3 }, 8, 16, 1), b(HALF, 1, { 9 }, { 3 }, 8, 24, 1);
    poplin::PlanningCache cache;
    const std::set<poplin::ConvPlanParams> convs = { poplin::ConvPlanParams(&target, a, &options),
                                                     poplin::ConvPlanParams(&target, b, &options) };
    poplin::preplanConvolutions(convs, cache);
    CHECK(cache.size() == 2);
    poplin::preplanConvolutions(graph, convs, cache);
    poplin::preplan(convs, std::set<poplin::MatMulPlanParams>(), cache);
    poplin::reportPlanEstimatedCosts(graph, a, options, &cache);
    CHECK(cache.size() == 2);
    CHECK_THROWS(poplin::preplanConvolutions({ poplin::ConvPlanParams(&target, a, &bad) }, cache),
                 poplar::invalid_option, "half|float");
    poplin::convolutionValidateOptions(options);
    CHECK_THROWS(poplin::convolutionValidateOptions(bad), poplar::invalid_option, "half|float");
}

TEST(productsAreConvolutions)
{
    Graph graph = modelGraph();
    const OptionFlags options = { { "partialsType", "half" }, { "fullyConnectedPass", "TRAINING_FWD" } },
                      bad = { { "partialsType", "int" } };
    const poplin::MatMulParams a = { HALF, HALF, { 1, 16, 32 }, { 1, 32, 24 } },
                               b = { HALF, HALF, { 2, 16, 32 }, { 2, 32, 8 } };
    poplin::MatMulToConvOptions convOptions;
    const std::set<poplin::ConvPlanParams> convs =
        poplin::matMulGetConvPlanParams({ poplin::MatMulPlanParams(&graph.getTarget(), a, &options),
                                          poplin::MatMulPlanParams(&graph.getTarget(), b, &options) },
                                        convOptions);
    CHECK(convs.size() == 2 && convOptions.size() == 1);
    CHECK(convOptions.at(&options).at("pass") == "FC_TRAINING_FWD" &&
          convOptions.at(&options).at("partialsType") == "half");
    for (const poplin::ConvPlanParams &conv : convs) {
        CHECK(std::get<0>(conv) == &graph.getTarget() && std::get<2>(conv) == &convOptions.at(&options));
        const ConvParams &params = std::get<1>(conv);
        CHECK(params.outputChannelsPerConvGroup == 16 && params.inputChannelsPerConvGroup == 32);
        CHECK(params.inputFieldShape == std::vector<std::size_t>{ params.numConvGroups == 2 ? 8u : 24u });
    }
    poplin::PlanningCache cache;
    poplin::preplanConvolutions(convs, cache);
    CHECK(cache.size() == 6); // with TRAINING_FWD the other two passes of each layer are planned as well
    CHECK_THROWS(
        poplin::matMulGetConvPlanParams({ poplin::MatMulPlanParams(&graph.getTarget(), a, &bad) }, convOptions),
        poplar::invalid_option, "half|float");
}

TEST(counts)
{
    Graph graph = modelGraph();
    const ConvParams p(FLOAT, 1, { 6 }, { 3 }, 4, 5, 1);
    CHECK(poplin::getFwdFlops(p) == 5 * 4 * (2 * 12 - 1));
    CHECK(poplin::getBwdFlops(p) == 2 * 20 * 12 - 24 && poplin::getWuFlops(p) == 2 * 20 * 12 - 60);
    CHECK(poplin::getFwdPerfectCycleCount(graph, p) > 0 && poplin::getFwdPerfectCycleCount(graph, p) < 1);
    CHECK(poplin::getBwdPerfectCycleCount(graph, p) < poplin::getFwdPerfectCycleCount(graph, p));
    CHECK(poplin::getWuPerfectCycleCount(graph, p) < poplin::getBwdPerfectCycleCount(graph, p));
}

// The error of wrong parameters names the line of their constructor.
TEST(wrongParametersNameTheirLine)
{
    CHECK_THROWS(ConvParams(FLOAT, 1, { 2 }, { 3 }, 4, 5, 1), poputil::poplibs_error, "test_poplin_planner.cpp");
    ConvParams p(FLOAT, 1, { 6 }, { 3 }, 4, 5, 1);
    p.outputTransform.stride[0] = 0;
    CHECK(p.getOutputSize(0) == 4);
    CHECK_THROWS(p.validate(), poputil::poplibs_error, "test_poplin_planner.cpp");
    p.kernelShape.push_back(1);
    CHECK(p.canonicalize().getNumFieldDims() == 0);
    CHECK_THROWS(p.validate(), poputil::poplibs_error, "same number of dimensions");
}

MAIN()
