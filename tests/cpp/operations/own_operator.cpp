// SPDX-License-Identifier: Apache-2.0
// An operator with its own codelets besides those of popops, in the style of custom operators of frameworks.
//
// build: c++17
#include "program.hpp"

#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/codelets.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using namespace poputil;

namespace
{

constexpr std::size_t rows = 13, columns = 17;

void axpyRelu(Graph &graph, const Tensor &from, const Tensor &to, float a, Sequence &prog,
              const DebugContext &debugContext)
{
    if (from.shape() != to.shape())
        throw poplibs_error("axpyRelu: " + from.shapeToString() + " and " + to.shapeToString());
    const auto cs = graph.addComputeSet({ debugContext, "Axpy" });
    const auto &target = graph.getTarget();
    const auto type = from.elementType();
    const auto vectorWidth = target.getVectorWidth(type);
    auto x = from.flatten(), y = to.flatten();
    graph.reorderToSimplify(&y, { &x });
    const auto mapping = graph.getTileMapping(y);
    for (unsigned tile = 0; tile != mapping.size(); ++tile) {
        const auto contiguous = graph.getSortedContiguousRegions(y, mapping[tile]);
        for (const auto &regions : splitRegionsBetweenWorkers(target, contiguous, vectorWidth, 2 * vectorWidth)) {
            const auto share = concat(y.slices(regions));
            auto v = graph.addVertex(cs, templateVertex("mine::Axpy", type, true),
                                     { { "x", concat(x.slices(regions)) }, { "y", share } });
            graph.setInitialValue(v["a"], a);
            graph.setTileMapping(v, tile);
            graph.setPerfEstimate(v, 20 + 3 * share.numElements());
        }
    }
    prog.add(Execute(cs, debugContext));
}

void run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    graph.addCodelets("parts/axpy.cpp", CodeletFileType::Auto, "-O3");
    host::check(templateVertex("mine::Axpy", HALF, true, 3, "x") == "mine::Axpy<half,true,3,x>", "a vertex's name");

    Tensor x = graph.addVariable(FLOAT, { rows, columns }, "x"), y = graph.addVariable(FLOAT, { rows, columns }, "y");
    mapTensorLinearly(graph, x);
    mapTensorLinearly(graph, y, 0, 2);
    Sequence prog;
    axpyRelu(graph, x, y, 0.5f, prog, "axpy");
    Tensor bias = createBroadcastOperand(graph, y, FLOAT, 1, false, "bias"), biases = bias, all = y;
    broadcastToMatch(all, biases);
    popops::addInPlace(graph, all, biases, prog);
    Tensor out = popops::createOutputForElementWiseOp(graph, { x, y }, FLOAT, "out"),
           sums = graph.addVariable(FLOAT, { rows }, "sums");
    prog.add(Copy(y, out));

    const auto last = graph.getTarget().getNumTiles() - 1;
    const auto cs = graph.addComputeSet("sums");
    std::vector<Tensor> list;
    for (unsigned i = 0; i < rows; ++i)
        list.push_back(out[i]);
    auto v = graph.addVertex(cs, "mine::SumRows");
    graph.connect(v["rows"], list);
    graph.connect(v["sums"], sums);
    graph.setTileMapping(v, last);
    graph.setTileMapping(sums, last);
    graph.setPerfEstimate(v, 1000);
    prog.add(Execute(cs));
    try {
        axpyRelu(graph, x, y[0], 1, prog, "wrong");
        host::check(false, "different shapes are accepted");
    } catch (const std::runtime_error &error) {
        host::check(std::string(error.what()).find("axpyRelu: {13,17} and {17}") != std::string::npos, error.what());
    }
    graph.createHostWrite("x", x);
    graph.createHostWrite("y", y);
    graph.createHostWrite("bias", bias);
    graph.createHostRead("out", out);
    graph.createHostRead("sums", sums);

    Engine engine(graph, prog);
    engine.load(device);
    const auto xv = host::random(rows * columns), yv = host::random(rows * columns), biasv = host::random(columns);
    host::write(engine, "x", xv);
    host::write(engine, "y", yv);
    host::write(engine, "bias", biasv);
    engine.run(0);
    std::vector<double> wanted, wantedSums(rows);
    for (std::size_t i = 0; i < rows * columns; ++i) {
        wanted.push_back(std::fmax(0, yv[i] + 0.5 * xv[i]) + biasv[i % columns]);
        wantedSums[i / columns] += wanted[i];
    }
    host::near("out", host::read(engine, "out", rows * columns), wanted);
    host::near("sums", host::read(engine, "sums", rows), wantedSums);
}

} // namespace

int main()
{
    return host::onDevices(8, run);
}
