// SPDX-License-Identifier: Apache-2.0
// Setting tensors to zero (popops/fill.h).
#ifndef POPOPS_ZERO_HPP
#define POPOPS_ZERO_HPP

#include <popops/Fill.hpp>

namespace popops
{

inline void zero(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {})
{
    popops_zero_at(poplar::detail::where(debugContext), graph.c(), t.c(), prog.cToGrow(graph.c()),
                   poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline void zero(poplar::Graph &graph, const poplar::Tensor &t, poplar::ComputeSet zeroCS,
                 poputil::detail::Where where = poputil::detail::Where::here())
{
    popops_zero_in_at(where, graph.c(), t.c(), zeroCS.c());
    poputil::detail::check(graph.c());
}
inline void zero(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions,
                 unsigned tile, poplar::ComputeSet zeroCS,
                 poputil::detail::Where where = poputil::detail::Where::here())
{
    popops_zero_on_tile_at(where, graph.c(), t.c(), poputil::detail::Intervals(tileRegions).c(), tile, zeroCS.c());
    poputil::detail::check(graph.c());
}
// All of t, on a tile.
inline void zero(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile, poplar::ComputeSet zeroCS,
                 poputil::detail::Where where = poputil::detail::Where::here())
{
    zero(graph, t, std::vector<poplar::Interval>{ { 0, t.numElements() } }, tile, zeroCS, where);
}
// Intervals of the flattened t, those of mapping[i] on tile i.
inline void zero(poplar::Graph &graph, const poplar::Tensor &t,
                 const std::vector<std::vector<poplar::Interval>> &mapping, poplar::ComputeSet zeroCS,
                 poputil::detail::Where where = poputil::detail::Where::here())
{
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
        if (!mapping[tile].empty())
            zero(graph, t, mapping[tile], tile, zeroCS, where);
}

} // namespace popops
#endif
