// SPDX-License-Identifier: Apache-2.0
// The seeds of the tiles' random number generators: UNSIGNED_INT, {tiles, workers, 4}.
#ifndef POPLAR_RANDOM_SEED_HPP
#define POPLAR_RANDOM_SEED_HPP

#include <poplar/Program.hpp>

namespace poplar {

inline Tensor getHwSeeds(Graph &graph, program::Sequence &sequence, const DebugContext &debugContext = {})
{
    const pop_tensor seeds =
        pop_get_hw_seeds_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), detail::name(debugContext));
    detail::check(graph.c());
    return Tensor(seeds);
}
inline void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &sequence, const DebugContext &debugContext = {})
{
    pop_set_hw_seeds_at(detail::where(debugContext), graph.c(), seeds.c(), sequence.cToGrow(graph.c()), detail::name(debugContext));
    detail::check(graph.c());
}

} // namespace poplar
#endif
