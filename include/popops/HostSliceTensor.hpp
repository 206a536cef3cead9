// SPDX-License-Identifier: Apache-2.0
// Tensors for data exchange with the host (popops/host_slice_tensor.h).
#ifndef POPOPS_HOST_SLICE_TENSOR_HPP
#define POPOPS_HOST_SLICE_TENSOR_HPP

#include <popops/host_slice_tensor.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// The tensors of a host slice.
struct IndicesAndTensor {
    poplar::Tensor indices;
    poplar::Tensor tensor;
};

// offset: bytes of such tensors that are there already, so that several tensors begin on different tiles.
inline IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                  const std::vector<std::size_t> &shape, const bool isRead,
                                                  const std::size_t offset,
                                                  const poplar::DebugContext &debugContext = {})
{
    const popops_indices_and_tensor both = popops_create_host_sliceable_tensor_at(
        poplar::detail::where(debugContext), graph.c(), type.c(), poplar::detail::shape(shape), isRead, offset,
        poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
    return IndicesAndTensor{ poplar::Tensor(both.indices), poplar::Tensor(both.tensor) };
}
inline IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                  const std::vector<std::size_t> &shape, const bool isRead,
                                                  const poplar::DebugContext &debugContext = {})
{
    return createHostSliceableTensor(graph, type, shape, isRead, std::size_t(0), debugContext);
}
inline poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                   const std::vector<std::size_t> &shape, bool isRead,
                                                   const std::size_t offset,
                                                   const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), popops_create_host_transferable_tensor_at(poplar::detail::where(debugContext), graph.c(), type.c(),
                                                             poplar::detail::shape(shape), isRead, offset,
                                                             poplar::detail::name(debugContext)));
}
inline poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                   const std::vector<std::size_t> &shape, bool isRead,
                                                   const poplar::DebugContext &debugContext = {})
{
    return createHostTransferableTensor(graph, type, shape, isRead, std::size_t(0), debugContext);
}

} // namespace popops
#endif
