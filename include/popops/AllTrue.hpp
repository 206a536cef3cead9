// SPDX-License-Identifier: Apache-2.0
// Test whether all elements are true (popops/all_true.h).
#ifndef POPOPS_ALL_TRUE_HPP
#define POPOPS_ALL_TRUE_HPP

#include <poplar/Program.hpp>
#include <popops/all_true.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_all_true_at(poplar::detail::where(debugContext), graph.c(), A.c(),
                                                    prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}

} // namespace popops
#endif
