// SPDX-License-Identifier: Apache-2.0
// The bytes of results of factorisations, splines and regions depend neither on the number of host threads nor on how
// their codelets were optimised: each runs with the library's codelets, and with its own compiled without optimisation
// for the lowest machine.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <popnn/codelets.hpp>
#include <popnn/experimental/ROIAlign.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <cmath>

using namespace poplar;

struct Fixture : TestFixture {
    std::vector<Tensor> results;
    Fixture() : TestFixture(model(13))
    {
    }
    Tensor waves(const Type &type, const Shape &shape, float factor = 1, float offset = 0)
    {
        Tensor t = graph.addVariable(type, shape, "t");
        poputil::mapTensorLinearly(graph, t, 1, 1);
        Floats values(t.numElements());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = factor * std::sin(0.73f * static_cast<float>(i + values.size())) + offset;
        graph.setInitialValue<float>(t, values);
        return t;
    }
    // A file of src, by its path without .c.
    void addSource(const std::string &path)
    {
        const std::string root = std::string(CODELETS) + "/../../..";
        graph.addCodelets(root + "/src/" + path + ".c", CodeletFileType::Auto,
                          "-O0 -I " + root + "/src -I " + root + "/include");
    }
    std::vector<char> bytes(const char *threads)
    {
        for (std::size_t i = 0; i < results.size(); ++i)
            graph.createHostRead("r" + std::to_string(i), results[i], true);
        Engine engine(graph, prog, { { "target.hostThreads", threads } });
        start(engine);
        std::vector<char> all;
        for (std::size_t i = 0; i < results.size(); ++i) {
            std::vector<char> own(results[i].numElements() * graph.getTarget().getTypeSize(results[i].elementType()));
            engine.readTensor("r" + std::to_string(i), own.data(), own.data() + own.size());
            all.insert(all.end(), own.begin(), own.end());
        }
        return all;
    }
};

static void factors(Fixture &b, const Type &type, bool library)
{
    popops::addCodelets(b.graph);
    if (library)
        poplin::addCodelets(b.graph);
    else
        b.addSource("poplin/factor/factor_vertices");
    Tensor a = b.waves(type, { 11, 11 }, 1, 0.25f);
    const std::pair<Tensor, Tensor> lu = poplin::experimental::LUFactorization(b.graph, a, b.prog, "lu");
    std::array<Tensor, 2> qr = poplin::experimental::createQRFactorizationMatrices(b.graph, type, 13, 7, "qr");
    for (Tensor &t : qr)
        b.graph.setInitialValue<float>(t, TestFixture::Floats(t.numElements(), 0.3f));
    poplin::experimental::QRFactorization(b.graph, qr[0], qr[1], b.prog);
    b.results = { lu.first, lu.second, qr[0], qr[1] };
}
static void splines(Fixture &b, const Type &type, bool library)
{
    if (library)
        popops::addCodelets(b.graph);
    else
        b.addSource("popops/spline/spline_vertices");
    const Tensor pseudo = b.waves(type, { 9, 3 }, 0.49f, 0.5f), basis = b.variable(type, { 9, 27 }),
                 index = b.variable(INT, { 9, 27 }), size = b.constant<int>(INT, { 3 }, { 5, 4, 6 }),
                 open = b.constant<unsigned char>(UNSIGNED_CHAR, { 3 }, { 1, 0, 1 });
    popops::splineBasis(b.graph, pseudo, size, open, basis, index, 2, b.prog, "basis");
    b.results = { basis, index,
                  popops::splineWeighting(b.graph, b.waves(type, { 9, 7 }), b.waves(type, { 120, 7, 5 }), basis, index,
                                          b.prog) };
}
static void regions(Fixture &b, const Type &type, bool library)
{
    popops::addCodelets(b.graph);
    if (library)
        popnn::addCodelets(b.graph);
    else
        b.addSource("popnn/roi/roi_align_vertices");
    Tensor data = b.waves(type, { 2, 3, 11, 13 }), rois = b.waves(type, { 5, 4 }, 3, 4),
           batch = b.constant<int>(INT, { 5 }, { 0, 1, 1, 0, 1 });
    const popnn::experimental::roiAlignParams params(2, 3, 5, true, 0.9f);
    Tensor y = popnn::experimental::roiAlignFwd(b.graph, b.prog, data, rois, batch, params, "roi"),
           dy = b.waves(type, y.shape());
    b.results = { y,
                  popnn::experimental::roiAlignInputGradient(b.graph, b.prog, data, rois, batch, dy, params, "roi") };
}

TEST(bytes_by_threads_and_optimisation)
{
    for (const auto build : { factors, splines, regions })
        for (const Type &type : { FLOAT, HALF }) {
            if (build == factors && type == HALF)
                continue;
            std::vector<char> first;
            for (const char *threads : { "1", "3", "without optimisation" }) {
                Fixture b;
                const bool library = threads[1] == 0;
                build(b, type, library);
                const std::vector<char> bytes = b.bytes(library ? threads : "2");
                CHECK(!bytes.empty() && (first.empty() || bytes == first));
                first = bytes;
            }
        }
}

MAIN()
