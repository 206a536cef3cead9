// SPDX-License-Identifier: Apache-2.0
// Updates of slices at a list of indices (popops/scatter.h).
#ifndef POPOPS_SCATTER_HPP
#define POPOPS_SCATTER_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/scatter.h>
#include <poputil/detail/call.hpp>

#include <functional>

namespace popops
{

// Returns the new value of a slice, given its old value and the update.
typedef std::function<poplar::Tensor(poplar::Graph &, poplar::Tensor &, poplar::Tensor &, poplar::program::Sequence &)>
    UpdateComputationFunc;

inline void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
                    const poplar::Tensor &updates, std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
                    std::vector<std::size_t> insertWindowDims, std::vector<unsigned> scatterDimsToOperandDims,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {})
{
    popops_scatter_at(poplar::detail::where(debugContext), graph.c(), operand.c(), indices.c(), updates.c(),
                      indexVectorDim, poplar::detail::dims(updateWindowDims),
                      poplar::detail::Dims(insertWindowDims).c(), poplar::detail::dims(scatterDimsToOperandDims),
                      prog.cToGrow(graph.c()), poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
                    const poplar::Tensor &updates, std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
                    std::vector<std::size_t> insertWindowDims, std::vector<unsigned> scatterDimsToOperandDims,
                    const UpdateComputationFunc &updateComputation, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    struct Computation {
        poplar::Graph &graph;
        const UpdateComputationFunc &f;
        poplar::program::Sequence steps; // both stay alive until the C interface has read them
        poplar::Tensor result;
        poputil::detail::Callback callback;
        static pop_tensor call(pop_graph *, pop_tensor slice, pop_tensor update, pop_program sequence, void *user)
        {
            Computation *computation = static_cast<Computation *>(user);
            computation->callback.run([&] {
                poplar::Tensor before(slice), by(update);
                computation->result = computation->f(computation->graph, before, by, computation->steps);
                pop_sequence_add_at(pop_where(), sequence, computation->steps.c(computation->graph.c()));
            });
            return computation->result.c();
        }
    } computation = { graph, updateComputation, poplar::program::Sequence(), poplar::Tensor(),
                      poputil::detail::Callback() };
    popops_scatter_with_at(poplar::detail::where(debugContext), graph.c(), operand.c(), indices.c(), updates.c(),
                           indexVectorDim, poplar::detail::dims(updateWindowDims),
                           poplar::detail::Dims(insertWindowDims).c(), poplar::detail::dims(scatterDimsToOperandDims),
                           Computation::call, &computation, prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                           poplar::detail::Options(options));
    computation.callback.rethrow();
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
