// SPDX-License-Identifier: Apache-2.0
// A user of an operation library: its flags name only that library, whose dependencies are linked too.
#include <poplar/IPUModel.hpp>
#include <poputil/TileMapping.hpp>

int main()
{
    poplar::Graph graph(poplar::IPUModel().createDevice().getTarget());
    poplar::Tensor t = graph.addVariable(poplar::FLOAT, { 1000 }, "t");
    poputil::mapTensorLinearly(graph, t);
    return graph.getTileMapping(t).at(30).empty();
}
