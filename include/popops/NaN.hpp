// SPDX-License-Identifier: Apache-2.0
// Tests for NaN (popops/nan.h).
#ifndef POPOPS_NAN_HPP
#define POPOPS_NAN_HPP

#include <poplar/Program.hpp>
#include <popops/nan.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// Whether an element is a NaN: one BOOL.
inline poplar::Tensor hasNaN(poplar::Graph &graph, const poplar::Tensor &src, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_has_nan_at(poplar::detail::where(debugContext), graph.c(), src.c(),
                                                   prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
// Whether an element is a NaN or infinite: one BOOL.
inline poplar::Tensor hasNaNOrInf(poplar::Graph &graph, const poplar::Tensor &src, poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_has_nan_or_inf_at(poplar::detail::where(debugContext), graph.c(), src.c(),
                                                          prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}

} // namespace popops
#endif
