// SPDX-License-Identifier: Apache-2.0
// Conversions of element types (popops/cast.h).
#ifndef POPOPS_CAST_HPP
#define POPOPS_CAST_HPP

#include <poplar/Program.hpp>
#include <popops/cast.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_cast_at(poplar::detail::where(debugContext), graph.c(), src.c(), dstType.c(),
                                                prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, const poplar::Type &dstType, poplar::ComputeSet cs,
                           const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_cast_in_at(poplar::detail::where(debugContext), graph.c(), src.c(),
                                                              dstType.c(), cs.c(), poplar::detail::name(debugContext)));
}
// To QUARTER: the result shares the metadata.
inline poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                           const poplar::Tensor &metadata, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_cast_with_metadata_at(poplar::detail::where(debugContext), graph.c(), src.c(),
                                                              dstType.c(), metadata.c(), prog.cToGrow(graph.c()),
                                                              poplar::detail::name(debugContext)));
}
inline poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, const poplar::Type &dstType,
                           const poplar::Tensor &metadata, poplar::ComputeSet cs,
                           const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popops_cast_in_with_metadata_at(poplar::detail::where(debugContext), graph.c(), src.c(), dstType.c(),
                                                   metadata.c(), cs.c(), poplar::detail::name(debugContext)));
}
inline void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs,
                 poputil::detail::Where where = poputil::detail::Where::here())
{
    popops_cast_to_at(where, graph.c(), src.c(), dst.c(), cs.c());
    poputil::detail::check(graph.c());
}
inline void castWithOutput(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &dst,
                           poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    popops_cast_with_output_at(poplar::detail::where(debugContext), graph.c(), src.c(), dst.c(),
                               prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
// Returns the cast as a program instead of adding it to one.
inline poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                                     const poplar::DebugContext &debugContext = {})
{
    poplar::program::Sequence prog;
    castWithOutput(graph, src, dst, prog, debugContext);
    return prog;
}
inline poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input, poplar::Type outputType,
                                            double tolerance, poplar::program::Sequence &prog,
                                            const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_check_accuracy_when_cast_at(poplar::detail::where(debugContext),
                                                                               graph.c(), input.c(), outputType.c(),
                                                                               tolerance, prog.cToGrow(graph.c()),
                                                                               poplar::detail::name(debugContext)));
}

} // namespace popops
#endif
