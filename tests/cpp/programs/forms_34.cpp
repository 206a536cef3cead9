// SPDX-License-Identifier: Apache-2.0
// A program with the forms of release 3.4: several expressions at once, factorisations, regions of images, splines,
// slices at known offsets, plans of several embeddings, host tensors with an offset.
// build: c++17 c++20
// libraries: -lpopnn -lpoplin -lpopops -lpoputil
#include <cmath>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <popnn/codelets.hpp>
#include <popnn/experimental/ROIAlign.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

static Tensor numbers(Graph &graph, const std::vector<std::size_t> &shape, const std::vector<float> &values)
{
    auto t = graph.addVariable(FLOAT, shape);
    poputil::mapTensorLinearly(graph, t, 1, 1);
    graph.setInitialValue(t, values);
    return t;
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 4;
    auto device = model.createDevice();
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    Sequence prog;

    auto a = numbers(graph, { 2, 2 }, { 4, 2, 2, 3 });
    auto made = popops::map(graph, { pe::Any(pe::_1 + pe::_2), pe::Any(pe::_1 * pe::_2) }, { a, a }, prog, "both");
    auto rows = popops::multiSlice(graph, a, { 1, 2 }, 0, prog, "rows", { { "paddingIndexUsed", "true" } });
    auto [lower, upper] = poplin::experimental::LUFactorization(graph, a, prog, "lu");
    auto [r, q] = poplin::experimental::createQRFactorizationMatrices(graph, FLOAT, 2, 2, "qr");
    graph.setInitialValue(q, std::vector<float>{ 1, 0, 0, 1 });
    prog.add(Copy(a, r));
    poplin::experimental::QRFactorization(graph, r, q, prog, "qr");
    auto image = a.reshape({ 1, 1, 2, 2 }), rois = numbers(graph, { 1, 4 }, { 0, 0, 1, 1 });
    auto index = graph.addConstant<int>(INT, { 1 }, 0);
    graph.setTileMapping(index, 0);
    auto pooled = popnn::experimental::roiAlignFwd(graph, prog, image, rois, index, { 1, 1, 1, false, 1.0f }, "roi");
    auto plans =
        popops::embedding::planMultiple({ popops::embedding::SlicePlanningParameters(graph, FLOAT, 16, 4, { 3 }, {}) });
    auto host = popops::createHostTransferableTensor(graph, FLOAT, { 4 }, true, 512, "host");
    prog.add(Copy(a.flatten(), host));

    auto all = concat({ made[0].flatten(), made[1].flatten(), rows.flatten(), lower.flatten(), upper.flatten(),
                        r.flatten(), pooled.flatten(), host });
    graph.createHostRead("all", all);
    EngineOptions options({ { "debug.instrument", "false" } }, device.getTarget(), 1);
    Engine engine(graph, prog, options);
    engine.load(device);
    engine.run(0);
    std::vector<float> got(all.numElements());
    engine.readTensor("all", got.data(), got.data() + got.size());
    const float s = std::sqrt(20.0f);
    const std::vector<float> wanted = { 8, 4, 4, 6, 16, 4,  4,       9, 2,     3,     0, 0, 1, 0, 0.5f,
                                        1, 4, 2, 0, 2,  -s, -14 / s, 0, 8 / s, 2.75f, 4, 2, 2, 3 };
    bool right = plans.size() == 1 && graph.getTileMapping(host)[1].size() == 1 && hash_value(options) != 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        std::cout << got[i] << ' ';
        right = right && std::fabs(std::fabs(got[i]) - std::fabs(wanted[i])) < 1e-5f;
    }
    std::cout << '\n';
    return right && got.size() == wanted.size() ? 0 : 1;
}
