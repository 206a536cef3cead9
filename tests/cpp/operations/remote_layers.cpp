// SPDX-License-Identifier: Apache-2.0
// Layers whose weights are read from remote memory one by one, in a loop with a counter; the result goes to a second
// IPU.
// The engine has an executable that was stored and read back.
//
// build: c++17
#include "program.hpp"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace
{

constexpr unsigned layers = 4, width = 12, batch = 3, tiles = 8;

void run(const Device &device)
{
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    Graph first = graph.createVirtualGraph(0, tiles), second = graph.createVirtualGraph(tiles, 2 * tiles);
    RemoteBuffer weights = graph.addRemoteBuffer("weights", FLOAT, width * width, layers);

    poplin::PlanningCache cache;
    Tensor x = poplin::createMatMulInputLHS(first, FLOAT, { batch, width }, { width, width }, "x", {}, &cache);
    Tensor w = poplin::createMatMulInputRHS(first, FLOAT, { batch, width }, { width, width }, "w", {}, &cache);
    Tensor acts = first.clone(x, "acts");
    Sequence prog(Copy(x, acts));
    prog.add(popops::countedLoop(graph, 0, layers, 1, { "layers" }, [&](const Tensor &layer) {
        Sequence body{ Copy(weights, w.flatten(), layer.reshape({ 1 })) };
        Tensor y = poplin::matMul(first, acts, w, body, "product", {}, &cache);
        popops::tanhInPlace(first, y, body);
        body.add(Copy(y, acts));
        return body;
    }));
    Tensor there = poputil::copyToIpu(graph, acts, prog, 1, "there");
    popops::addInPlace(second, there, 1.0f, prog);
    graph.createHostWrite("x", x);
    graph.createHostRead("y", there);

    std::stringstream stored;
    compileGraph(graph, { prog }).serialize(stored);
    Engine engine(Executable::deserialize(stored));
    engine.load(device);
    const auto xv = host::random(batch * width);
    std::vector<double> wanted(xv.begin(), xv.end());
    for (unsigned layer = 0; layer < layers; ++layer) {
        auto values = host::random(width * width, -0.6f, 0.6f);
        engine.copyToRemoteBuffer(values.data(), "weights", layer);
        wanted = host::product(wanted, values, batch, width, width);
        for (double &value : wanted)
            value = std::tanh(value);
    }
    for (double &value : wanted)
        value += 1;
    host::write(engine, "x", xv);
    engine.run(0);
    host::near("y", host::read(engine, "y", batch * width), wanted);
}

} // namespace

int main()
{
    for (const char *version : { "ipu1", "ipu2" }) {
        IPUModel model(version);
        model.numIPUs = 2;
        model.tilesPerIPU = tiles;
        run(model.createDevice());
    }
    return host::failed();
}
