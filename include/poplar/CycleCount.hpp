// SPDX-License-Identifier: Apache-2.0
// Cycle counters of tiles, as tensors UNSIGNED_INT[2], low word first (poplar/program.h defines what they count).
#ifndef POPLAR_CYCLE_COUNT_HPP
#define POPLAR_CYCLE_COUNT_HPP

#include <poplar/Program.hpp>
#include <poplar/detail/compiled.hpp>

namespace poplar
{

// Counts the cycles of the sequence's programs; counters are added to the sequence in place.
POP_API Tensor cycleCount(Graph &graph, program::Sequence &sequence, unsigned tile, SyncType syncType,
                          const DebugContext &debugContext = {});

// The call of early releases, without a type of sync: the IPU's tiles are synchronised.
POP_API Tensor cycleCount(Graph &graph, program::Sequence &sequence, unsigned tile,
                          const DebugContext &debugContext = {});

// Appends a reading of the counter to the sequence.
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
