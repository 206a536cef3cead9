// SPDX-License-Identifier: Apache-2.0
// Fully connected layers with sparse weights (popsparse/fully_connected.h).
#ifndef POPSPARSE_FULLY_CONNECTED_HPP
#define POPSPARSE_FULLY_CONNECTED_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>
#include <popsparse/fully_connected.h>
#include <poputil/detail/call.hpp>

#include <tuple>

namespace popsparse
{
namespace dynamic
{

// New variables for the weights, without contents.
inline SparseTensor createFullyConnectedWeights(poplar::Graph &graph, const poplar::Type &inputType,
                                                const FullyConnectedParams &params,
                                                const poplar::DebugContext &debugContext = {},
                                                const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    const popsparse_dynamic_sparse_tensor made = popsparse_dynamic_create_fully_connected_weights_at(
        poplar::detail::where(debugContext), graph.c(), inputType.c(), &params.c(), poplar::detail::name(debugContext),
        poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(graph.c());
    return SparseTensor(made);
}
// A new input {batch, groups x in}.
inline poplar::Tensor createFullyConnectedInput(poplar::Graph &graph, const poplar::Type &inputType,
                                                const FullyConnectedParams &params,
                                                const poplar::DebugContext &debugContext = {},
                                                const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(), popsparse_dynamic_create_fully_connected_input_at(
                                                poplar::detail::where(debugContext), graph.c(), inputType.c(),
                                                &params.c(), poplar::detail::name(debugContext),
                                                poplar::detail::Options(options), detail::cache(cache)));
}
// {batch, groups x in} -> {batch, groups x out}
inline poplar::Tensor fullyConnectedFwd(poplar::Graph &graph, const SparseTensor &weights,
                                        const poplar::Tensor &activations, const FullyConnectedParams &params,
                                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(
        graph.c(), popsparse_dynamic_fully_connected_fwd_at(poplar::detail::where(debugContext), graph.c(), weights.c(),
                                                            activations.c(), &params.c(), prog.cToGrow(graph.c()),
                                                            poplar::detail::name(debugContext),
                                                            poplar::detail::Options(options), detail::cache(cache)));
}
// {batch, groups x out} -> {batch, groups x in}
inline poplar::Tensor fullyConnectedGradA(poplar::Graph &graph, const SparseTensor &weights,
                                          const poplar::Tensor &gradients, const FullyConnectedParams &params,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(),
                                 popsparse_dynamic_fully_connected_grad_a_at(
                                     poplar::detail::where(debugContext), graph.c(), weights.c(), gradients.c(),
                                     &params.c(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                     poplar::detail::Options(options), detail::cache(cache)));
}
// The gradient of the values, in the order of the weights' nzValues.
inline poplar::Tensor fullyConnectedSparseGradW(poplar::Graph &graph, const poplar::Tensor sparsityMetaInfo,
                                                const poplar::Tensor &gradA, const poplar::Tensor &activations,
                                                const FullyConnectedParams &params, poplar::program::Sequence &prog,
                                                const poplar::DebugContext &debugContext = {},
                                                const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    return poputil::detail::give(graph.c(), popsparse_dynamic_fully_connected_sparse_grad_w_at(
                                                poplar::detail::where(debugContext), graph.c(), sparsityMetaInfo.c(),
                                                gradA.c(), activations.c(), &params.c(), prog.cToGrow(graph.c()),
                                                poplar::detail::name(debugContext), poplar::detail::Options(options),
                                                detail::cache(cache)));
}
// Serial splits of groups, input channels and output channels for a dense gradient of the weights.
inline std::tuple<unsigned, unsigned, unsigned>
fullyConnectedDenseGradWSerialSplits(const poplar::Graph &graph, const poplar::Type &inputType,
                                     const FullyConnectedParams &params, const poplar::OptionFlags &options = {},
                                     PlanningCache *cache = nullptr,
                                     poputil::detail::Where where = poputil::detail::Where::here())
{
    pop_graph *const g = const_cast<poplar::Graph &>(graph).c();
    const popsparse_dynamic_serial_splits splits = popsparse_dynamic_fully_connected_dense_grad_w_serial_splits_at(
        where, g, inputType.c(), &params.c(), poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(g);
    return std::make_tuple(splits.groups, splits.input_channels, splits.output_channels);
}

} // namespace dynamic
} // namespace popsparse
#endif
