// SPDX-License-Identifier: Apache-2.0
// Metadata tensors of 8-bit floats (poplar/metadata.h).
#ifndef POPLAR_METADATA_CREATION_HPP
#define POPLAR_METADATA_CREATION_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/metadata.h>

// Of popops (popops/quarter_metadata.h).
extern "C" POP_API pop_tensor popops_create_metadata_tensor_at(pop_where where, pop_graph *graph,
                                                               pop_quarter_format format, pop_tensor scale,
                                                               pop_program sequence, const char *name);

namespace poplar
{
namespace detail
{

inline Tensor giveMetadata(const Graph &graph, const pop_tensor &t, const DebugContext &debugContext)
{
    if (!t.store)
        raiseFrom(graph.c(), where(debugContext));
    return Tensor(t);
}

} // namespace detail

// One element of shape {} on tile 0, with an initial value.
inline Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                           const DebugContext &debugContext = {})
{
    return detail::giveMetadata(graph,
                                pop_create_variable_metadata_tensor_at(detail::where(debugContext), graph.c(),
                                                                       static_cast<pop_quarter_format>(format), scale,
                                                                       detail::name(debugContext)),
                                debugContext);
}
// The metadata as a constant.
inline Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                           const DebugContext &debugContext = {})
{
    return detail::giveMetadata(graph,
                                pop_create_constant_metadata_tensor_at(detail::where(debugContext), graph.c(),
                                                                       static_cast<pop_quarter_format>(format), scale,
                                                                       detail::name(debugContext)),
                                debugContext);
}
// With the format and scale of metadata.
inline Tensor createVariableMetadataTensor(Graph &graph, const QuarterMetadata &metadata,
                                           const DebugContext &debugContext = {})
{
    return createVariableMetadataTensor(graph, metadata.getFormat(), metadata.getScale(), debugContext);
}
inline Tensor createConstantMetadataTensor(Graph &graph, const QuarterMetadata &metadata,
                                           const DebugContext &debugContext = {})
{
    return createConstantMetadataTensor(graph, metadata.getFormat(), metadata.getScale(), debugContext);
}
// With a scale that the program computes: a scalar of type INT.  Uses popops, whose codelets the graph must have.
inline Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, const Tensor &scale,
                                           program::Sequence &prog, const DebugContext &debugContext = {})
{
    return detail::giveMetadata(graph,
                                popops_create_metadata_tensor_at(detail::where(debugContext), graph.c(),
                                                                 static_cast<pop_quarter_format>(format), scale.c(),
                                                                 prog.cToGrow(graph.c()), detail::name(debugContext)),
                                debugContext);
}

} // namespace poplar
#endif
