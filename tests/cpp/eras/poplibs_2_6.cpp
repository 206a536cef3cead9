// SPDX-License-Identifier: Apache-2.0
// Operations in the forms of release 2.6: outputs of the caller's, poplin::PlanningCache, 8-bit floats with metadata,
// grouped slices, the last state of an LSTM.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>
#include <vector>

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

namespace
{

poplar::DebugContext named(const char *name)
{
    return { poplar::DebugNameAndId(name) };
}

Tensor filled(poplar::Graph &graph, const poplar::Type &type, std::vector<std::size_t> shape, float value)
{
    const Tensor t = graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, named("filled"));
    graph.setInitialValue(t, std::vector<float>(t.numElements(), value));
    return t;
}

} // namespace

int main()
{
    namespace pe = popops::expr;
    poplar::IPUModel model;
    model.tilesPerIPU = 4;
    const auto device = model.createDevice();
    poplar::Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    poplar::program::Sequence prog({}, named("era"));
    std::vector<Tensor> results;
    poplin::PlanningCache cache;

    // A product and a convolution into outputs that exist.
    const Tensor a = poplin::createMatMulInputLHS(graph, FLOAT, FLOAT, { 2, 3 }, { 3, 4 }, named("a"), {}, &cache),
                 b = poplin::createMatMulInputRHS(graph, FLOAT, FLOAT, { 2, 3 }, { 3, 4 }, named("b"), {}, &cache);
    Tensor c = poplin::createMatMulOutput(graph, FLOAT, FLOAT, { 2, 3 }, { 3, 4 }, named("c"), {}, &cache);
    graph.setInitialValue(a, std::vector<float>(6, 0.5f));
    graph.setInitialValue(b, std::vector<float>(12, 4.0f));
    poplin::matMulWithOutput(graph, a, b, c, prog, named("product"), {}, &cache);
    const poplin::ConvParams params(FLOAT, 1, { 3, 3 }, { 2, 2 }, 1, 1, 1);
    const Tensor in = poplin::createInput(graph, params, named("in"), {}, &cache),
                 weights = poplin::createWeights(graph, params, named("weights"), {}, &cache),
                 out = poplin::createConvOutput(graph, params, named("out"), {}, &cache);
    graph.setInitialValue(in, std::vector<float>(9, 1.5f));
    graph.setInitialValue(weights, std::vector<float>(4, 2.0f));
    poplin::convolutionWithOutput(graph, in, weights, out, params, false, prog, named("convolution"), {}, &cache);
    results.push_back(c[0].slice(0, 1));
    results.push_back(out.flatten().slice(0, 1));

    // Expressions into outputs that exist.
    const Tensor x = filled(graph, FLOAT, { 5 }, 3), y = graph.clone(x, named("y")), z = graph.clone(x, named("z"));
    popops::mapWithOutput(graph, pe::Mul(pe::_1, pe::Const(2.0f)), { x }, y, prog, named("twice"));
    popops::maxWithOutput(graph, y, 7.0f, z, prog, named("max"));
    results.push_back(y.slice(0, 1));
    results.push_back(z.slice(0, 1));

    // 8-bit floats: 0.75 of format F143 and scale -2 is kept exactly, and 100 ends at 240 / 4.
    const Tensor metadata =
        poplar::createVariableMetadataTensor(graph, poplar::QuarterMetadata::Format::F143, -2, named("metadata"));
    const Tensor eighths =
        popops::cast(graph, filled(graph, HALF, { 2 }, 0.75f), poplar::QUARTER, metadata, prog, named("narrow"));
    results.push_back(popops::cast(graph, eighths, FLOAT, prog, named("widen")).slice(0, 1));

    // Groups of tables: rows 1 and 0 of two tables get sums of updates.
    const Tensor tables = popops::createGroupedSliceableTensor(graph, FLOAT, 2, { 4, 3 }, { 0 }, { 1 },
                                                               popops::SlicePlan(), {}, named("tables")),
                 updates = filled(graph, FLOAT, { 2, 2, 1, 3 }, 1.25f),
                 rows = graph.addConstant<unsigned>(poplar::UNSIGNED_INT, { 2, 2, 1 }, { 1, 1, 0, 1 }, named("rows")),
                 one = graph.addConstant(FLOAT, {}, 1.0f, named("one"));
    graph.setTileMapping(rows, 0);
    graph.setTileMapping(one, 0);
    graph.setInitialValue(tables, std::vector<float>(24, 10.0f));
    popops::groupedMultiUpdateAdd(graph, tables, updates, rows, one, { 0 }, { 1 }, prog, popops::SlicePlan(), {},
                                  named("add"));
    results.push_back(tables[0][1].slice(0, 1));
    results.push_back(tables[1][0].slice(0, 1));

    // The next operation's tensors begin where those of this one end.
    const auto mapped = poputil::calcLinearTileMappingAndNewOffset(graph, x, 1);
    const auto copied = poputil::cloneAndExpandAliasing(graph, poplar::concat(x, x), 3, named("expanded"));
    if (mapped.second >= 4 || copied.first.containsAliases())
        return 1;

    // The state at the last step of each sequence.
    popnn::lstm::LstmParams lstm(FLOAT, 1, 2, { 2, 2 });
    lstm.preserveFinalState = true;
    lstm.rnn.varTimeSteps = graph.addConstant(poplar::UNSIGNED_INT, { 1 }, 1u, named("steps"));
    graph.setTileMapping(lstm.rnn.varTimeSteps, 0);
    const auto state = popnn::lstm::createInitialState(graph, lstm, named("state"), {}, &cache);
    const auto cell = popnn::lstm::createWeights(graph, lstm, named("cell"), {}, &cache);
    const Tensor sequence = popnn::lstm::createInput(graph, lstm, named("sequence"), {}, &cache);
    for (const Tensor &t :
         { state.output, state.cellState, cell.inputWeights, cell.outputWeights, cell.biases, sequence })
        graph.setInitialValue(t, std::vector<float>(t.numElements(), 0));
    graph.setInitialValue(state.cellState, std::vector<float>(2, 1.0f));
    results.push_back(popnn::lstm::lstmFwd(graph, lstm, state, sequence, cell, nullptr, prog, named("lstm"), {}, &cache)
                          .second.flatten()
                          .slice(0, 1)); // half of the cell's state before: the gates are sigmoid(0)

    graph.createHostRead("results", poplar::concat(results));
    poplar::Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    std::vector<float> values(results.size());
    engine.readTensor("results", values.data(), values.data() + values.size());
    for (const float value : values)
        std::cout << value << " ";
    std::cout << "\n";
}
