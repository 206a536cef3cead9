// SPDX-License-Identifier: Apache-2.0
// Handles of a graph's elements: copyable values, valid as long as the graph.
#ifndef POPLAR_GRAPH_ELEMENTS_HPP
#define POPLAR_GRAPH_ELEMENTS_HPP

#include <poplar/StringRef.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/graph.h>

namespace poplar
{

namespace detail
{

// A C handle with Poplar's interface: ids begin at 0, and a handle made from an id alone belongs to the graph that uses
// it.
template <typename Element, typename Handle> class GraphElement
{
  public:
    GraphElement() : handle()
    {
    }
    GraphElement(unsigned id) : handle()
    {
        handle.id = id + 1;
    }
    explicit GraphElement(Handle from) : handle(from)
    {
    }

    unsigned getId() const
    {
        return handle.id - 1;
    }
    friend bool operator==(const Element &a, const Element &b)
    {
        return a.handle.id == b.handle.id;
    }
    friend bool operator!=(const Element &a, const Element &b)
    {
        return !(a == b);
    }
    friend bool operator<(const Element &a, const Element &b)
    {
        return a.handle.id < b.handle.id;
    }

    Handle c() const
    {
        return handle;
    } // the C interface's; its store is NULL when it was made from an id

  protected:
    Handle handle;
};

// A function in remote memory, by its number.
struct FunctionBufferHandle {
    unsigned id;
};

} // namespace detail

class ComputeSet : public detail::GraphElement<ComputeSet, pop_compute_set>
{
  public:
    using GraphElement::GraphElement;
    ComputeSet()
    {
    }
};

// A program that other programs call (Graph::addFunction).
class Function : public detail::GraphElement<Function, pop_function>
{
  public:
    using GraphElement::GraphElement;
    Function()
    {
    }
};

// A function of the host that programs call (Graph::addHostFunction).
class HostFunction : public detail::GraphElement<HostFunction, pop_host_function>
{
  public:
    using GraphElement::GraphElement;
    HostFunction()
    {
    }
};

// A function's code in a buffer (Graph::addFunctionBuffer).
class FunctionBuffer : public detail::GraphElement<FunctionBuffer, detail::FunctionBufferHandle>
{
  public:
    using GraphElement::GraphElement;
    FunctionBuffer()
    {
    }
};

// A field of a vertex, or one element of it.
class POP_API FieldRef
{
  public:
    FieldRef(pop_vertex of, const char *fieldName) : vertex(of), field(fieldName), at(POP_WHOLE)
    {
    } // a literal: nothing is copied
    // A field of a vertex by its name.
    FieldRef(pop_vertex of, StringRef fieldName);

    FieldRef operator[](std::size_t index) const
    {
        FieldRef element(*this);
        element.at = index;
        return element;
    }
    // Whether this is an element of a vector field.
    bool isIndexed() const
    {
        return at != POP_WHOLE;
    }
    // The element's index.
    std::size_t getIndex() const
    {
        return at;
    }

    // The C handle.
    pop_vertex c() const
    {
        return vertex;
    }
    // The field's name.
    const char *name() const
    {
        return field;
    }

  private:
    pop_vertex vertex;
    const char *field;
    std::size_t at;
};

// A vertex. A value: the graph owns the vertex.
class VertexRef
{
  public:
    VertexRef() : vertex()
    {
    }
    explicit VertexRef(pop_vertex from) : vertex(from)
    {
    }

    // A field by its name.
    FieldRef operator[](const char *fieldName) const
    {
        return FieldRef(vertex, fieldName);
    }
    FieldRef operator[](StringRef fieldName) const
    {
        return FieldRef(vertex, fieldName);
    }
    // The vertex's number in the graph.
    unsigned getId() const
    {
        return vertex.id - 1;
    }
    friend bool operator==(const VertexRef &a, const VertexRef &b)
    {
        return a.vertex.id == b.vertex.id;
    }
    friend bool operator!=(const VertexRef &a, const VertexRef &b)
    {
        return !(a == b);
    }

    pop_vertex c() const
    {
        return vertex;
    } // the C interface's

  private:
    pop_vertex vertex;
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/GraphElements.hpp>
#endif
#endif
