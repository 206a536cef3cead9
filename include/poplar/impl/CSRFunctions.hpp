// SPDX-License-Identifier: Apache-2.0
// Floating-point behaviour.
#ifndef POPLAR_IMPL_CSRFUNCTIONS_HPP
#define POPLAR_IMPL_CSRFUNCTIONS_HPP

#include <poplar/CSRFunctions.hpp>

namespace poplar
{

POPLAR_IMPL void setFloatingPointBehaviour(Graph &graph, program::Sequence &sequence,
                                           const FloatingPointBehaviour &behaviour, const DebugContext &debugContext)
{
    pop_set_float_behaviour_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), behaviour.c(),
                               detail::name(debugContext));
    detail::check(graph.c());
}
POPLAR_IMPL void setFloatingPointBehaviour(Graph &graph, program::Sequence &sequence, const Tensor &behaviour,
                                           const DebugContext &debugContext)
{
    pop_restore_float_behaviour_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), behaviour.c(),
                                   detail::name(debugContext));
    detail::check(graph.c());
}
POPLAR_IMPL Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &sequence,
                                                      const FloatingPointBehaviour &clear,
                                                      const FloatingPointBehaviour &set,
                                                      const DebugContext &debugContext)
{
    const pop_tensor before =
        pop_modify_float_behaviour_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), clear.c(),
                                      set.c(), detail::name(debugContext));
    detail::check(graph.c());
    return Tensor(before);
}
POPLAR_IMPL void setStochasticRounding(Graph &graph, program::Sequence &sequence, bool enable,
                                       const DebugContext &debugContext)
{
    pop_set_stochastic_rounding_at(detail::where(debugContext), graph.c(), sequence.cToGrow(graph.c()), enable,
                                   detail::name(debugContext));
    detail::check(graph.c());
}

} // namespace poplar
#endif
