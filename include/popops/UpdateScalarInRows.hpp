// SPDX-License-Identifier: Apache-2.0
// Subtraction of 1 from one element of each row (popops/update_scalar_in_rows.h).
#ifndef POPOPS_UPDATE_SCALAR_IN_ROWS_HPP
#define POPOPS_UPDATE_SCALAR_IN_ROWS_HPP

#include <poplar/Program.hpp>
#include <popops/update_scalar_in_rows.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params, const poplar::Tensor &indices,
                               poplar::program::Sequence &program, const poplar::DebugContext &debugContext = {})
{
    popops_update_scalar_in_rows_at(poplar::detail::where(debugContext), graph.c(), params.c(), indices.c(),
                                    program.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
