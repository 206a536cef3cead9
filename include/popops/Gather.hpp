// SPDX-License-Identifier: Apache-2.0
// Gathering slices at a list of indices (popops/gather.h).
#ifndef POPOPS_GATHER_HPP
#define POPOPS_GATHER_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/gather.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// Parameters of the simple form.
struct GatherParams {
    // For tensors of createGatherInput: the limit of elements on a tile, exceeded only when all tiles have some.
    std::size_t maxElementsPerTile = 65535;

    GatherParams() = default;
    // At most this many elements of a created input on a tile.
    GatherParams(std::size_t largest) : maxElementsPerTile(largest)
    {
    }
};

namespace detail
{

inline popops_gather_params gatherParams(const GatherParams &params)
{
    popops_gather_params c = { params.maxElementsPerTile };
    return c;
}

} // namespace detail

inline poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                        const std::vector<std::size_t> &operandShape, unsigned axis,
                                        GatherParams params = GatherParams(),
                                        const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_gather_input_axis_at(
                                                poplar::detail::where(debugContext), graph.c(), type.c(),
                                                poplar::detail::shape(operandShape), axis, detail::gatherParams(params),
                                                poplar::detail::name(debugContext)));
}
// The elements along an axis at the given indices; the indices' shape replaces the axis in the result's shape.
inline poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &indices,
                             unsigned axis, poplar::program::Sequence &prog, GatherParams params,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), popops_gather_axis_at(poplar::detail::where(debugContext), graph.c(), input.c(), indices.c(), axis,
                                         prog.cToGrow(graph.c()), detail::gatherParams(params),
                                         poplar::detail::name(debugContext), poplar::detail::Options(options)));
}
// Operand of the general form, which follows XLA's Gather.
inline poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                        const std::vector<std::size_t> &inputShape,
                                        const std::vector<std::size_t> &sliceSizes, std::vector<unsigned> startIndexMap,
                                        const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(),
        popops_create_gather_input_at(poplar::detail::where(debugContext), graph.c(), type.c(),
                                      poplar::detail::shape(inputShape), poplar::detail::shape(sliceSizes),
                                      poplar::detail::dims(startIndexMap), poplar::detail::name(debugContext)));
}
inline poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &indices,
                             std::size_t indexVectorDim, const std::vector<std::size_t> &offsetDims,
                             const std::vector<std::size_t> &sliceSizes,
                             const std::vector<std::size_t> &collapsedSliceDims,
                             const std::vector<unsigned> &startIndexMap, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), popops_gather_at(poplar::detail::where(debugContext), graph.c(), input.c(), indices.c(),
                                    indexVectorDim, poplar::detail::Dims(offsetDims).c(),
                                    poplar::detail::shape(sliceSizes), poplar::detail::Dims(collapsedSliceDims).c(),
                                    poplar::detail::dims(startIndexMap), prog.cToGrow(graph.c()),
                                    poplar::detail::name(debugContext), poplar::detail::Options(options)));
}

} // namespace popops
#endif
