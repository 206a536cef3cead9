// SPDX-License-Identifier: Apache-2.0
// Collectives of the IPUs of one graph (popops/ipu_collectives.h).
#ifndef POPOPS_TENSOR_COLLECTIVES_HPP
#define POPOPS_TENSOR_COLLECTIVES_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/CollectiveTypes.hpp>
#include <popops/ipu_collectives.h>
#include <poputil/detail/call.hpp>
#include <set>
#include <string>
#include <vector>

namespace popops
{

namespace detail
{
inline popops_collective_operator of(CollectiveOperator op)
{
    return static_cast<popops_collective_operator>(op);
}
inline std::vector<pop_tensor> partsOf(const poplar::Tensor &data)
{
    return std::vector<pop_tensor>(data.rank() ? data.dim(0) : 0);
}
inline Chunks chunksOf(const poplar::Graph &graph, const poplar::Tensor &data, const std::vector<pop_tensor> &parts)
{
    poputil::detail::check(graph.c());
    Chunks result;
    result.originalInput = data;
    for (const pop_tensor &part : parts)
        result.chunks.push_back(Chunk(poplar::Tensor(part), static_cast<unsigned>(result.chunks.size()), 0));
    return result;
}
} // namespace detail

inline Chunks reduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce, Operation op,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {})
{
    std::vector<pop_tensor> parts = detail::partsOf(toReduce);
    popops_reduce_scatter_at(poplar::detail::where(debugContext), graph.c(), toReduce.c(),
                             static_cast<popops_operation>(op), prog.cToGrow(graph.c()),
                             poplar::detail::name(debugContext), poplar::detail::Options(options), parts.data());
    return detail::chunksOf(graph, toReduce, parts);
}
inline Chunks reduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce, CollectiveOperator op,
                            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {})
{
    std::vector<pop_tensor> parts = detail::partsOf(toReduce);
    popops_ipu_reduce_scatter_at(poplar::detail::where(debugContext), graph.c(), toReduce.c(), detail::of(op),
                                 prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                 poplar::detail::Options(options), parts.data());
    return detail::chunksOf(graph, toReduce, parts);
}
// The result holds the chunks in the order of offset, then index, whatever their order in the list.  It has as many
// rows as originalInput, or, without it, as there are indices.
inline poplar::Tensor allGather(poplar::Graph &graph, const Chunks &toGather, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    std::vector<popops_chunk> chunks;
    std::set<unsigned> indices;
    for (const Chunk &chunk : toGather.chunks) {
        chunks.push_back({ chunk.tensor.c(), chunk.index, chunk.offset });
        indices.insert(chunk.index);
    }
    const poplar::Tensor &input = toGather.originalInput;
    const size_t rows = input.valid() && input.rank() ? input.dim(0) : indices.size();
    return poputil::detail::give(
        graph.c(), popops_all_gather_chunks_at(poplar::detail::where(debugContext), graph.c(), chunks.data(),
                                               chunks.size(), rows, prog.cToGrow(graph.c()),
                                               poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &toReduce, Operation op,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), popops_all_reduce_at(poplar::detail::where(debugContext), graph.c(), toReduce.c(),
                                        static_cast<popops_operation>(op), prog.cToGrow(graph.c()),
                                        poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &toReduce, CollectiveOperator op,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), popops_ipu_all_reduce_at(poplar::detail::where(debugContext), graph.c(), toReduce.c(),
                                            detail::of(op), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                            poplar::detail::Options(options)));
}

} // namespace popops
#endif
