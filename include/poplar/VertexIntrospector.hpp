// SPDX-License-Identifier: Apache-2.0
// What an estimator may ask about the vertex that it estimates.  Valid for the call.
#ifndef POPLAR_VERTEX_INTROSPECTOR_HPP
#define POPLAR_VERTEX_INTROSPECTOR_HPP

#include <poplar/GraphElements.hpp>
#include <poplar/detail/error.hpp>
#include <poplar/detail/profiler_layout.hpp>

#include <string>
#include <vector>

namespace poplar {

class Target;

// A field of a vertex, or one row of it.
class FieldData {
public:
    FieldData(const pop_vertex_view *of, std::string fieldName, std::size_t rowIndex = POP_WHOLE)
        : vertex(of), field(std::move(fieldName)), row(rowIndex)
    {
    }
    std::string name() const { return field; }
    unsigned rank() const { return static_cast<unsigned>(pop_vertex_view_field_rank(vertex, field.c_str())) - (row != POP_WHOLE); }
    // Elements, or rows of a vector of vectors.
    std::size_t size() const { return pop_vertex_view_field_size(vertex, field.c_str(), row); }
    std::size_t getSizeAtIndex(std::size_t index) const { return pop_vertex_view_field_size(vertex, field.c_str(), index); }
    FieldData operator[](std::size_t index) const { return FieldData(vertex, field, index); }

    // What state starts as.
    template <typename T> T getInitialValue(const Target &) const { return static_cast<T>(value(0)); }
    template <typename T> std::vector<T> getInitialValues(const Target &target) const
    {
        std::vector<T> values;
        fill(values, target);
        return values;
    }


    // How the vector of a level is kept: 0 is the outer one.
    layout::Vector getProfilerVectorLayout(std::size_t level) const
    {
        return static_cast<layout::Vector>(pop_vertex_view_field_layout(vertex, field.c_str(), static_cast<unsigned>(level)));
    }
    layout::VectorList getProfilerVectorListLayout() const
    {
        return static_cast<layout::VectorList>(pop_vertex_view_field_list_layout(vertex, field.c_str()));
    }

private:
    double value(std::size_t i) const
    {
        return row == POP_WHOLE ? pop_vertex_view_field_value(vertex, field.c_str(), i)
                                : pop_vertex_view_field_row_value(vertex, field.c_str(), row, i);
    }
    template <typename T> void fill(std::vector<T> &values, const Target &) const
    {
        for (std::size_t i = 0, count = size(); i < count; ++i)
            values.push_back(static_cast<T>(value(i)));
    }
    template <typename T> void fill(std::vector<std::vector<T>> &values, const Target &target) const
    {
        for (std::size_t i = 0, count = size(); i < count; ++i)
            values.push_back((*this)[i].template getInitialValues<T>(target));
    }

    const pop_vertex_view *vertex;
    std::string field;
    std::size_t row;
};

class VertexIntrospector {
public:
    explicit VertexIntrospector(const pop_vertex_view *from) : vertex(from) {}
    FieldData getFieldInfo(const std::string &name) const
    {
        if (!pop_vertex_view_has_field(vertex, name.c_str()))
            detail::raise(POP_UNKNOWN_FIELD, "vertex type '%s' has no field '%s'", pop_vertex_view_type(vertex), name.c_str());
        return FieldData(vertex, name);
    }
    ComputeSet getComputeSet() const { return ComputeSet(pop_vertex_view_compute_set(vertex) - 1); }

private:
    const pop_vertex_view *vertex;
};

} // namespace poplar
#endif
