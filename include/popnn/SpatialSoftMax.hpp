// SPDX-License-Identifier: Apache-2.0
// The expected position of the maximum of a field (popnn/spatial_softmax.h).
#ifndef POPNN_SPATIAL_SOFTMAX_HPP
#define POPNN_SPATIAL_SOFTMAX_HPP

#include <poplar/Program.hpp>
#include <popnn/spatial_softmax.h>
#include <poputil/detail/call.hpp>

#include <utility>

namespace popnn
{

// Row and column for each field, {fields, 2}, and the temperature.
inline std::pair<poplar::Tensor, poplar::Tensor> spatialSoftMax2D(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                                  const poplar::Tensor &fields, float temperature,
                                                                  bool disableSoftmax = false,
                                                                  const poplar::DebugContext &debugContext = {})
{
    pop_tensor variable = {};
    const pop_tensor places = popnn_spatial_softmax_2d_at(
        poplar::detail::where(debugContext), graph.c(), prog.cToGrow(graph.c()), fields.c(),
        static_cast<double>(temperature), disableSoftmax, poplar::detail::name(debugContext), &variable);
    const poplar::Tensor first = poputil::detail::give(graph.c(), places);
    return std::make_pair(first, poputil::detail::give(graph.c(), variable));
}

} // namespace popnn
#endif
