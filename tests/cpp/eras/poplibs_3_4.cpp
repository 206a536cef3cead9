// SPDX-License-Identifier: Apache-2.0
// Operations in the forms of release 3.4: factorisations, splines, static sparse products, several expressions at once,
// products of rows, 8-bit products, host tensors at offsets.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/codelets.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <popsparse/codelets.hpp>

#include <iostream>
#include <vector>

using poplar::FLOAT;
using poplar::Tensor;

namespace
{

Tensor with(poplar::Graph &graph, std::vector<std::size_t> shape, const std::vector<float> &values)
{
    Tensor t = graph.addVariable(FLOAT, shape, poplar::VariableMappingMethod::LINEAR, { "values" });
    graph.setInitialValue(t, values);
    return t;
}

// L times U, and the length of R's diagonal element.
void factor(poplar::Graph &graph, poplar::program::Sequence &prog, std::vector<Tensor> &results)
{
    Tensor a = with(graph, { 2, 2 }, { 4, 2, 2, 3 });
    const auto lu = poplin::experimental::LUFactorization(graph, a, prog, { "lu" });
    results.push_back(poplin::matMul(graph, lu.first, lu.second, prog, FLOAT, { "again" }).flatten());
    auto qr = poplin::experimental::createQRFactorizationMatrices(graph, FLOAT, 2, 1, { "qr" });
    graph.setInitialValue(qr[0], std::vector<float>{ 3, 4 });
    graph.setInitialValue(qr[1], std::vector<float>{ 1, 0, 0, 1 });
    poplin::experimental::QRFactorization(graph, qr[0], qr[1], prog, { "qr" }, { { "rowsPerIteration", "16" } });
    results.push_back(popops::abs(graph, qr[0].flatten().slice(0, 1), prog, { "length" }));
}

// Two expressions of the same operands, updates of rows by products, a gather with options.
void slice(poplar::Graph &graph, poplar::program::Sequence &prog, std::vector<Tensor> &results)
{
    namespace pe = popops::expr;
    const Tensor x = with(graph, { 3, 2 }, { 1, 2, 3, 4, 5, 6 });
    const std::vector<pe::Any> both{ pe::Any(pe::_1 + pe::_1), pe::Any(pe::NearbyInt(pe::_1 * pe::Const(0.6f))) };
    for (const Tensor &t : popops::map(graph, both, { x }, prog, { "both" }))
        results.push_back(t[1]);
    const Tensor rows = graph.addConstant<unsigned>(poplar::UNSIGNED_INT, { 2, 1 }, { 1, 1 }, { "rows" }),
                 factors = with(graph, { 2, 1, 2 }, { 2, 2, 5, 5 });
    graph.setTileMapping(rows, 0);
    popops::multiUpdateMul(graph, x, factors, rows, { 0 }, { 1 }, prog, popops::SlicePlan(), poplar::OptionFlags(),
                           { "mul" });
    results.push_back(popops::gather(graph, x, rows.flatten(), 0, prog, popops::GatherParams(), { "gather" },
                                     { { "remapOutOfBoundIndices", "true" } })[0]);
    const auto host = popops::createHostSliceableTensor(graph, FLOAT, { 4, 8 }, true, 1024, { "host" });
    if (host.tensor.shape() != x.shape() && host.indices.numElements() != 4)
        throw poplar::poplar_error("a table of the host has an index for each row");
}

// Weights of the neighbours of 0.25 between two points: 0.75 and 0.25.
void spline(poplar::Graph &graph, poplar::program::Sequence &prog, std::vector<Tensor> &results)
{
    const Tensor points = graph.addConstant(poplar::INT, { 1 }, 2, { "points" }),
                 open = graph.addConstant(poplar::UNSIGNED_CHAR, { 1 }, 1, { "open" }),
                 basis = graph.addVariable(FLOAT, { 1, 2 }, poplar::VariableMappingMethod::LINEAR, { "basis" }),
                 index = graph.addVariable(poplar::INT, { 1, 2 }, poplar::VariableMappingMethod::LINEAR, { "index" });
    graph.setTileMapping(points, 0);
    graph.setTileMapping(open, 0);
    popops::splineBasis(graph, with(graph, { 1, 1 }, { 0.25f }), points, open, basis, index, 1, prog, { "spline" });
    results.push_back(basis.flatten());
}

// A product of 8-bit floats: 0.5 x 2, 16 times.
void multiply(poplar::Graph &graph, poplar::program::Sequence &prog, std::vector<Tensor> &results)
{
    std::vector<Tensor> sides;
    for (const float value : { 0.5f, 2.0f }) {
        const Tensor metadata =
            poplar::createConstantMetadataTensor(graph, poplar::QuarterMetadata::Format::F152, value < 1 ? 1 : -1);
        const Tensor side = with(graph, { 16 }, std::vector<float>(16, value));
        sides.push_back(popops::cast(graph, side, poplar::QUARTER, metadata, prog, { "narrow" }));
    }
    const Tensor product = poplin::matMul(graph, sides[0].reshape({ 1, 16 }), sides[1].reshape({ 16, 1 }), prog,
                                          poplar::HALF, { "product" }, { { "partialsType", "half" } });
    results.push_back(popops::cast(graph, product.flatten(), FLOAT, prog, { "widen" }));
}

} // namespace

int main()
{
    poplar::IPUModel model("ipu21");
    model.tilesPerIPU = 4;
    const auto device = model.createDevice();
    poplar::Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    popsparse::addCodelets(graph);
    poplar::program::Sequence prog({}, { "era" });
    std::vector<Tensor> results;
    factor(graph, prog, results);
    slice(graph, prog, results);
    spline(graph, prog, results);
    multiply(graph, prog, results);
    results.push_back(popnn::geluErf(graph, with(graph, { 1 }, { 0 }), prog, { "gelu" }));

    // A sparse matrix whose pattern is known: one element, 3, in the second row.
    const popsparse::CSRMatrix<float> pattern(2, 2, { 3 }, { 0 }, { 0, 0, 1 });
    const auto params = popsparse::static_::MatMulParams::createForSparseDense(1, 2, 2, 1);
    popsparse::static_::PlanningCache cache;
    const auto sparse =
        popsparse::static_::createSparseDenseMatMulLHS(graph, FLOAT, params, pattern, { "sparse" }, {}, &cache);
    const Tensor dense =
        popsparse::static_::createSparseDenseMatMulRHS(graph, FLOAT, params, pattern, { "dense" }, {}, &cache);
    graph.setInitialValue(dense, std::vector<float>{ 7, 1 });
    results.push_back(
        popsparse::static_::sparseDenseMatMul(graph, sparse, dense, prog, false, false, { "product" }, {}, &cache)
            .flatten());
    const popsparse::static_::Partitioner<float> partitioner(params, FLOAT, graph.getTarget(), {}, &cache);
    const auto entries = partitioner.createSparsityDataImpl(pattern);
    graph.createHostWrite("entries", sparse.getNzValuesTensor());

    const Tensor all = poplar::concat(results);
    graph.createHostRead("results", all);
    poplar::Engine engine(graph, prog);
    engine.load(device);
    engine.writeTensor("entries", entries.nzValues.data(), entries.nzValues.data() + entries.nzValues.size());
    engine.run(0);
    std::vector<float> values(all.numElements());
    engine.readTensor("results", values.data(), values.data() + values.size());
    for (const float value : values)
        std::cout << value << " ";
    std::cout << "\n";
}
