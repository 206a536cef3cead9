// SPDX-License-Identifier: Apache-2.0
// FLOAT tensors as HALF (popfloat/cast_to_half.h).
#ifndef POPFLOAT_EXPERIMENTAL_CAST_TO_HALF_HPP
#define POPFLOAT_EXPERIMENTAL_CAST_TO_HALF_HPP

#include <popfloat/cast_to_half.h>
#include <popfloat/gfloat.h>
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

// A half's bits, with the quirks of popfloat's function (popfloat_single_to_half).
inline unsigned short singleToHalf(float value, bool enNanoo = false)
{
    return popfloat_single_to_half(value, enNanoo);
}
// The value of a half's bits.
inline float halfToSingle(unsigned short value)
{
    return popfloat_half_to_single(value);
}

} // namespace experimental
} // namespace popfloat
#endif
