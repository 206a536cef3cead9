// SPDX-License-Identifier: Apache-2.0
// Estimators' access to vertices.
#ifndef POPLAR_IMPL_VERTEX_INTROSPECTOR_HPP
#define POPLAR_IMPL_VERTEX_INTROSPECTOR_HPP

#include <poplar/VertexIntrospector.hpp>

namespace poplar
{

POPLAR_IMPL FieldData::FieldData(const pop_vertex_view *of, std::string fieldName, std::size_t rowIndex)
    : vertex(of), field(std::move(fieldName)), row(rowIndex)
{
}
POPLAR_IMPL std::string FieldData::name() const
{
    return field;
}
POPLAR_IMPL unsigned FieldData::rank() const
{
    return static_cast<unsigned>(pop_vertex_view_field_rank(vertex, field.c_str())) - (row != POP_WHOLE);
}
POPLAR_IMPL std::size_t FieldData::size() const
{
    return pop_vertex_view_field_size(vertex, field.c_str(), row);
}
POPLAR_IMPL std::size_t FieldData::getSizeAtIndex(std::size_t index) const
{
    return pop_vertex_view_field_size(vertex, field.c_str(), index);
}
POPLAR_IMPL FieldData FieldData::operator[](std::size_t index) const
{
    return FieldData(vertex, field, index);
}
POPLAR_IMPL layout::Vector FieldData::getProfilerVectorLayout(std::size_t level) const
{
    return static_cast<layout::Vector>(
        pop_vertex_view_field_layout(vertex, field.c_str(), static_cast<unsigned>(level)));
}
POPLAR_IMPL layout::VectorList FieldData::getProfilerVectorListLayout() const
{
    return static_cast<layout::VectorList>(pop_vertex_view_field_list_layout(vertex, field.c_str()));
}
POPLAR_IMPL double FieldData::value(std::size_t i) const
{
    return row == POP_WHOLE ? pop_vertex_view_field_value(vertex, field.c_str(), i)
                            : pop_vertex_view_field_row_value(vertex, field.c_str(), row, i);
}
POPLAR_IMPL FieldData VertexIntrospector::getFieldInfo(const std::string &name) const
{
    if (!pop_vertex_view_has_field(vertex, name.c_str()))
        detail::raise(POP_UNKNOWN_FIELD, "vertex type '%s' has no field '%s'", pop_vertex_view_type(vertex),
                      name.c_str());
    return FieldData(vertex, name);
}
POPLAR_IMPL ComputeSet VertexIntrospector::getComputeSet() const
{
    return ComputeSet(pop_vertex_view_compute_set(vertex) - 1);
}

} // namespace poplar
#endif
