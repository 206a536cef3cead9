// SPDX-License-Identifier: Apache-2.0
// Inference with weights that are constants of the graph, as importers of trained networks create them.
//
// build: c++14
#include "program.hpp"

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

namespace
{

Tensor frozen(Graph &graph, const std::vector<std::size_t> &shape, const host::Values &values)
{
    Tensor t = graph.addConstant(FLOAT, shape, values.data(), "frozen");
    poputil::mapTensorLinearly(graph, t);
    return t;
}

const std::size_t batch = 2, channels = 3, size = 6, outs = 4, kernel = 3, classes = 5;

std::vector<double> onHost(const host::Values &x, const host::Values &w, const host::Values &bias,
                           const host::Values &dense)
{
    std::vector<double> y(batch * outs * size * size);
    for (std::size_t at = 0; at < y.size(); ++at) {
        const std::size_t n = at / (outs * size * size), o = at / (size * size) % outs, row = at / size % size,
                          column = at % size;
        y[at] = bias[o];
        for (std::size_t i = 0; i < channels * kernel * kernel; ++i) {
            const std::size_t c = i / (kernel * kernel), r = row + i / kernel % kernel - 1, q = column + i % kernel - 1;
            if (r < size && q < size) /* -1 is large */
                y[at] += x[((n * channels + c) * size + r) * size + q] * w[o * channels * kernel * kernel + i];
        }
        y[at] = std::fmax(y[at], 0);
    }
    return host::product(y, dense, batch, outs * size * size, classes);
}

void run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    const auto w = host::random(outs * channels * kernel * kernel), bias = host::random(outs),
               dense = host::random(outs * size * size * classes);

    poplin::ConvParams params(FLOAT, batch, { size, size }, { kernel, kernel }, channels, outs, 1);
    params.inputTransform.paddingLower = params.inputTransform.paddingUpper = { 1, 1 };
    Sequence prog;
    Tensor x = poplin::createInput(graph, params, "x");
    Tensor y = poplin::convolution(graph, x, frozen(graph, { 1, outs, channels, kernel, kernel }, w), params, false,
                                   prog, "conv");
    poplin::addBias(graph, y, frozen(graph, { outs }, bias), prog, "bias");
    popnn::reluInPlace(graph, y, prog, "relu");
    Tensor logits =
        poplin::matMul(graph, y.flatten(1, 4), frozen(graph, { outs * size * size, classes }, dense), prog, "dense");
    graph.createHostWrite("x", x);
    graph.createHostRead("logits", logits);

    Engine engine(graph, prog);
    engine.load(device);
    const auto given = host::random(batch * channels * size * size);
    host::write(engine, "x", given);
    engine.run(0);
    host::near("logits", host::read(engine, "logits", batch * classes), onHost(given, w, bias, dense), 1e-4, 1e-4);
}

} // namespace

int main()
{
    return host::onDevices(8, run);
}
