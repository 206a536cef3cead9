// SPDX-License-Identifier: Apache-2.0
// Seeds.
#ifndef POPLAR_IMPL_RANDOM_SEED_HPP
#define POPLAR_IMPL_RANDOM_SEED_HPP

#include <poplar/RandomSeed.hpp>

namespace poplar
{

POPLAR_IMPL Tensor getHwSeeds(Graph &graph, program::Sequence &sequence, const DebugContext &debugContext)
{
    const pop_tensor seeds = pop_get_hw_seeds_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()),
                                                 detail::name(debugContext));
    detail::check(graph.c());
    return Tensor(seeds);
}
POPLAR_IMPL void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &sequence,
                            const DebugContext &debugContext)
{
    pop_set_hw_seeds_at(detail::where(debugContext), graph.c(), seeds.c(), sequence.cToGrow(graph.c()),
                        detail::name(debugContext));
    detail::check(graph.c());
}

} // namespace poplar
#endif
