// SPDX-License-Identifier: Apache-2.0
// Rows of sparse weights (popsparse/embedding.h).
#ifndef POPSPARSE_EMBEDDING_HPP
#define POPSPARSE_EMBEDDING_HPP

#include <popsparse/FullyConnected.hpp>
#include <popsparse/embedding.h>

namespace popsparse
{
namespace dynamic
{

// New indices {numIndices}.
inline poplar::Tensor createIndicesTensor(poplar::Graph &graph, const FullyConnectedParams &params,
                                          std::size_t numIndices, const poplar::OptionFlags &options = {},
                                          const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popsparse_dynamic_create_indices_tensor_at(
                                                poplar::detail::where(debugContext), graph.c(), &params.c(), numIndices,
                                                poplar::detail::Options(options), poplar::detail::name(debugContext)));
}
// New slices {numIndices, in}.
inline poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &dataType,
                                        const FullyConnectedParams &params, std::size_t numIndices,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(), popsparse_dynamic_create_slice_tensor_at(
                                                poplar::detail::where(debugContext), graph.c(), dataType.c(),
                                                &params.c(), numIndices, poplar::detail::name(debugContext),
                                                poplar::detail::Options(options), detail::cache(cache)));
}
// Row indices[i] of the weights as row i of {indices, in}.
inline poplar::Tensor embeddingSlice(poplar::Graph &graph, const SparseTensor &t, const poplar::Tensor &indices,
                                     poplar::program::Sequence &prog, const FullyConnectedParams &params,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(
        graph.c(),
        popsparse_dynamic_embedding_slice_at(poplar::detail::where(debugContext), graph.c(), t.c(), indices.c(),
                                             prog.cToGrow(graph.c()), &params.c(), poplar::detail::name(debugContext),
                                             poplar::detail::Options(options), detail::cache(cache)));
}
// Adds scale times row i of slices to row indices[i] of the weights, where they have values.
inline void embeddingUpdateAdd(poplar::Graph &graph, const SparseTensor &t, const poplar::Tensor &slices,
                               const poplar::Tensor &indices, const poplar::Tensor &scale,
                               poplar::program::Sequence &prog, const FullyConnectedParams &params,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                               PlanningCache *cache = nullptr)
{
    popsparse_dynamic_embedding_update_add_at(poplar::detail::where(debugContext), graph.c(), t.c(), slices.c(),
                                              indices.c(), scale.c(), prog.cToGrow(graph.c()), &params.c(),
                                              poplar::detail::name(debugContext), poplar::detail::Options(options),
                                              detail::cache(cache));
    poputil::detail::check(graph.c());
}

} // namespace dynamic
} // namespace popsparse
#endif
