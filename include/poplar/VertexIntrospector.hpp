// SPDX-License-Identifier: Apache-2.0
// An estimator's access to its vertex, valid during the call.
#ifndef POPLAR_VERTEX_INTROSPECTOR_HPP
#define POPLAR_VERTEX_INTROSPECTOR_HPP

#include <poplar/GraphElements.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/error.hpp>
#include <poplar/detail/profiler_layout.hpp>

#include <string>
#include <vector>

namespace poplar
{

class Target;

// A field of a vertex, or one row of it.
class POP_API FieldData
{
  public:
    // A field of a vertex, or a row of it.
    FieldData(const pop_vertex_view *of, std::string fieldName, std::size_t rowIndex = POP_WHOLE);
    // The field's name.
    std::string name() const;
    // 0 for a scalar field, 1 for a vector, 2 for a vector of vectors.
    unsigned rank() const;
    // Elements, or rows of a vector of vectors.
    std::size_t size() const;
    // Elements of a row.
    std::size_t getSizeAtIndex(std::size_t index) const;
    FieldData operator[](std::size_t index) const;

    // Initial values of state.
    template <typename T> T getInitialValue(const Target &) const
    {
        return static_cast<T>(value(0));
    }
    // Initial values of a state field.
    template <typename T> std::vector<T> getInitialValues(const Target &target) const
    {
        std::vector<T> values;
        fill(values, target);
        return values;
    }

    // The layout of the vector at a level; 0 is the outer one.
    layout::Vector getProfilerVectorLayout(std::size_t level) const;
    // Layout of the table of inner vectors.
    layout::VectorList getProfilerVectorListLayout() const;

  private:
    double value(std::size_t i) const;
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

// The vertex that an estimator estimates. Valid for the call.
class POP_API VertexIntrospector
{
  public:
    // Of the C interface's view.
    explicit VertexIntrospector(const pop_vertex_view *from) : vertex(from)
    {
    }
    // A field by its name; throws unknown_field.
    FieldData getFieldInfo(const std::string &name) const;
    // The compute set that contains the vertex.
    ComputeSet getComputeSet() const;

  private:
    const pop_vertex_view *vertex;
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/VertexIntrospector.hpp>
#endif
#endif
