// SPDX-License-Identifier: Apache-2.0
// A network as programs of SDK 1.x have it: names that are concatenated strings, reads with one pointer, profiles as
// values.
//
// build: c++11
#include "program.hpp"

#include <algorithm>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static Tensor layer(Graph &graph, Tensor in, unsigned channels, Sequence &prog, const std::string &debugPrefix = "")
{
    const std::size_t batch = in.dim(0), height = in.dim(2), width = in.dim(3);
    poplin::ConvParams params(in.elementType(), batch, { height, width }, { 3, 3 }, in.dim(1), channels, 1);
    std::fill(params.inputTransform.paddingLower.begin(), params.inputTransform.paddingLower.end(), 1);
    params.inputTransform.paddingUpper = { 1, 1 };
    Tensor weights = poplin::createWeights(graph, params, debugPrefix + "/weights");
    popops::zero(graph, weights, prog, debugPrefix + "/zero");
    Tensor out = poplin::convolution(graph, in, weights, params, false, prog, debugPrefix + "/conv");
    Tensor biases = poplin::createBiases(graph, out, debugPrefix + "/biases");
    graph.setInitialValue<float>(biases, std::vector<float>(channels, -0.5f));
    poplin::addBias(graph, out, biases, prog, debugPrefix);
    popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::SIGMOID, out, prog, debugPrefix);
    auto poolParams = popnn::pooling::PoolParams(popnn::PoolingType::MAX, { height, width }, { 2, 2 }, { 2, 2 },
                                                 { 0, 0 }, { 0, 0 }, channels, batch, in.elementType());
    return popnn::pooling::pool(graph, poolParams, out, prog, debugPrefix + "/pool");
}

int main()
{
    IPUModel ipuModel;
    ipuModel.numIPUs = 1;
    ipuModel.tilesPerIPU = 16;
    ipuModel.compileIPUCode = false;
    Device device = ipuModel.createDevice();
    Graph graph(device);
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    poprand::addCodelets(graph);

    Tensor in = graph.addVariable(FLOAT, { 1, 4, 8, 8 }, VariableMappingMethod::LINEAR, "in");
    graph.setInitialValue<float>(in, std::vector<float>(in.numElements(), 1.0f));
    Sequence prog;
    Tensor a = layer(graph, in, 8, prog, "one"), b = layer(graph, a, 4, prog, std::string("two"));
    Tensor flat = b.reshape({ 1, b.numElements() });
    Tensor weights = poplin::createMatMulInputRHS(graph, FLOAT, { 1, flat.dim(1) }, { flat.dim(1), 10 }, "fc");
    popops::zero(graph, weights, prog, "zero");
    Tensor exponentials = popops::exp(graph, poplin::matMul(graph, flat, weights, prog, "fc"), prog, "exp");
    Tensor sum = popops::reduce(graph, b, { 0, 1, 2, 3 }, { popops::Operation::ADD, false }, prog, "sum");
    Tensor seeds = graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 1u, 2u });
    graph.setTileMapping(seeds, 0);
    Tensor drawn = poprand::uniform(graph, &seeds, 0, exponentials, FLOAT, 0.0, 1.0, prog, "drawn");
    graph.createHostRead("sum", sum);
    graph.createHostRead("exp", exponentials);
    graph.createHostRead("drawn", drawn);

    Engine engine(
        graph, prog,
        OptionFlags{ { "target.textSectionSizeInBytes", "0x9000" }, { "debug.executionProfile", "compute_sets" } });
    engine.load(device);
    engine.run(0);
    host::Values sums(1), ones(10), numbers(10);
    engine.readTensor("sum", sums.data());
    engine.readTensor("exp", ones.data());
    engine.readTensor("drawn", numbers.data());
    host::near("sum", sums, std::vector<double>(1, 16 / (1 + std::exp(0.5))));
    host::near("exp", ones, std::vector<double>(10, 1));
    host::check(*std::min_element(numbers.begin(), numbers.end()) >= 0 &&
                    *std::max_element(numbers.begin(), numbers.end()) <= 1,
                "drawn numbers");

    std::stringstream summary;
    auto graphProfile = engine.getGraphProfile();
    auto executionProfile = engine.getExecutionProfile();
    printProfileSummary(summary, graphProfile, executionProfile, { { "showVarStorage", "false" } });
    host::check(summary.str().find("Memory Usage:") != std::string::npos, "the summary of the profile");
    return host::failed();
}
