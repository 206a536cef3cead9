// SPDX-License-Identifier: Apache-2.0
// A pipeline of two stages, each on tiles of its own: virtual graphs, as the guide describes them.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main()
{
    Device device = IPUModel().createDevice();
    Graph graph(device.getTarget());
    unsigned tiles = graph.getTarget().getNumTiles();
    Graph first = graph.createVirtualGraph(0, tiles / 2);
    Graph second = graph.createVirtualGraph(tiles / 2, tiles);

    Tensor a = first.addVariable(FLOAT, { 6 }, "a");
    Tensor b = second.addVariable(FLOAT, { 6 }, "b");
    first.setTileMapping(a, 3);
    second.setTileMapping(b, 3);
    first.setInitialValue<float>(a, { 1, 2, 3, 4, 5, 6 });

    // What is added to a virtual graph appears in its parent, under the parent's tile numbers
    Graph::TileToTensorMapping mapping = graph.getTileMapping(b);
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
        if (!mapping[tile].empty())
            std::cout << "b is on tile " << (tile == tiles / 2 + 3 ? "3 of the second stage" : "?") << std::endl;

    Engine engine(graph, Sequence(Copy(a, b), PrintTensor("b", b)), { { "print.guideFormat", "true" } });
    engine.load(device);
    engine.run(0);
    return 0;
}
