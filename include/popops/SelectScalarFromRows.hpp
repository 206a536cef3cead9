// SPDX-License-Identifier: Apache-2.0
// Selection of one element of each row (popops/select_scalar_from_rows.h).
#ifndef POPOPS_SELECT_SCALAR_FROM_ROWS_HPP
#define POPOPS_SELECT_SCALAR_FROM_ROWS_HPP

#include <poplar/Program.hpp>
#include <popops/select_scalar_from_rows.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline poplar::Tensor selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params,
                                           const poplar::Tensor &indices, poplar::program::Sequence &program,
                                           const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_select_scalar_from_rows_at(
                                                poplar::detail::where(debugContext), graph.c(), params.c(), indices.c(),
                                                program.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}

} // namespace popops
#endif
