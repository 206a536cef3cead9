// SPDX-License-Identifier: Apache-2.0
// The second source of modes.cpp.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

using namespace poplar;

Tensor shareOf(Graph &graph, const Tensor &t, std::size_t parts)
{
    if (t.numElements() % parts)
        throw type_error("the elements have no equal shares");
    Tensor share = t.slice(0, t.numElements() / parts);
    graph.setTileMapping(t, 0);
    return share;
}

std::string sectionsOf(const Engine &engine)
{
    std::string names;
    const ProfileValue profile = engine.getGraphProfile(); // of which asMap returns a copy made by this source
    for (const ProfileValue::Map::value_type &section : profile.asMap())
        names += section.first + " ";
    return names;
}
