// SPDX-License-Identifier: Apache-2.0
// Setting tensors to one value (popops/fill.h).
#ifndef POPOPS_FILL_HPP
#define POPOPS_FILL_HPP

#include <poplar/Program.hpp>
#include <popops/fill.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// fillValue is a number, or of a class that has the representation of an element type; it is converted to t's type.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog, FillValueType fillValue,
          const poplar::DebugContext &debugContext = {})
{
    popops_fill_value_at(poplar::detail::where(debugContext), graph.c(), t.c(), prog.cToGrow(graph.c()),
                         poplar::detail::HostType<FillValueType>::value, &fillValue,
                         poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
// In a compute set, on the tiles of t's elements.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::ComputeSet fillCS, FillValueType fillValue,
          poputil::detail::Where where = poputil::detail::Where::here())
{
    popops_fill_value_in_at(where, graph.c(), t.c(), fillCS.c(), poplar::detail::HostType<FillValueType>::value,
                            &fillValue);
    poputil::detail::check(graph.c());
}
// Intervals of the flattened t, on a tile.
template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions, unsigned tile,
          poplar::ComputeSet fillCS, FillValueType fillValue,
          poputil::detail::Where where = poputil::detail::Where::here())
{
    popops_fill_value_on_tile_at(where, graph.c(), t.c(), poputil::detail::Intervals(tileRegions).c(), tile, fillCS.c(),
                                 poplar::detail::HostType<FillValueType>::value, &fillValue);
    poputil::detail::check(graph.c());
}
// All of t, on a tile.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile, poplar::ComputeSet fillCS,
          FillValueType fillValue, poputil::detail::Where where = poputil::detail::Where::here())
{
    fill(graph, t, std::vector<poplar::Interval>{ { 0, t.numElements() } }, tile, fillCS, fillValue, where);
}
// Intervals of the flattened t, those of mapping[i] on tile i.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, const std::vector<std::vector<poplar::Interval>> &mapping,
          poplar::ComputeSet fillCS, FillValueType fillValue,
          poputil::detail::Where where = poputil::detail::Where::here())
{
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
        if (!mapping[tile].empty())
            fill(graph, t, mapping[tile], tile, fillCS, fillValue, where);
}

} // namespace popops
#endif
