// SPDX-License-Identifier: Apache-2.0
// The logarithm of the softmax (popnn/log_softmax.h).
#ifndef POPNN_LOG_SOFTMAX_HPP
#define POPNN_LOG_SOFTMAX_HPP

#include <poplar/Program.hpp>
#include <popnn/log_softmax.h>
#include <poputil/detail/call.hpp>

namespace popnn
{

inline void logSoftmaxInPlace(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    popnn_log_softmax_in_place_at(poplar::detail::where(debugContext), graph.c(), t.c(), prog.cToGrow(graph.c()),
                                  poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline poplar::Tensor logSoftmax(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popnn_log_softmax_at(poplar::detail::where(debugContext), graph.c(), t.c(),
                                                      prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}

} // namespace popnn
#endif
