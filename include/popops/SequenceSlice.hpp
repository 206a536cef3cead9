// SPDX-License-Identifier: Apache-2.0
// Copies of runs of rows (popops/sequence_slice.h).
#ifndef POPOPS_SEQUENCE_SLICE_HPP
#define POPOPS_SEQUENCE_SLICE_HPP

#include <poplar/Program.hpp>
#include <popops/sequence_slice.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline void sequenceSlice(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &dst,
                          const poplar::Tensor &sliceN, const poplar::Tensor &srcOffsets,
                          const poplar::Tensor &dstOffsets, bool zeroUnused, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {})
{
    popops_sequence_slice_at(poplar::detail::where(debugContext), graph.c(), src.c(), dst.c(), sliceN.c(),
                             srcOffsets.c(), dstOffsets.c(), zeroUnused, prog.cToGrow(graph.c()),
                             poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
