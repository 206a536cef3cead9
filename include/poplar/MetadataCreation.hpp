// SPDX-License-Identifier: Apache-2.0
// Tensors with the format and scale of 8-bit floats, which no device of this library supports: the calls throw.
#ifndef POPLAR_METADATA_CREATION_HPP
#define POPLAR_METADATA_CREATION_HPP

#include <poplar/Graph.hpp>
#include <poplar/Quarter.hpp>

namespace poplar
{
namespace detail
{

[[noreturn]] inline void refuseQuarter(const DebugContext &debugContext, const char *api)
{
    raise(POP_TENSOR_METADATA_ERROR, where(debugContext), api,
          "8-bit floats (QUARTER) are not supported, so that there is no metadata for them");
}

} // namespace detail

// Format is QuarterMetadata::Format, or a list of them; scale a number, or a list.
template <typename Format, typename Scale>
Tensor createVariableMetadataTensor(Graph &, const Format &, const Scale &, const DebugContext &debugContext = {})
{
    detail::refuseQuarter(debugContext, "createVariableMetadataTensor");
}
// Throws: 8-bit floats have no metadata here.
template <typename Metadata>
Tensor createVariableMetadataTensor(Graph &, const Metadata &, const DebugContext &debugContext = {})
{
    detail::refuseQuarter(debugContext, "createVariableMetadataTensor");
}
// Throws: 8-bit floats have no metadata here.
template <typename Format, typename Scale>
Tensor createConstantMetadataTensor(Graph &, const Format &, const Scale &, const DebugContext &debugContext = {})
{
    detail::refuseQuarter(debugContext, "createConstantMetadataTensor");
}
template <typename Metadata>
Tensor createConstantMetadataTensor(Graph &, const Metadata &, const DebugContext &debugContext = {})
{
    detail::refuseQuarter(debugContext, "createConstantMetadataTensor");
}

} // namespace poplar
#endif
