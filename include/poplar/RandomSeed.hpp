// SPDX-License-Identifier: Apache-2.0
// Seeds of the tiles' random number generators: UNSIGNED_INT, {tiles, workers, 4}.
#ifndef POPLAR_RANDOM_SEED_HPP
#define POPLAR_RANDOM_SEED_HPP

#include <poplar/Program.hpp>
#include <poplar/detail/compiled.hpp>

namespace poplar
{

POP_API Tensor getHwSeeds(Graph &graph, program::Sequence &sequence, const DebugContext &debugContext = {});
POP_API void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &sequence,
                        const DebugContext &debugContext = {});

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/RandomSeed.hpp>
#endif
#endif
