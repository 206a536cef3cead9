// SPDX-License-Identifier: Apache-2.0
// FLOAT tensors as HALF (popfloat/cast_to_half.h).
#ifndef POPFLOAT_EXPERIMENTAL_CAST_TO_HALF_HPP
#define POPFLOAT_EXPERIMENTAL_CAST_TO_HALF_HPP

#include <popfloat/cast_to_half.h>
#include <poplar/Program.hpp>
#include <poputil/detail/call.hpp>

namespace popfloat
{
namespace experimental
{

// A new tensor, mapped like input.  input is FLOAT.
inline poplar::Tensor castToHalf(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popfloat_cast_to_half_at(poplar::detail::where(debugContext), graph.c(), input.c(),
                                                          prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}

} // namespace experimental
} // namespace popfloat
#endif
