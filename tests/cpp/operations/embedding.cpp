// SPDX-License-Identifier: Apache-2.0
// Rows looked up and updated, with a plan and without; slices at run-time offsets; the largest of colliding rows.
//
// build: c++14
#include "program.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

namespace
{

constexpr std::size_t entries = 100, width = 24, lookups = 13;

void run(const Device &device)
{
    Graph graph(device.getTarget(), replication_factor(1));
    popops::addCodelets(graph);
    OptionFlags options;
    options.set({ { "usedForUpdate", "true" }, { "availableMemoryProportion", "0.5" } });
    const auto plan = popops::embedding::plan(graph, FLOAT, entries, width, { lookups }, options);
    Tensor table =
        popops::createSliceableTensor(graph, FLOAT, { entries, width }, { 0 }, { 1 }, plan, options, "table");
    Tensor places = popops::createIndicesTensor(graph, { 0 }, lookups, plan, options, "places");
    Tensor gradients =
        popops::createSliceTensor(graph, FLOAT, { entries, width }, { 0 }, { 1 }, lookups, plan, options, "gradients");
    Tensor scale = graph.addConstant(FLOAT, {}, 0.5f, "scale");
    graph.setTileMapping(scale, 0);

    Sequence prog;
    Tensor found = popops::multiSlice(graph, table, places, { 0 }, { 1 }, prog, plan, options, "look up");
    popops::multiUpdateAdd(graph, table, gradients, places, scale, { 0 }, { 1 }, prog, plan, options, "update");
    host::check(found.shape() == std::vector<std::size_t>({ lookups, 1, width }), "found" + found.shapeToString());

    Tensor other = popops::createSliceableTensor(graph, FLOAT, { entries, width }, { 0 }, { 1 }, 2, "other");
    Tensor two = graph.addConstant<unsigned>(UNSIGNED_INT, { 2, 1 }, { 99, 0 }, "two"),
           at = graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 5, 7 }, "at");
    graph.setTileMapping(two, 0);
    graph.setTileMapping(at, 0);
    Tensor updated = popops::multiSlice(graph, table, two, { 0 }, { 1 }, prog, popops::SlicePlan(), {});
    popops::multiUpdate(graph, other, updated, two, { 0 }, { 1 }, prog, popops::SlicePlan(), OptionFlags(),
                        "without a plan");
    popops::multiUpdateMax(graph, other, gradients, places, { 0 }, { 1 }, prog, popops::SlicePlan(), {}, "largest");
    Tensor window = popops::dynamicSlice(graph, other, at, { 0, 1 }, { 3, 4 }, prog, "window");
    popops::dynamicUpdate(graph, other, window.slice(0, 1, 1), at, { 0, 1 }, { 3, 1 }, prog, "back");

    for (const auto &tensor :
         { std::make_pair("table", table), std::make_pair("other", other), std::make_pair("gradients", gradients) }) {
        graph.createHostWrite(tensor.first, tensor.second);
        graph.createHostRead(tensor.first, tensor.second);
    }
    graph.createHostWrite("places", places);
    graph.createHostRead("found", found);
    graph.createHostRead("window", window);
    Engine engine(graph, prog);
    engine.load(device);

    auto rows = host::random(entries * width), others = host::random(entries * width),
         deltas = host::random(lookups * width);
    std::vector<unsigned> wanted(lookups);
    for (std::size_t i = 0; i < lookups; ++i)
        wanted[i] = i % 5 * 23; /* some of them several times */
    host::write(engine, "table", rows);
    host::write(engine, "other", others);
    host::write(engine, "gradients", deltas);
    engine.writeTensor("places", wanted.data(), wanted.data() + lookups);
    engine.run(0);

    host::Values looked, square;
    for (std::size_t i = 0; i < lookups * width; ++i)
        looked.push_back(rows[wanted[i / width] * width + i % width]);
    for (std::size_t i = 0; i < lookups * width; ++i)
        rows[wanted[i / width] * width + i % width] += 0.5f * deltas[i];
    for (std::size_t i = 0; i < width; ++i) {
        others[99 * width + i] = rows[99 * width + i];
        others[i] = rows[i];
    }
    for (std::size_t i = 0; i < lookups * width; ++i) {
        float &place = others[wanted[i / width] * width + i % width];
        place = std::fmax(place, deltas[i]);
    }
    for (std::size_t i = 0; i < 12; ++i)
        square.push_back(others[(5 + i / 4) * width + 7 + i % 4]);
    host::near("found", host::read(engine, "found", lookups * width), looked);
    host::near("table", host::read(engine, "table", entries * width), rows);
    host::near("other", host::read(engine, "other", entries * width), others);
    host::near("window", host::read(engine, "window", 12), square);
}

} // namespace

int main()
{
    return host::onDevices(9, run);
}
