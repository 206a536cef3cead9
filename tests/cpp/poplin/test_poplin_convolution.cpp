// SPDX-License-Identifier: Apache-2.0
// poplin's convolutions, called as programs in C++ call them.
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/codelets.hpp>

#include "check.hpp"
#include "fixture.hpp"

using namespace poplar;
using namespace poplar::program;

struct Fixture : TestFixture {
    explicit Fixture(Device on = Device::createCPUDevice()) : TestFixture(std::move(on))
    {
        popops::addCodelets(graph);
        poplin::addCodelets(graph);
    }
    void fill(const Tensor &t, const std::vector<float> &values)
    {
        graph.setInitialValue(t, ArrayRef<float>(values));
    }
};

static poplin::ConvParams small()
{
    return poplin::ConvParams(FLOAT, 1, { 4 }, { 2 }, 1, 1, 1);
}

TEST(forward)
{
    Fixture fixture;
    poplin::PlanningCache cache;
    Tensor in = poplin::createInput(fixture.graph, small(), "in", {}, &cache),
           weights = poplin::createWeights(fixture.graph, small(), "w", {}, &cache);
    fixture.fill(in, { 1, 2, 3, 4 });
    fixture.fill(weights, { 10, 1 });
    Tensor out = poplin::createConvOutput(fixture.graph, small(), "out");
    poplin::convolutionWithOutput(fixture.graph, in, weights, out, small(), false, fixture.prog, "conv", {}, &cache);
    Tensor biases = poplin::createBiases(fixture.graph, out),
           others = poplin::createBiases(fixture.graph, out, small(), "others");
    fixture.fill(biases, { 0.5f });
    CHECK(others.numElements() == 1);
    poplin::convolutionBiasUpdate(fixture.graph, out, biases, 2.0f, {}, fixture.prog, "bias");
    poplin::addBias(fixture.graph, out, biases, fixture.prog, "bias");
    CHECK(fixture.run(out) == std::vector<float>({ 12 + 138.5f, 23 + 138.5f, 34 + 138.5f }));
}

TEST(backward)
{
    Fixture fixture;
    Tensor in = poplin::createInput(fixture.graph, small()), weights = poplin::createWeights(fixture.graph, small());
    fixture.fill(in, { 1, 2, 3, 4 });
    fixture.fill(weights, { 10, 1 });
    Tensor out = poplin::convolution(fixture.graph, in, weights, small(), false, fixture.prog, std::string("fwd"));
    Tensor back =
        poplin::convolution(fixture.graph, out, weights, poplin::getGradientParams(small()), true, fixture.prog, "bwd");
    Tensor deltas = poplin::calculateWeightDeltas(fixture.graph, out, in, small(), fixture.prog, "wu");
    poplin::convolutionWeightUpdate(fixture.graph, out, weights, in, small(), 1.0f, fixture.prog, "wu");
    Tensor scale = fixture.graph.addConstant<float>(FLOAT, { 1 }, -1.0f);
    fixture.graph.setTileMapping(scale, 0);
    poplin::convolutionWeightUpdate(fixture.graph, out, weights, in, small(), scale, fixture.prog, "wu");
    Tensor turned = poplin::createWeights(fixture.graph, poplin::getGradientParams(small()));
    poplin::weightsTransposeChansFlipXY(fixture.graph, weights, turned, fixture.prog);
    std::vector<poplar::program::Copy> before, after; // the form of 1.2
    const ComputeSet set = fixture.graph.addComputeSet("turn");
    Tensor again = fixture.graph.clone(turned, "again");
    poplin::weightsTransposeChansFlipXY(fixture.graph, weights, again, before, set, after, std::string("turn"));
    CHECK(before.empty() && after.size() == 1);
    fixture.prog.add(Execute(set));
    fixture.prog.add(after[0]);
    CHECK_THROWS(poplin::weightsTransposeChansFlipXY(fixture.graph, weights, turned.flatten(), before, set, after),
                 poputil::poplibs_error, "weightsOut has another shape");
    poplin::ConvParams layer(FLOAT, 1, { 3 }, { 1 }, 2, 1, 1);
    Tensor rows = fixture.graph.addConstant<float>(FLOAT, { 1, 2, 3 }, { 1, 2, 3, 4, 5, 6 });
    fixture.graph.setTileMapping(rows, 0);
    Tensor columns = poplin::fullyConnectedWeightTranspose(fixture.graph, rows, layer, fixture.prog);
    CHECK(fixture.run(
              concat({ back.flatten(), deltas.flatten(), turned.flatten(), columns.flatten(), again.flatten() })) ==
          std::vector<float>({ 120, 242, 363, 34, 160, 229, 1, 10, 1, 4, 2, 5, 3, 6, 1, 10 }));
}

