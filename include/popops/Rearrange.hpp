// SPDX-License-Identifier: Apache-2.0
// Transpositions in tile memory and regrouping (popops/rearrange.h).
#ifndef POPOPS_REARRANGE_HPP
#define POPOPS_REARRANGE_HPP

#include <poplar/Program.hpp>
#include <popops/rearrange.h>
#include <poputil/VarStructure.hpp>

#include <functional>
#include <utility>

namespace popops
{

namespace rearrange
{
namespace detail
{

inline poputil_dim_grouping grouping(const poputil::GroupingInfo &info)
{
    poputil_dim_grouping c = { info.first, info.second };
    return c;
}
// Appends the copy from source to destination to the caller's list and returns the new tensor.
inline poplar::Tensor give(poplar::Graph &graph, pop_tensor made, pop_tensor source, pop_tensor destination,
                           std::vector<poplar::program::Copy> &copies, const poplar::DebugContext &debugContext)
{
    const poplar::Tensor result = poputil::detail::give(graph.c(), made);
    if (pop_tensor_valid(source))
        copies.push_back(
            poplar::program::Copy(poplar::Tensor(source), poplar::Tensor(destination), false, debugContext));
    return result;
}

} // namespace detail

inline bool canUseFastTranspose(const poplar::Target &target, const poplar::Type &type, unsigned numRows,
                                unsigned numColumns, unsigned numTranspositions)
{
    return popops_can_use_fast_transpose(&target.c(), type.c(), numRows, numColumns, numTranspositions);
}
// mapping holds the indices of the transpositions of each tile; getInOut returns the flat source and destination of one
// transposition.
inline void addTransposeVertices(poplar::Graph &graph, const poplar::ComputeSet &cs, const poplar::Type &dType,
                                 unsigned rows, unsigned cols, const poplar::Graph::TileToTensorMapping &mapping,
                                 std::function<std::pair<const poplar::Tensor, const poplar::Tensor>(size_t)> getInOut,
                                 const poplar::DebugContext &debugContext = {})
{
    struct Call {
        const std::function<std::pair<const poplar::Tensor, const poplar::Tensor>(size_t)> &f;
        // Keeps the tensors alive until the C interface has read them.
        std::vector<std::pair<const poplar::Tensor, const poplar::Tensor>> kept;
        poputil::detail::Callback callback;
        static void call(std::size_t index, pop_tensor *in, pop_tensor *out, void *user)
        {
            Call *transposition = static_cast<Call *>(user);
            *in = *out = pop_tensor();
            transposition->callback.run([&] {
                transposition->kept.push_back(transposition->f(index));
                *in = transposition->kept.back().first.c();
                *out = transposition->kept.back().second.c();
            });
        }
    } call = { getInOut, {}, poputil::detail::Callback() };
    poplar::detail::IntervalLists lists(mapping);
    const pop_interval_lists borrowed = lists.c();
    popops_add_transpose_vertices_at(poplar::detail::where(debugContext), graph.c(), cs.c(), dType.c(), rows, cols,
                                     &borrowed, Call::call, &call);
    call.callback.rethrow();
    poputil::detail::check(graph.c());
}
// A new tensor with the two innermost dimensions exchanged.
inline poplar::Tensor partialTranspose(poplar::Graph &graph, const poplar::Tensor &in, const poplar::ComputeSet &cs,
                                       const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_partial_transpose_at(poplar::detail::where(debugContext), graph.c(), in.c(),
                                                             cs.c(), poplar::detail::name(debugContext)));
}

inline unsigned getMinimumRegroupGrainSize(const poplar::Type &type)
{
    return popops_get_minimum_regroup_grain_size(type.c());
}
// Adds copies to a sequence and transpositions to a compute set; the caller executes the set after the copies.
inline poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &copies,
                                    const poplar::ComputeSet &transposeCS, const poputil::GroupingInfo &from,
                                    const poputil::GroupingInfo &to, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_regroup_tensor_at(poplar::detail::where(debugContext), graph.c(),
                                                                     t.c(), copies.cToGrow(graph.c()), transposeCS.c(),
                                                                     detail::grouping(from), detail::grouping(to),
                                                                     poplar::detail::name(debugContext)));
}
inline poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t,
                                    std::vector<poplar::program::Copy> &copies, const poplar::ComputeSet &transposeCS,
                                    const poputil::GroupingInfo &from, const poputil::GroupingInfo &to,
                                    const poplar::DebugContext &debugContext = {})
{
    pop_tensor source, destination;
    const pop_tensor made = popops_regroup_tensor_apart_at(
        poplar::detail::where(debugContext), graph.c(), t.c(), transposeCS.c(), detail::grouping(from),
        detail::grouping(to), poplar::detail::name(debugContext), &source, &destination);
    return detail::give(graph, made, source, destination, copies, debugContext);
}
inline poplar::Tensor regroupIfPossible(poplar::Graph &graph, const poplar::Tensor &t,
                                        std::vector<poplar::program::Copy> &copies,
                                        const poplar::ComputeSet &transposeCS, const poputil::GroupingInfo &to,
                                        const poplar::DebugContext &debugContext = {})
{
    pop_tensor source, destination;
    const pop_tensor made = popops_regroup_if_possible_apart_at(
        poplar::detail::where(debugContext), graph.c(), t.c(), transposeCS.c(), detail::grouping(to),
        poplar::detail::name(debugContext), &source, &destination);
    return detail::give(graph, made, source, destination, copies, debugContext);
}
inline poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &ref,
                                          std::vector<poplar::program::Copy> &copies, poplar::ComputeSet transposeCS,
                                          const poplar::DebugContext &debugContext = {})
{
    pop_tensor source, destination;
    const pop_tensor made = popops_regroup_if_beneficial_apart_at(
        poplar::detail::where(debugContext), graph.c(), in.c(), ref.c(), transposeCS.c(),
        poplar::detail::name(debugContext), &source, &destination);
    return detail::give(graph, made, source, destination, copies, debugContext);
}
inline poplar::Tensor regroupIfPossible(poplar::Graph &graph, const poplar::Tensor &t,
                                        poplar::program::Sequence &copies, const poplar::ComputeSet &transposeCS,
                                        const poputil::GroupingInfo &to, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_regroup_if_possible_at(poplar::detail::where(debugContext),
                                                                          graph.c(), t.c(), copies.cToGrow(graph.c()),
                                                                          transposeCS.c(), detail::grouping(to),
                                                                          poplar::detail::name(debugContext)));
}
inline poplar::Tensor regroupIfPossible(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                                        const poputil::GroupingInfo &to, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_regroup_if_possible_now_at(poplar::detail::where(debugContext), graph.c(),
                                                                   t.c(), prog.cToGrow(graph.c()), detail::grouping(to),
                                                                   poplar::detail::name(debugContext)));
}
inline poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &ref,
                                          poplar::program::Sequence &copies, poplar::ComputeSet transposeCS,
                                          const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popops_regroup_if_beneficial_in_at(poplar::detail::where(debugContext), graph.c(), in.c(), ref.c(),
                                                      copies.cToGrow(graph.c()), transposeCS.c(),
                                                      poplar::detail::name(debugContext)));
}
inline poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &ref,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popops_regroup_if_beneficial_at(poplar::detail::where(debugContext), graph.c(), in.c(), ref.c(),
                                                   prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in, std::size_t preferredGrouping,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_regroup_if_beneficial_to_at(poplar::detail::where(debugContext), graph.c(),
                                                                    in.c(), preferredGrouping, prog.cToGrow(graph.c()),
                                                                    poplar::detail::name(debugContext)));
}

} // namespace rearrange

} // namespace popops
#endif
