// SPDX-License-Identifier: Apache-2.0
// Basis functions of B-splines (popops/spline_basis.h).
#ifndef POPOPS_SPLINE_BASIS_HPP
#define POPOPS_SPLINE_BASIS_HPP

#include <poplar/Program.hpp>
#include <popops/spline_basis.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline void splineBasis(poplar::Graph &graph, const poplar::Tensor &pseudo, const poplar::Tensor &kernelSize,
                        const poplar::Tensor &isOpenSpline, const poplar::Tensor &basis,
                        const poplar::Tensor &weightIndex, unsigned degree, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {})
{
    popops_spline_basis_at(poplar::detail::where(debugContext), graph.c(), pseudo.c(), kernelSize.c(), isOpenSpline.c(),
                           basis.c(), weightIndex.c(), degree, prog.cToGrow(graph.c()),
                           poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
