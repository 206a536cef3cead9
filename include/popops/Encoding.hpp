// SPDX-License-Identifier: Apache-2.0
// One-hot rows and sequences of integers (popops/encoding.h).
#ifndef POPOPS_ENCODING_HPP
#define POPOPS_ENCODING_HPP

#include <poplar/Program.hpp>
#include <popops/EncodingConstants.hpp>
#include <popops/encoding.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices, const poplar::Tensor &encoded,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    popops_encode_one_hot_at(poplar::detail::where(debugContext), graph.c(), indices.c(), encoded.c(),
                             prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices, const poplar::Tensor &encoded,
                         poplar::program::Sequence &prog, const poplar::Tensor &on, const poplar::Tensor &off,
                         const poplar::DebugContext &debugContext = {})
{
    popops_encode_one_hot_values_at(poplar::detail::where(debugContext), graph.c(), indices.c(), encoded.c(),
                                    prog.cToGrow(graph.c()), on.c(), off.c(), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
// Element i becomes startInteger + i.
inline void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {})
{
    popops_iota_at(poplar::detail::where(debugContext), graph.c(), t.c(), startInteger, prog.cToGrow(graph.c()),
                   poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {})
{
    popops_iota_at(poplar::detail::where(debugContext), graph.c(), t.c(), startInteger, prog.cToGrow(graph.c()),
                   poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
