// SPDX-License-Identifier: Apache-2.0
// Where calls put the elements of tensors that they make: mappings, and regions of tile memory.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include "check.hpp"
#include "fixture.hpp"

#include <algorithm>

using namespace poplar;
using namespace poplar::program;

struct Fixture : TestFixture {
    explicit Fixture(unsigned tiles) : TestFixture(model(tiles))
    {
        popops::addCodelets(graph);
    }
    std::vector<std::size_t> onTiles(const Tensor &t)
    {
        std::vector<std::size_t> counts;
        for (const std::vector<Interval> &tile : graph.getTileMapping(t)) {
            std::size_t count = 0;
            for (const Interval &interval : tile)
                count += interval.size();
            counts.push_back(count);
        }
        return counts;
    }
    // Each slice along a dimension is one region on each tile that has any of it.
    bool inOneRegion(const Tensor &t, unsigned dim)
    {
        for (std::size_t i = 0; i < t.dim(dim); ++i) {
            const Tensor slice = t.slice(i, i + 1, dim).flatten();
            for (const std::vector<Interval> &tile : graph.getTileMapping(slice))
                if (graph.getSortedContiguousRegions(slice, tile).size() > 1)
                    return false;
        }
        return true;
    }
};

TEST(linear_mapping_by_single_elements)
{
    Fixture b(4);
    using Counts = std::vector<std::size_t>;
    const auto mapped = [&](std::size_t n) {
        return b.onTiles(b.graph.addVariable(HALF, { n }, VariableMappingMethod::LINEAR));
    };
    CHECK(mapped(10) == (Counts{ 2, 3, 2, 3 }) && mapped(4) == (Counts{ 1, 1, 1, 1 }) && mapped(1000)[3] == 250);
    const Counts few = mapped(3);
    CHECK(few == (Counts{ 1, 1, 1, 0 }));
    for (const std::size_t n : { 3, 10, 1001 }) {
        const Tensor t = b.graph.addVariable(HALF, { n });
        poputil::mapTensorLinearly(b.graph, t, 1, 1);
        CHECK(b.onTiles(t) == mapped(n));
    }
}

TEST(outputs_of_element_wise_operations_in_grains)
{
    Fixture b(16);
    const std::size_t n = 16 * 20;
    const Tensor one = b.graph.addVariable(FLOAT, { n }), four = b.graph.addVariable(FLOAT, { n }),
                 out = b.graph.addVariable(FLOAT, { n });
    for (std::size_t i = 0; i < n; ++i) {
        b.graph.setTileMapping(one[i], static_cast<unsigned>(i % 16));
        b.graph.setTileMapping(four[i], static_cast<unsigned>(i / 4 % 16));
    }
    poputil::mapOutputForElementWiseOp(b.graph, { one, four }, out);
    CHECK(b.graph.getTileMapping(out) == b.graph.getTileMapping(one));
    // In grains of 4 the first input would leave three of four tiles empty.
    poputil::mapOutputForElementWiseOp(b.graph, { one, four }, out, 4);
    CHECK(b.graph.getTileMapping(out) == b.graph.getTileMapping(four));
    for (const unsigned least : { 7u, 12u, 80u, 1000u }) {
        poputil::mapOutputForElementWiseOp(b.graph, { one, four }, out, 4, least);
        std::size_t total = 0;
        for (const std::size_t count : b.onTiles(out)) {
            CHECK(count == 0 || count >= std::min<std::size_t>(4 * least, n));
            total += count;
        }
        CHECK(total == n);
        for (const std::vector<Interval> &tile : b.graph.getTileMapping(out))
            for (const Interval &interval : tile)
                CHECK(interval.begin() % 4 == 0 && interval.end() % 4 == 0);
    }
}

TEST(slices_are_one_region_on_each_tile)
{
    Fixture b(16);
    for (const std::vector<std::size_t> &shape : std::vector<std::vector<std::size_t>>{ { 9, 24 }, { 5, 20, 6 } })
        for (unsigned dim = 0; dim < shape.size(); ++dim) {
            std::vector<std::size_t> slice = shape;
            slice[dim] = 1;
            const Tensor scattered = b.graph.addVariable(FLOAT, slice), flat = scattered.flatten(),
                         indices = b.graph.addVariable(UNSIGNED_INT, { 5 });
            b.graph.setTileMapping(indices, 0);
            for (std::size_t i = 0; i < flat.numElements(); ++i)
                b.graph.setTileMapping(flat[i], static_cast<unsigned>(i * 7 % 16));
            const Tensor all = popops::createSliceableTensorFromSlice(b.graph, scattered, { dim }, { shape[dim] }),
                         in = popops::createGatherInput(b.graph, FLOAT, shape, dim),
                         window = popops::createGatherInput(b.graph, FLOAT, shape, slice, std::vector<unsigned>{ dim });
            CHECK(all.shape() == shape && b.inOneRegion(all, dim) && b.inOneRegion(in, dim) &&
                  b.inOneRegion(window, dim));
            CHECK(b.graph.getTileMapping(all.slice(3, 4, dim)) == b.graph.getTileMapping(scattered));
            CHECK(b.inOneRegion(popops::createSliceTensor(b.graph, all, { dim }, { 1 }, 3), 0));
            for (const Tensor &t : { all, in })
                CHECK(b.inOneRegion(popops::gather(b.graph, t, indices, dim, b.prog, popops::GatherParams()), dim));
        }
}

MAIN()
