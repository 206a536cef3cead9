// SPDX-License-Identifier: Apache-2.0
// Attention with two heads and layer norm, written with basic operations, in float and in half.
//
// build: c++17
#include "program.hpp"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Norms.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/codelets.hpp>

using namespace poplar;
using namespace poplar::program;

namespace
{

constexpr std::size_t batch = 2, steps = 6, hidden = 8, heads = 2, width = hidden / heads;
constexpr float epsilon = 1e-5f;

class Attention
{
  public:
    Attention(Graph &graph_, Type type_, poplin::PlanningCache &cache_) : graph(graph_), type(type_), cache(cache_)
    {
    }

    Tensor operator()(const Tensor &x, const Tensor &qkv, const Tensor &project, Sequence &prog,
                      const DebugNameAndId &dnai) const
    {
        Tensor flat = x.reshapePartial(0, 2, { batch * steps });
        Tensor all = poplin::matMul(graph, flat, qkv, prog, type, { dnai, "qkv" }, options, &cache);
        Tensor q = split(all.slice(0, hidden, 1)), k = split(all.slice(hidden, 2 * hidden, 1));
        Tensor v = split(all.slice({ 0, 2 * hidden }, { batch * steps, 3 * hidden }));
        Tensor scores =
            poplin::matMulGrouped(graph, q, k.dimShuffle({ 0, 2, 1 }), prog, type, { dnai, "scores" }, options, &cache);
        popops::mulInPlace(graph, scores, 1 / std::sqrt(static_cast<float>(width)), prog, { dnai, "scale" });
        popnn::softmaxStableInPlace(graph, scores, prog, { dnai, "softmax" });
        Tensor heard = poplin::matMulGrouped(graph, scores, v, prog, type, { dnai, "heard" }, options, &cache);
        heard =
            heard.reshapePartial(0, 1, { batch, heads }).dimShuffle({ 0, 2, 1, 3 }).reshape({ batch * steps, hidden });
        Tensor y = poplin::matMul(graph, heard, project, prog, type, { dnai, "project" }, options, &cache);
        popops::addInPlace(graph, y, flat, prog, { dnai, "residual" });
        return y;
    }

  private:
    static Tensor split(const Tensor &t)
    {
        return t.reshape({ batch, steps, heads, width })
            .dimShuffle({ 0, 2, 1, 3 })
            .reshape({ batch * heads, steps, width });
    }

    Graph &graph;
    Type type;
    poplin::PlanningCache &cache;
    OptionFlags options{ { "partialsType", "float" }, { "availableMemoryProportion", "0.3" } };
};

// One row of the batch, from the products with the weights of q, k and v.
std::vector<double> heardBy(const std::vector<double> &all, std::size_t row)
{
    const std::size_t begin = row / steps * steps;
    std::vector<double> heard(hidden);
    for (std::size_t h = 0; h < heads; ++h) {
        std::vector<double> share(steps);
        double sum = 0;
        for (std::size_t s = 0; s < steps; ++s) {
            for (std::size_t d = h * width; d < h * width + width; ++d)
                share[s] += all[row * 3 * hidden + d] * all[(begin + s) * 3 * hidden + hidden + d];
            sum += share[s] = std::exp(share[s] / std::sqrt(static_cast<double>(width)));
        }
        for (std::size_t d = h * width; d < h * width + width; ++d)
            for (std::size_t s = 0; s < steps; ++s)
                heard[d] += share[s] / sum * all[(begin + s) * 3 * hidden + 2 * hidden + d];
    }
    return heard;
}
std::vector<double> onHost(const host::Values &x, const host::Values &qkv, const host::Values &project)
{
    const auto all = host::product(x, qkv, batch * steps, hidden, 3 * hidden);
    std::vector<double> result;
    for (std::size_t row = 0; row < batch * steps; ++row) {
        auto y = host::product(heardBy(all, row), project, 1, hidden, hidden);
        double mean = 0, variance = 0;
        for (std::size_t i = 0; i < hidden; ++i)
            mean += (y[i] += x[row * hidden + i]) / hidden;
        for (double value : y)
            variance += (value - mean) * (value - mean) / hidden;
        for (double value : y)
            result.push_back(2 * (value - mean) / std::sqrt(variance + epsilon) + 1);
    }
    return result;
}

void runIn(const Device &device, const Type &type)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    Tensor x = graph.addVariable(FLOAT, { batch, steps, hidden }, VariableMappingMethod::LINEAR, "x");
    Tensor qkv = graph.addVariable(FLOAT, { hidden, 3 * hidden }, VariableMappingMethod::LINEAR, "qkv");
    Tensor project = graph.addVariable(FLOAT, { hidden, hidden }, VariableMappingMethod::LINEAR, "project");

    Sequence prog;
    poplin::PlanningCache cache;
    const DebugNameAndId dnai{ "layer0" };
    const auto cast = [&](const Tensor &t) { return popops::cast(graph, t, type, prog, { dnai, "cast" }); };
    Tensor y = Attention(graph, type, cache)(cast(x), cast(qkv), cast(project), prog, { dnai, "attention" });
    const auto [mean, invStdDev] =
        popnn::ln::layerNormStatistics(graph, y, epsilon, prog, false, true, FLOAT, { dnai, "norm" });
    const auto [gamma, beta] = popnn::createNormParams(graph, y, { dnai, "norm" });
    popops::fill(graph, gamma, prog, 2.0f, { dnai, "gamma" });
    popops::fill(graph, beta, prog, 1.0f, { dnai, "beta" });
    Tensor normal = popnn::ln::layerNormalise(graph, y, gamma, beta, mean, invStdDev, prog, { dnai, "norm" }).first;
    graph.createHostWrite("x", x);
    graph.createHostWrite("qkv", qkv);
    graph.createHostWrite("project", project);
    graph.createHostRead("y", popops::cast(graph, normal, FLOAT, prog));

    Engine engine(graph, prog);
    engine.load(device);
    const auto xv = host::random(batch * steps * hidden), qkvv = host::random(3 * hidden * hidden),
               projectv = host::random(hidden * hidden);
    host::write(engine, "x", xv);
    host::write(engine, "qkv", qkvv);
    host::write(engine, "project", projectv);
    engine.run(0);
    const bool half = type == HALF;
    host::near(half ? "half" : "float", host::read(engine, "y", xv.size()), onHost(xv, qkvv, projectv),
               half ? 2e-2 : 1e-3, half ? 3e-2 : 1e-3);
}

} // namespace

int main()
{
    return host::onDevices(12, [](const Device &device) {
        runIn(device, FLOAT);
        runIn(device, HALF);
    });
}
