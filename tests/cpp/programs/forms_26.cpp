// SPDX-License-Identifier: Apache-2.0
// A program with the forms of release 2.6: outputs that the program makes, mappings with offsets, expressions as text,
// real time steps of a GRU, histograms into a tensor, expansion of aliases.
// build: c++17
// libraries: -lpopnn -lpoplin -lpopops -lpoputil
#include <cmath>
#include <iostream>
#include <optional>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Gru.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/codelets.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

static std::optional<double> share;
static const poplibs::OptionSpec spec{ { "share", poplibs::createOptionalDoubleHandler(share, 0., true, 1., true) } };

int main()
{
    IPUModel model;
    model.tilesPerIPU = 4;
    auto device = model.createDevice();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    Sequence prog({}, DebugContext("prog"));

    spec.parse("share", "0.5");
    bool given = share && *share == 0.5;
    spec.parse("share", "none");

    auto x = graph.addVariable(FLOAT, { 8 }, "x"), levels = graph.addConstant<float>(FLOAT, { 2 }, { 2, 5 });
    auto mapping = poputil::calcLinearTileMapping(graph, x, 1);
    graph.setTileMapping(x, mapping);
    graph.setTileMapping(levels, 0);
    graph.setInitialValue(x, std::vector<float>{ 0, 1, 2, 3, 4, 5, 6, 7 });
    auto [twice, offset] = poputil::cloneAndExpandAliasing(graph, concat(x, x), 2, "twice");
    prog.add(Copy(concat(x, x), twice));
    auto sum = graph.clone(x, "sum");
    popops::mapWithOutput(graph, pe::_1 + pe::_2, { twice.slice(0, 8), twice.slice(8, 16) }, sum, prog, "sum");
    auto counts = graph.addVariable(UNSIGNED_INT, { 3 }, "counts");
    graph.setTileMapping(counts, 3);
    popops::histogram(graph, x, counts, false, levels, false, prog, "histogram",
                      { { "useFloatArithmeticWithUnsignedIntOutput", "true" } });

    popnn::gru::GruParams params(FLOAT, 2, 3, { 4, 5 });
    auto weights = popnn::gru::createWeights(graph, params, "weights", {}, nullptr);
    auto state = popnn::gru::createInitialState(graph, params, "state", {}, nullptr);
    auto in = popnn::gru::createInput(graph, params, "in", {}, nullptr);
    auto steps = graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 3, 1 });
    graph.setTileMapping(steps, 0);
    for (auto &t : { weights.inputWeights, weights.outputWeights, weights.biases, state, in })
        graph.setInitialValue(t, std::vector<float>(t.numElements(), 0.25f));
    auto attention = popnn::gru::createAttention(graph, params, "attention");
    graph.setInitialValue(attention, std::vector<float>(6, 1));
    auto out = popnn::gru::auGruFwd(graph, params, state, in, steps, weights, nullptr, attention, prog, "gru");

    graph.createHostRead("sum", sum);
    graph.createHostRead("counts", counts);
    graph.createHostRead("out", out);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    std::vector<float> sums(8), outs(30);
    std::vector<unsigned> numbers(3);
    engine.readTensor("sum", sums.data(), sums.data() + sums.size());
    engine.readTensor("counts", numbers.data(), numbers.data() + numbers.size());
    engine.readTensor("out", outs.data(), outs.data() + outs.size());
    std::ostringstream text;
    text << pe::Add(pe::_1, pe::Const(2));
    bool right =
        given && !share && offset == 3 && mapping[1].size() == 1 && sums[7] == 14 && text.str().find("ADD(") == 0;
    right = right && numbers == std::vector<unsigned>{ 2, 3, 3 };
    // With attention 1 the output is the candidate; the second sequence has one step.
    right = right && outs[0] > 0 && outs[5] == outs[0] && outs[25] == 0 && outs[20] > 0;
    std::cout << text.str() << ' ' << sums[7] << ' ' << outs[0] << ' ' << outs[20] << ' ' << outs[25] << '\n';
    return right ? 0 : 1;
}
