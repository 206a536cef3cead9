// SPDX-License-Identifier: Apache-2.0
// The clocks of tiles, as tensors UNSIGNED_INT[2], low word first (poplar/program.h says what they count).
#ifndef POPLAR_CYCLE_COUNT_HPP
#define POPLAR_CYCLE_COUNT_HPP

#include <poplar/Program.hpp>
#include <poplar/detail/compiled.hpp>

namespace poplar
{

// Times what the sequence holds: it is wrapped in place.
POP_API Tensor cycleCount(Graph &graph, program::Sequence &sequence, unsigned tile, SyncType syncType,
                          const DebugContext &debugContext = {});

// The guide's era had no type of sync: the tiles of the IPU.
POP_API Tensor cycleCount(Graph &graph, program::Sequence &sequence, unsigned tile,
                          const DebugContext &debugContext = {});

// Adds the clock's reading to the end of the sequence.
POP_API Tensor cycleStamp(Graph &graph, program::Sequence &sequence, unsigned tile, SyncType syncType,
                          const DebugContext &debugContext = {});
POP_API Tensor cycleStamp(Graph &graph, program::Sequence &sequence, unsigned tile,
                          const DebugContext &debugContext = {});
POP_API std::vector<Tensor> cycleStamp(Graph &graph, program::Sequence &sequence, const std::vector<unsigned> &tiles,
                                       SyncType syncType, const DebugContext &debugContext = {});

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/CycleCount.hpp>
#endif
#endif
