// SPDX-License-Identifier: Apache-2.0
// Counted loops: those of poputil under their newer name, and loops with limits in tensors (popops/loop.h).
#ifndef POPOPS_LOOP_HPP
#define POPOPS_LOOP_HPP

#include <popops/loop.h>
#include <poputil/Loop.hpp>

namespace popops
{

typedef poputil::CountedLoopBodyType CountedLoopBodyType; // Makes the body of a loop from its index.
using poputil::countedLoop;

// Sets count to initialCount and runs body while it is less than countLimit (greater, when counting down).
inline poplar::program::Sequence countedForLoop(poplar::Graph &graph, const poplar::Tensor &count, int initialCount,
                                                const poplar::Tensor &countLimit, int countStep,
                                                const poplar::program::Program &body,
                                                const poplar::DebugContext &debugContext = {})
{
    struct Made : poplar::program::Program {
        explicit Made(pop_program from) : Program(from)
        {
        }
    };
    const pop_program made =
        popops_counted_for_loop_at(poplar::detail::where(debugContext), graph.c(), count.c(), initialCount,
                                   countLimit.c(), countStep, body.c(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
    poplar::program::Sequence loop{ poplar::DebugContext(debugContext) };
    loop.add(Made(made));
    return loop;
}
// With an internal counter.
inline poplar::program::Sequence countedForLoop(poplar::Graph &graph, int initialCount,
                                                const poplar::Tensor &countLimit, int countStep,
                                                const poplar::program::Program &body,
                                                const poplar::DebugContext &debugContext = {})
{
    return countedForLoop(graph, poplar::Tensor(), initialCount, countLimit, countStep, body, debugContext);
}
// The step of such a loop before each iteration: the result says whether the loop continues.
inline poplar::Tensor addForLoopCounterVertex(poplar::Graph &graph, const poplar::Tensor &count,
                                              const poplar::Tensor &countLimit, int countStep, unsigned tile,
                                              poplar::program::Sequence &prog,
                                              const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popops_add_for_loop_counter_vertex_at(poplar::detail::where(debugContext), graph.c(), count.c(),
                                                         countLimit.c(), countStep, tile, prog.cToGrow(graph.c()),
                                                         poplar::detail::name(debugContext)));
}

} // namespace popops
#endif
