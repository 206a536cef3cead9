// SPDX-License-Identifier: Apache-2.0
// The clocks of tiles, as tensors UNSIGNED_INT[2], low word first (poplar/program.h says what they count).
#ifndef POPLAR_CYCLE_COUNT_HPP
#define POPLAR_CYCLE_COUNT_HPP

#include <poplar/Program.hpp>

namespace poplar {

// Times what the sequence holds: it is wrapped in place.
inline Tensor cycleCount(Graph &graph, program::Sequence &sequence, unsigned tile, SyncType syncType, const DebugContext &debugContext = {})
{
    const pop_tensor t = pop_cycle_count_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), tile,
                                            static_cast<pop_sync_type>(syncType), detail::name(debugContext));
    detail::check(graph.c());
    return Tensor(t);
}

// The guide's era had no type of sync: the tiles of the IPU.
inline Tensor cycleCount(Graph &graph, program::Sequence &sequence, unsigned tile, const DebugContext &debugContext = {})
{
    return cycleCount(graph, sequence, tile, SyncType::INTERNAL, debugContext);
}

// Adds the clock's reading to the end of the sequence.
inline Tensor cycleStamp(Graph &graph, program::Sequence &sequence, unsigned tile, SyncType syncType, const DebugContext &debugContext = {})
{
    const pop_tensor t = pop_cycle_stamp_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), tile,
                                            static_cast<pop_sync_type>(syncType), detail::name(debugContext));
    detail::check(graph.c());
    return Tensor(t);
}
inline Tensor cycleStamp(Graph &graph, program::Sequence &sequence, unsigned tile, const DebugContext &debugContext = {})
{
    return cycleStamp(graph, sequence, tile, SyncType::INTERNAL, debugContext);
}
inline std::vector<Tensor> cycleStamp(Graph &graph, program::Sequence &sequence, const std::vector<unsigned> &tiles, SyncType syncType,
                                      const DebugContext &debugContext = {})
{
    std::vector<Tensor> stamps;
    for (unsigned tile : tiles)
        stamps.push_back(cycleStamp(graph, sequence, tile, syncType, debugContext));
    return stamps;
}

} // namespace poplar
#endif
