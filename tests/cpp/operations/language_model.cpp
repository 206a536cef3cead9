// SPDX-License-Identifier: Apache-2.0
// A language model: words looked up by a plan, an LSTM with the sizes of the second era (params.rnn), inference.
//
// build: c++14
#include <cmath>
#include <cstring>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/Rnn.hpp>
#include <popnn/codelets.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <random>
using namespace poplar;
using namespace poplar::program;

static const std::size_t vocab = 11, batch = 2, steps = 4, in = 6, out = 5;

// The outputs of all steps in double.
static std::vector<double> outputs(const std::vector<float> &t, const std::vector<unsigned> &id,
                                   const std::vector<float> &wi, const std::vector<float> &wo,
                                   const std::vector<float> &b)
{
    std::vector<double> all;
    std::vector<double> h(batch * out), c(batch * out);
    for (std::size_t s = 0; s < steps; ++s) {
        std::vector<double> nh(batch * out);
        for (std::size_t n = 0; n < batch; ++n)
            for (std::size_t o = 0; o < out; ++o) {
                double z[4];
                for (int u = 0; u < 4; ++u) {
                    z[u] = b[u * out + o];
                    for (std::size_t i = 0; i < in; ++i)
                        z[u] += (double)t[id[s * batch + n] * in + i] * wi[(u * in + i) * out + o];
                    for (std::size_t i = 0; i < out; ++i)
                        z[u] += h[n * out + i] * wo[(u * out + i) * out + o];
                }
                auto sg = [](double v) { return 1 / (1 + std::exp(-v)); };
                c[n * out + o] = sg(z[0]) * c[n * out + o] + sg(z[1]) * std::tanh(z[2]);
                nh[n * out + o] = sg(z[3]) * std::tanh(c[n * out + o]);
            }
        h = nh;
        all.insert(all.end(), h.begin(), h.end());
    }
    return all;
}

static int run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    poplin::PlanningCache cache;
    popnn::lstm::LstmParams params(FLOAT, batch, steps, { in, out });
    params.calcInputGradients = false;
    params.outputFullSequence = true;
    OptionFlags opts{ { "inferenceOnly", "true" },
                      { "partialsType", "float" },
                      { "availableMemoryProportion", "0.5" } };
    if (params.rnn.layerSizes != std::vector<std::size_t>{ in, out } || params.rnn.timeSteps != steps ||
        params.rnn.batchSize != batch)
        return 1;
    Sequence prog;
    auto plan = popops::embedding::plan(graph, FLOAT, vocab, in, { steps * batch }, {});
    Tensor table = popops::createSliceableTensor(graph, FLOAT, { vocab, in }, { 0 }, { 1 }, plan, {}, "table");
    Tensor ids = popops::createIndicesTensor(graph, { 0 }, steps * batch, plan, {}, "ids");
    Tensor x =
        popops::multiSlice(graph, table, ids, { 0 }, { 1 }, prog, plan, {}, "lookup").reshape({ steps, batch, in });
    auto weights = popnn::lstm::createWeights(graph, params, "weights", opts, &cache);
    auto state = popnn::lstm::createInitialState(graph, params, "state", opts, &cache);
    popnn::lstm::zeroInitialState(graph, state, prog, "zero");
    Tensor y, cell;
    std::tie(y, cell) = popnn::lstm::lstmFwd(graph, params, state, x, weights, nullptr, prog, "lstm", opts, &cache);
    graph.createHostWrite("table", table);
    graph.createHostWrite("ids", ids.flatten());
    graph.createHostWrite("wi", weights.inputWeights);
    graph.createHostWrite("wo", weights.outputWeights);
    graph.createHostWrite("b", weights.biases);
    graph.createHostRead("y", y);
    graph.createHostRead("c", cell);
    Engine engine(graph, prog);
    engine.load(device);
    std::mt19937 gen(3);
    std::uniform_real_distribution<float> d(-1, 1);
    std::vector<float> t(vocab * in), wi(4 * in * out), wo(4 * out * out), b(4 * out);
    for (auto *v : { &t, &wi, &wo, &b })
        for (auto &e : *v)
            e = d(gen);
    std::vector<unsigned> id(steps * batch);
    for (auto &e : id)
        e = gen() % vocab;
    engine.writeTensor("table", t.data(), t.data() + t.size());
    engine.writeTensor("ids", id.data(), id.data() + id.size());
    engine.writeTensor("wi", wi.data(), wi.data() + wi.size());
    engine.writeTensor("wo", wo.data(), wo.data() + wo.size());
    engine.writeTensor("b", b.data(), b.data() + b.size());
    engine.run(0);
    std::vector<float> hy(steps * batch * out);
    engine.readTensor("y", hy.data(), hy.data() + hy.size());
    double worst = 0;
    const std::vector<double> right = outputs(t, id, wi, wo, b);
    for (std::size_t i = 0; i < right.size(); ++i)
        worst = std::max(worst, std::abs(right[i] - hy[i]));
    std::cout << "worst " << worst << "\n";
    return worst < 1e-5 ? 0 : 1;
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 16;
    return run(Device::createCPUDevice()) + run(model.createDevice());
}