TEST(several)
{
    namespace mc = poplin::multiconv;
    Fixture fixture;
    std::vector<mc::CreateTensorArgs> create = { { small(), {}, "a" }, { small(), {}, "b" } };
    std::vector<mc::ConvolutionArgs> args;
    std::vector<mc::CalculateWeightDeltasArgs> update;
    std::vector<Tensor> weights;
    for (unsigned i = 0; i < 2; ++i) {
        args.push_back(
            { mc::createInput(fixture.graph, create, i), mc::createWeights(fixture.graph, create, i), small(), {} });
        fixture.fill(args[i].inputs, { 1, 2, 3, 4 });
        fixture.fill(args[i].weights, { i ? 2.0f : 1.0f, 0 });
        weights.push_back(args[i].weights);
    }
    std::vector<Tensor> out =
        mc::convolution(fixture.graph, args, false, fixture.prog, "multi", { { "planType", "serial" } });
    for (unsigned i = 0; i < 2; ++i)
        update.push_back({ out[i], args[i].inputs, small(), {} });
    std::vector<Tensor> deltas = mc::calculateWeightDeltas(fixture.graph, update, fixture.prog);
    mc::convolutionWeightUpdate(
        fixture.graph,
        std::vector<mc::ConvWeightUpdateArgsScalar>{ { out[0], weights[0], args[0].inputs, 1, small(), {} } },
        fixture.prog);
    Tensor scale = fixture.graph.addConstant<float>(FLOAT, { 1 }, 2.0f);
    fixture.graph.setTileMapping(scale, 0);
    mc::convolutionWeightUpdate(
        fixture.graph,
        std::vector<mc::ConvWeightUpdateArgs>{ { out[0], weights[1], args[0].inputs, scale, small(), {} } },
        fixture.prog);
    for (mc::ConvolutionArgs &each : args)
        each.params = poplin::getGradientParams(small());
    mc::weightsTransposeChansFlipXY(fixture.graph, args, weights, fixture.prog);
    CHECK_THROWS(mc::createInput(fixture.graph, create, 2), poputil::poplibs_error, "there are 2");
    CHECK_THROWS(mc::convolution(fixture.graph, args, true, fixture.prog, "multi", { { "planType", "both" } }),
                 invalid_option, "planType");
    CHECK(fixture.run(concat(
              { out[1].flatten(), deltas[1].flatten(), args[0].weights.flatten(), args[1].weights.flatten() })) ==
          std::vector<float>({ 2, 4, 6, 28, 40, 20, 15, 40, 30 }));
}

// Four convolutions of one channel: sum i of in[row + k, column + l] * weights[k, l], on the CPU and by the method
// VMAC.
TEST(depthwise)
{
    IPUModel model;
    model.tilesPerIPU = 4;
    const poplin::ConvParams params(HALF, FLOAT, 1, { 3, 4 }, { 2, 3 }, 1, 1, 4);
    std::vector<float> values(48), factors(24), wanted;
    for (unsigned i = 0; i < 48; ++i)
        values[i] = (float)(i % 7);
    for (unsigned i = 0; i < 24; ++i)
        factors[i] = (float)(i % 5) - 2;
    for (unsigned g = 0; g < 4; ++g)
        for (unsigned at = 0; at < 4; ++at) {
            float sum = 0;
            for (unsigned k = 0; k < 6; ++k)
                sum += values[g * 12 + (at / 2 + k / 3) * 4 + at % 2 + k % 3] * factors[g * 6 + k];
            wanted.push_back(sum);
        }
    for (bool onModel : { false, true }) {
        Fixture fixture(onModel ? model.createDevice({ { "poplibsRelease", "2021" } }) : Device::createCPUDevice());
        OptionFlags options;
        if (onModel)
            options.set("planConstraints", "{\"method\": \"VMAC\"}");
        Tensor in = poplin::createInput(fixture.graph, params, "in", options),
               weights = poplin::createWeights(fixture.graph, params, "w", options),
               given = fixture.graph.addConstant<float>(FLOAT, { 48 }, values.data()),
               kernel = fixture.graph.addConstant<float>(FLOAT, { 24 }, factors.data());
        fixture.graph.setTileMapping(given, 0);
        fixture.graph.setTileMapping(kernel, 0);
        fixture.prog.add(Copy(popops::cast(fixture.graph, given, HALF, fixture.prog).reshape(in.shape()), in));
        fixture.prog.add(
            Copy(popops::cast(fixture.graph, kernel, HALF, fixture.prog).reshape(weights.shape()), weights));
        CHECK(fixture.run(poplin::convolution(fixture.graph, in, weights, params, false, fixture.prog, "conv",
                                              options)) == wanted);
    }
}

TEST(errors)
{
    Fixture fixture;
    Tensor in = poplin::createInput(fixture.graph, small());
    CHECK_THROWS(poplin::convolution(fixture.graph, in, in, small(), false, fixture.prog), poputil::poplibs_error,
                 "weights: the shape is {1,1,4}");
    CHECK_THROWS(poplin::createInput(fixture.graph, small(), "in", { { "passs", "NONE" } }), invalid_option, "passs");
}

MAIN()
