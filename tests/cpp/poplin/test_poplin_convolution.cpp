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

#include "bed.hpp"
#include "check.hpp"

using namespace poplar;
using namespace poplar::program;

struct Bed : TestBed {
    explicit Bed(Device on = Device::createCPUDevice()) : TestBed(std::move(on))
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
    Bed bed;
    poplin::PlanningCache cache;
    Tensor in = poplin::createInput(bed.graph, small(), "in", {}, &cache),
           weights = poplin::createWeights(bed.graph, small(), "w", {}, &cache);
    bed.fill(in, { 1, 2, 3, 4 });
    bed.fill(weights, { 10, 1 });
    Tensor out = poplin::createConvOutput(bed.graph, small(), "out");
    poplin::convolutionWithOutput(bed.graph, in, weights, out, small(), false, bed.prog, "conv", {}, &cache);
    Tensor biases = poplin::createBiases(bed.graph, out),
           others = poplin::createBiases(bed.graph, out, small(), "others");
    bed.fill(biases, { 0.5f });
    CHECK(others.numElements() == 1);
    poplin::convolutionBiasUpdate(bed.graph, out, biases, 2.0f, {}, bed.prog, "bias");
    poplin::addBias(bed.graph, out, biases, bed.prog, "bias");
    CHECK(bed.run(out) == std::vector<float>({ 12 + 138.5f, 23 + 138.5f, 34 + 138.5f }));
}

TEST(backward)
{
    Bed bed;
    Tensor in = poplin::createInput(bed.graph, small()), weights = poplin::createWeights(bed.graph, small());
    bed.fill(in, { 1, 2, 3, 4 });
    bed.fill(weights, { 10, 1 });
    Tensor out = poplin::convolution(bed.graph, in, weights, small(), false, bed.prog, std::string("fwd"));
    Tensor back =
        poplin::convolution(bed.graph, out, weights, poplin::getGradientParams(small()), true, bed.prog, "bwd");
    Tensor deltas = poplin::calculateWeightDeltas(bed.graph, out, in, small(), bed.prog, "wu");
    poplin::convolutionWeightUpdate(bed.graph, out, weights, in, small(), 1.0f, bed.prog, "wu");
    Tensor scale = bed.graph.addConstant<float>(FLOAT, { 1 }, -1.0f);
    bed.graph.setTileMapping(scale, 0);
    poplin::convolutionWeightUpdate(bed.graph, out, weights, in, small(), scale, bed.prog, "wu");
    Tensor turned = poplin::createWeights(bed.graph, poplin::getGradientParams(small()));
    poplin::weightsTransposeChansFlipXY(bed.graph, weights, turned, bed.prog);
    std::vector<poplar::program::Copy> before, after; // the form of 1.2
    const ComputeSet set = bed.graph.addComputeSet("turn");
    Tensor again = bed.graph.clone(turned, "again");
    poplin::weightsTransposeChansFlipXY(bed.graph, weights, again, before, set, after, std::string("turn"));
    CHECK(before.empty() && after.size() == 1);
    bed.prog.add(Execute(set));
    bed.prog.add(after[0]);
    CHECK_THROWS(poplin::weightsTransposeChansFlipXY(bed.graph, weights, turned.flatten(), before, set, after),
                 poputil::poplibs_error, "weightsOut has another shape");
    poplin::ConvParams layer(FLOAT, 1, { 3 }, { 1 }, 2, 1, 1);
    Tensor rows = bed.graph.addConstant<float>(FLOAT, { 1, 2, 3 }, { 1, 2, 3, 4, 5, 6 });
    bed.graph.setTileMapping(rows, 0);
    Tensor columns = poplin::fullyConnectedWeightTranspose(bed.graph, rows, layer, bed.prog);
    CHECK(bed.run(concat({ back.flatten(), deltas.flatten(), turned.flatten(), columns.flatten(), again.flatten() })) ==
          std::vector<float>({ 120, 242, 363, 34, 160, 229, 1, 10, 1, 4, 2, 5, 3, 6, 1, 10 }));
}

