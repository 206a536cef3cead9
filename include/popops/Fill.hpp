// SPDX-License-Identifier: Apache-2.0
// Setting tensors to one value (popops/fill.h).
#ifndef POPOPS_FILL_HPP
#define POPOPS_FILL_HPP

#include <poplar/Program.hpp>
#include <popops/fill.h>
#include <poputil/detail/call.hpp>

namespace popops
{

template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog, FillValueType fillValue,
          const poplar::DebugContext &debugContext = {})
{
    popops_fill_at(poplar::detail::where(debugContext), graph.c(), t.c(), prog.cToGrow(graph.c()),
                   static_cast<double>(fillValue), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::ComputeSet fillCS, FillValueType fillValue,
          poputil::detail::Where where = poputil::detail::Where::here())
{
    popops_fill_in_at(where, graph.c(), t.c(), fillCS.c(), static_cast<double>(fillValue));
    poputil::detail::check(graph.c());
}
template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions, unsigned tile,
          poplar::ComputeSet fillCS, FillValueType fillValue,
          poputil::detail::Where where = poputil::detail::Where::here())
{
    popops_fill_on_tile_at(where, graph.c(), t.c(), poputil::detail::Intervals(tileRegions).c(), tile, fillCS.c(),
                           static_cast<double>(fillValue));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
