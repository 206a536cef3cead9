// SPDX-License-Identifier: Apache-2.0
// Normalisation of images with three channels, padded to four (popops/normalise_image.h).
#ifndef POPOPS_NORMALISE_IMAGE_HPP
#define POPOPS_NORMALISE_IMAGE_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Program.hpp>
#include <popops/normalise_image.h>
#include <poputil/detail/call.hpp>

#include <cstddef>

namespace popops
{

// An input of type UNSIGNED_CHAR, HALF or FLOAT and shape {..., 3}.
inline poplar::Tensor createNormaliseImageInput(poplar::Graph &graph, const poplar::Type &type,
                                                const poplar::ArrayRef<std::size_t> shape,
                                                const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_create_normalise_image_input_at(
                                                poplar::detail::where(debugContext), graph.c(), type.c(),
                                                poplar::detail::shape(shape), poplar::detail::name(debugContext)));
}
// (tIn * inScale - inOffsets) * inScales, and a fourth channel of zeros.
inline poplar::Tensor normaliseImage(poplar::Graph &graph, poplar::program::Sequence &prog, poplar::Tensor tIn,
                                     float inScale, poplar::Tensor inOffsets, poplar::Tensor inScales,
                                     const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), popops_normalise_image_at(poplar::detail::where(debugContext), graph.c(),
                                                                      tIn.c(), inScale, inOffsets.c(), inScales.c(),
                                                                      prog.cToGrow(graph.c()),
                                                                      poplar::detail::name(debugContext)));
}

} // namespace popops
#endif