TEST(several)
{
    namespace mc = poplin::multiconv;
    Bed bed;
    std::vector<mc::CreateTensorArgs> create = { { small(), {}, "a" }, { small(), {}, "b" } };
    std::vector<mc::ConvolutionArgs> args;
    std::vector<mc::CalculateWeightDeltasArgs> update;
    std::vector<Tensor> weights;
    for (unsigned i = 0; i < 2; ++i) {
        args.push_back({ mc::createInput(bed.graph, create, i), mc::createWeights(bed.graph, create, i), small(), {} });
        bed.fill(args[i].inputs, { 1, 2, 3, 4 });
        bed.fill(args[i].weights, { i ? 2.0f : 1.0f, 0 });
        weights.push_back(args[i].weights);
    }
    std::vector<Tensor> out = mc::convolution(bed.graph, args, false, bed.prog, "multi", { { "planType", "serial" } });
    for (unsigned i = 0; i < 2; ++i)
        update.push_back({ out[i], args[i].inputs, small(), {} });
    std::vector<Tensor> deltas = mc::calculateWeightDeltas(bed.graph, update, bed.prog);
    mc::convolutionWeightUpdate(
        bed.graph,
        std::vector<mc::ConvWeightUpdateArgsScalar>{ { out[0], weights[0], args[0].inputs, 1, small(), {} } },
        bed.prog);
    Tensor scale = bed.graph.addConstant<float>(FLOAT, { 1 }, 2.0f);
    bed.graph.setTileMapping(scale, 0);
    mc::convolutionWeightUpdate(
        bed.graph, std::vector<mc::ConvWeightUpdateArgs>{ { out[0], weights[1], args[0].inputs, scale, small(), {} } },
        bed.prog);
    for (mc::ConvolutionArgs &each : args)
        each.params = poplin::getGradientParams(small());
    mc::weightsTransposeChansFlipXY(bed.graph, args, weights, bed.prog);
    CHECK_THROWS(mc::createInput(bed.graph, create, 2), poputil::poplibs_error, "there are 2");
    CHECK_THROWS(mc::convolution(bed.graph, args, true, bed.prog, "multi", { { "planType", "both" } }), invalid_option,
                 "planType");
    CHECK(bed.run(concat({ out[1].flatten(), deltas[1].flatten(), args[0].weights.flatten(),
                           args[1].weights.flatten() })) == std::vector<float>({ 2, 4, 6, 28, 40, 20, 15, 40, 30 }));
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
        Bed bed(onModel ? model.createDevice({ { "poplibsRelease", "2021" } }) : Device::createCPUDevice());
        OptionFlags options;
        if (onModel)
            options.set("planConstraints", "{\"method\": \"VMAC\"}");
        Tensor in = poplin::createInput(bed.graph, params, "in", options),
               weights = poplin::createWeights(bed.graph, params, "w", options),
               given = bed.graph.addConstant<float>(FLOAT, { 48 }, values.data()),
               kernel = bed.graph.addConstant<float>(FLOAT, { 24 }, factors.data());
        bed.graph.setTileMapping(given, 0);
        bed.graph.setTileMapping(kernel, 0);
        bed.prog.add(Copy(popops::cast(bed.graph, given, HALF, bed.prog).reshape(in.shape()), in));
        bed.prog.add(Copy(popops::cast(bed.graph, kernel, HALF, bed.prog).reshape(weights.shape()), weights));
        CHECK(bed.run(poplin::convolution(bed.graph, in, weights, params, false, bed.prog, "conv", options)) == wanted);
    }
}

TEST(errors)
{
    Bed bed;
    Tensor in = poplin::createInput(bed.graph, small());
    CHECK_THROWS(poplin::convolution(bed.graph, in, in, small(), false, bed.prog), poputil::poplibs_error,
                 "weights: the shape is {1,1,4}");
    CHECK_THROWS(poplin::createInput(bed.graph, small(), "in", { { "passs", "NONE" } }), invalid_option, "passs");
}

MAIN()
