// SPDX-License-Identifier: Apache-2.0
// Products with the kernels that splineBasis chose (popops/spline_weighting.h).
#ifndef POPOPS_SPLINE_WEIGHTING_HPP
#define POPOPS_SPLINE_WEIGHTING_HPP

#include <poplar/Program.hpp>
#include <popops/spline_weighting.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline poplar::Tensor splineWeighting(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &weight,
                                      const poplar::Tensor &basis, const poplar::Tensor &weightIndex,
                                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_spline_weighting_at(poplar::detail::where(debugContext), graph.c(),
                                                                       input.c(), weight.c(), basis.c(),
                                                                       weightIndex.c(), prog.cToGrow(graph.c()),
                                                                       poplar::detail::name(debugContext)));
}

} // namespace popops
#endif
