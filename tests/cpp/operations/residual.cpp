// SPDX-License-Identifier: Apache-2.0
// A residual block with strides, batch norm and a projected shortcut, its weights drawn on the device; then pooling.
//
// build: c++17
#include "program.hpp"

#include <algorithm>
#include <poplin/Convolution.hpp>
#include <poplin/codelets.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Norms.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

namespace
{

constexpr std::size_t batch = 2, size = 8, channels = 16;

class Network
{
  public:
    Network(const Target &target, const Type &type_) : graph(target), type(type_)
    {
        poplin::addCodelets(graph);
        popops::addCodelets(graph);
        popnn::addCodelets(graph);
        poprand::addCodelets(graph);
        seed = graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 11, 12 }, "seed");
        graph.setTileMapping(seed, 0);
    }
    Tensor conv(const Tensor &in, std::size_t outs, unsigned kernel, unsigned stride, const std::string &name)
    {
        const unsigned pad = (kernel - 1) / 2;
        using Params = poplin::ConvParams;
        const Params params(
            type, in.dim(0), { in.dim(2), in.dim(3) }, { kernel, kernel }, in.dim(1), outs, 1,
            Params::InputTransform({ 0, 0 }, { 0, 0 }, { 1, 1 }, { pad, pad }, { pad, pad }, { false, false }),
            Params::InputTransform(2),
            Params::OutputTransform({ 0, 0 }, { 0, 0 }, { stride, stride }, { 0, 0 }, { 0, 0 }));
        Tensor weights = poplin::createWeights(graph, params, name + "/w", options, &cache);
        init.add(
            Copy(poprand::truncatedNormal(graph, &seed, ++modifier, weights, type, 0.0, 0.2, 2.0, init, name + "/init"),
                 weights));
        Tensor out = poplin::convolution(graph, in, weights, params, false, prog, name, options, &cache);
        const auto stats =
            popnn::bn::batchNormStatistics(graph, out, 1e-4f, prog, false, false, FLOAT, name + "/stats");
        const auto affine = popnn::createNormParams(graph, out);
        popops::fill(graph, affine.first, init, 1.0f, name + "/gamma");
        popops::fill(graph, affine.second, init, 0.0f, name + "/beta");
        return popnn::bn::batchNormalise(graph, out, affine.first, affine.second, stats.first, stats.second, prog,
                                         name + "/bn")
            .first;
    }

    Graph graph;
    const Type type;
    Sequence init, prog;

  private:
    Tensor seed;
    uint32_t modifier = 0;
    poplin::PlanningCache cache;
    const OptionFlags options{ { "pass", "TRAINING_FWD" }, { "partialsType", "float" } };
};

void runIn(const Device &device, const Type &type)
{
    Network net(device.getTarget(), type);
    Graph &graph = net.graph;
    Tensor x = graph.addVariable(type, { batch, 3, size, size }, VariableMappingMethod::LINEAR, "x");
    Tensor a = net.conv(x, channels, 3, 1, "stem");
    popnn::reluInPlace(graph, a, net.prog, "relu");
    Tensor shortcut = net.conv(a, channels, 1, 2, "shortcut"), block = net.conv(a, channels, 3, 2, "block");
    Tensor squares =
        popops::reduce(graph, shortcut, FLOAT, { 0, 2, 3 }, popops::Operation::SQUARE_ADD, net.prog, "squares");
    popops::addInPlace(graph, block, shortcut, net.prog, "add");
    popnn::reluInPlace(graph, block, net.prog, "relu");
    const popnn::pooling::PoolParams all(popnn::PoolingType::AVG, { size / 2, size / 2 }, { size / 2, size / 2 },
                                         { 1, 1 }, { 0, 0 }, { 0, 0 }, channels, batch, type);
    Tensor pooled = popops::cast(graph, popnn::pooling::pool(graph, all, block, net.prog, "pool"), FLOAT, net.prog);
    Tensor wide = popops::cast(graph, block, FLOAT, net.prog);
    host::check(pooled.shape() == std::vector<std::size_t>({ batch, channels, 1, 1 }),
                "pooled" + pooled.shapeToString());
    graph.createHostRead("squares", squares);
    graph.createHostRead("block", wide);
    graph.createHostRead("pooled", pooled);
    DataStream in = graph.addHostToDeviceFIFO("in", type, x.numElements());
    Engine engine(graph, { net.init, Sequence(Copy(in, x), net.prog) });

    auto values = host::random(x.numElements());
    std::vector<char> halves(values.size() * device.getTarget().getTypeSize(HALF));
    copyFloatToDeviceHalf(device.getTarget(), values.data(), halves.data(), values.size());
    if (type == HALF)
        engine.connectStream("in", halves.data());
    else
        engine.connectStream("in", values.data());
    engine.load(device);
    engine.run(0);
    engine.run(1);
    const std::size_t field = size * size / 4;
    host::near("variances are 1", host::read(engine, "squares", channels), host::Values(channels, batch * field), 2e-2);
    const auto outs = host::read(engine, "block", batch * channels * field);
    host::check(*std::min_element(outs.begin(), outs.end()) == 0, "relu");
    std::vector<double> means(batch * channels);
    for (std::size_t i = 0; i < outs.size(); ++i)
        means[i / field] += outs[i] / static_cast<double>(field);
    host::near("means", host::read(engine, "pooled", batch * channels), means, type == HALF ? 1e-2 : 1e-4);
}

} // namespace

int main()
{
    return host::onDevices(12, [](const Device &device) {
        runIn(device, FLOAT);
        runIn(device, HALF);
    });
}
