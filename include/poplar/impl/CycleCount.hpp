// SPDX-License-Identifier: Apache-2.0
// Clocks of tiles.
#ifndef POPLAR_IMPL_CYCLE_COUNT_HPP
#define POPLAR_IMPL_CYCLE_COUNT_HPP

#include <poplar/CycleCount.hpp>

namespace poplar
{

POPLAR_IMPL Tensor cycleCount(Graph &graph, program::Sequence &sequence, unsigned tile, SyncType syncType,
                              const DebugContext &debugContext)
{
    const pop_tensor t = pop_cycle_count_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), tile,
                                            static_cast<pop_sync_type>(syncType), detail::name(debugContext));
    detail::check(graph.c());
    return Tensor(t);
}
POPLAR_IMPL Tensor cycleCount(Graph &graph, program::Sequence &sequence, unsigned tile,
                              const DebugContext &debugContext)
{
    return cycleCount(graph, sequence, tile, SyncType::INTERNAL, debugContext);
}
POPLAR_IMPL Tensor cycleStamp(Graph &graph, program::Sequence &sequence, unsigned tile, SyncType syncType,
                              const DebugContext &debugContext)
{
    const pop_tensor t = pop_cycle_stamp_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), tile,
                                            static_cast<pop_sync_type>(syncType), detail::name(debugContext));
    detail::check(graph.c());
    return Tensor(t);
}
POPLAR_IMPL Tensor cycleStamp(Graph &graph, program::Sequence &sequence, unsigned tile,
                              const DebugContext &debugContext)
{
    return cycleStamp(graph, sequence, tile, SyncType::INTERNAL, debugContext);
}
POPLAR_IMPL std::vector<Tensor> cycleStamp(Graph &graph, program::Sequence &sequence,
                                           const std::vector<unsigned> &tiles, SyncType syncType,
                                           const DebugContext &debugContext)
{
    std::vector<Tensor> stamps;
    for (unsigned tile : tiles)
        stamps.push_back(cycleStamp(graph, sequence, tile, syncType, debugContext));
    return stamps;
}

} // namespace poplar
#endif
