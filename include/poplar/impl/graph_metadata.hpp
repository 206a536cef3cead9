// SPDX-License-Identifier: Apache-2.0
// How graphs get tensors of 8-bit floats that share metadata.
#ifndef POPLAR_IMPL_GRAPH_METADATA_HPP
#define POPLAR_IMPL_GRAPH_METADATA_HPP

#include <poplar/Graph.hpp>
#include <poplar/impl/connection.hpp>

namespace poplar
{

POPLAR_IMPL void Graph::needQuarter(const Type &type, const DebugContext &debugContext, const char *api)
{
    if (type != QUARTER)
        detail::raise(POP_TENSOR_METADATA_ERROR, detail::where(debugContext), api,
                      "metadata is given for elements of type %s: only quarter has some", pop_type_name(type.c()));
}
POPLAR_IMPL Tensor Graph::addQuarters(const Type &type, const detail::Metadata &metadata, ArrayRef<std::size_t> shape,
                                      pop_type host, const void *values, std::size_t count,
                                      const DebugContext &debugContext)
{
    static const char api[] = "pop_graph_add_constant_with_metadata";
    const pop_where where = detail::where(debugContext);
    if (!metadata.given)
        return addValues(type, shape, host, values, count, debugContext);
    needQuarter(type, debugContext, api);
    if (count != POP_WHOLE)
        detail::checkCount(where, api, detail::count(shape), count, "the shape has");
    return give(pop_graph_add_constant_with_metadata_at(where, c(), metadata.tensor, detail::shape(shape), host, values,
                                                        detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::addQuarterFill(const Type &type, const detail::Metadata &metadata,
                                         ArrayRef<std::size_t> shape, pop_type host, const void *value,
                                         const DebugContext &debugContext)
{
    if (!metadata.given)
        return addFilled(type, shape, host, value, debugContext);
    needQuarter(type, debugContext, "pop_graph_add_constant_fill_with_metadata");
    return give(pop_graph_add_constant_fill_with_metadata_at(detail::where(debugContext), c(), metadata.tensor,
                                                             detail::shape(shape), host, value,
                                                             detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::addVariable(const Type &type, detail::Metadata metadata, ArrayRef<std::size_t> shape,
                                      const DebugContext &debugContext)
{
    return addVariable(type, metadata, shape, VariableMappingMethod::NONE, debugContext);
}
POPLAR_IMPL Tensor Graph::addVariable(const Type &type, detail::Metadata metadata, ArrayRef<std::size_t> shape,
                                      VariableMappingMethod method, const DebugContext &debugContext)
{
    if (!metadata.given)
        return addVariable(type, shape, method, debugContext);
    needQuarter(type, debugContext, "pop_graph_add_variable_with_metadata");
    return give(pop_graph_add_variable_with_metadata_at(detail::where(debugContext), c(), metadata.tensor,
                                                        detail::shape(shape), static_cast<pop_mapping_method>(method),
                                                        detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::clone(const Type &type, detail::Metadata metadata, const Tensor &t,
                                const DebugContext &debugContext, TensorCloneMethod method)
{
    if (!metadata.given)
        return clone(type, t, debugContext, method);
    needQuarter(type, debugContext, "pop_graph_clone_with_metadata");
    return give(pop_graph_clone_with_metadata_at(detail::where(debugContext), c(), metadata.tensor, t.c(),
                                                 static_cast<pop_clone_method>(method), detail::name(debugContext)));
}

} // namespace poplar
#endif
