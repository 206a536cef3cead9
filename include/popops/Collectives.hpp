// SPDX-License-Identifier: Apache-2.0
// Collectives of the replicas of a graph (popops/collectives.h), with the operators of collectives or the operations of
// reductions.
#ifndef POPOPS_COLLECTIVES_HPP
#define POPOPS_COLLECTIVES_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/CollectiveTypes.hpp>
#include <popops/TensorCollectives.hpp>
#include <popops/collectives.h>
#include <poputil/detail/call.hpp>

namespace popops
{

inline poplar::Tensor replicatedAllReduce(poplar::Graph &graph, const poplar::Tensor &data, Operation op,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(graph.c(), popops_replicated_all_reduce_at(
                                                poplar::detail::where(debugContext), graph.c(), data.c(),
                                                static_cast<popops_operation>(op), prog.cToGrow(graph.c()),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// Older form, which also takes the graph that a virtual graph was made from.
inline poplar::Tensor replicatedAllReduce(poplar::Graph &graph, poplar::Graph &, const poplar::Tensor &data,
                                          Operation op, poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {})
{
    return replicatedAllReduce(graph, data, op, prog, debugContext, options);
}
inline void replicatedAllReduceWithOutput(poplar::Graph &graph, const poplar::Tensor &data, poplar::Tensor &output,
                                          Operation op, poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {})
{
    popops_replicated_all_reduce_with_output_at(poplar::detail::where(debugContext), graph.c(), data.c(), output.c(),
                                                static_cast<popops_operation>(op), prog.cToGrow(graph.c()),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void replicatedAllReduceInPlace(poplar::Graph &graph, poplar::Tensor &data, Operation op,
                                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {})
{
    popops_replicated_all_reduce_in_place_at(poplar::detail::where(debugContext), graph.c(), data.c(),
                                             static_cast<popops_operation>(op), prog.cToGrow(graph.c()),
                                             poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline poplar::Tensor replicatedReduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce, Operation op,
                                              poplar::program::Sequence &prog,
                                              const poplar::DebugContext &debugContext = {},
                                              const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(graph.c(), popops_replicated_reduce_scatter_at(
                                                poplar::detail::where(debugContext), graph.c(), toReduce.c(),
                                                static_cast<popops_operation>(op), prog.cToGrow(graph.c()),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor replicatedAllReduce(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), popops_group_all_reduce_at(poplar::detail::where(debugContext), graph.c(), data.c(),
                                              static_cast<popops_collective_operator>(op), popops_replica_group(),
                                              prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                              poplar::detail::Options(options)));
}
inline poplar::Tensor replicatedAllReduce(poplar::Graph &graph, poplar::Graph &, const poplar::Tensor &data,
                                          CollectiveOperator op, poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {})
{
    return replicatedAllReduce(graph, data, op, prog, debugContext, options);
}
inline void replicatedAllReduceWithOutput(poplar::Graph &graph, const poplar::Tensor &data, poplar::Tensor &output,
                                          CollectiveOperator op, poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {})
{
    popops_group_all_reduce_with_output_at(poplar::detail::where(debugContext), graph.c(), data.c(), output.c(),
                                           static_cast<popops_collective_operator>(op), popops_replica_group(),
                                           prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                           poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void replicatedAllReduceInPlace(poplar::Graph &graph, poplar::Tensor &data, CollectiveOperator op,
                                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {})
{
    replicatedAllReduceWithOutput(graph, data, data, op, prog, debugContext, options);
}
inline poplar::Tensor replicatedReduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                              CollectiveOperator op, poplar::program::Sequence &prog,
                                              const poplar::DebugContext &debugContext = {},
                                              const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), popops_group_reduce_scatter_at(poplar::detail::where(debugContext), graph.c(), toReduce.c(),
                                                  static_cast<popops_collective_operator>(op), popops_replica_group(),
                                                  prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                  poplar::detail::Options(options)));
}
inline poplar::Tensor replicatedAllGather(poplar::Graph &graph, const poplar::Tensor &toGather,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), popops_replicated_all_gather_at(poplar::detail::where(debugContext), graph.c(), toGather.c(),
                                                   prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                   poplar::detail::Options(options)));
}
inline poplar::Tensor allToAllPersonalizedExchange(poplar::Graph &graph, const poplar::Tensor &input,
                                                   poplar::program::Sequence &prog,
                                                   const poplar::DebugContext &debugContext = {},
                                                   const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_all_to_all_personalized_exchange_at(
                                     poplar::detail::where(debugContext), graph.c(), input.c(), prog.cToGrow(graph.c()),
                                     poplar::detail::name(debugContext), poplar::detail::Options(options)));
}

} // namespace popops
#endif
