// SPDX-License-Identifier: Apache-2.0
// Handles of what a graph holds.  They are values: copied freely, valid as long as the graph.
#ifndef POPLAR_GRAPH_ELEMENTS_HPP
#define POPLAR_GRAPH_ELEMENTS_HPP

#include <poplar/StringRef.hpp>
#include <poplar/graph.h>

namespace poplar {

namespace detail {

// A handle of C with Poplar's interface: ids begin at 0, and one made from an id alone belongs to the graph that it is used in.
template <typename Element, typename Handle> class GraphElement {
public:
    GraphElement() : handle() {}
    GraphElement(unsigned id) : handle() { handle.id = id + 1; }
    explicit GraphElement(Handle from) : handle(from) {}

    unsigned getId() const { return handle.id - 1; }
    friend bool operator==(const Element &a, const Element &b) { return a.handle.id == b.handle.id; }
    friend bool operator!=(const Element &a, const Element &b) { return !(a == b); }
    friend bool operator<(const Element &a, const Element &b) { return a.handle.id < b.handle.id; }

    Handle c() const { return handle; } // the C interface's; its store is NULL when it was made from an id

protected:
    Handle handle;
};

} // namespace detail

class ComputeSet : public detail::GraphElement<ComputeSet, pop_compute_set> {
public:
    using GraphElement::GraphElement;
    ComputeSet() {}
};

class Function : public detail::GraphElement<Function, pop_function> {
public:
    using GraphElement::GraphElement;
    Function() {}
};

class HostFunction : public detail::GraphElement<HostFunction, pop_host_function> {
public:
    using GraphElement::GraphElement;
    HostFunction() {}
};

} // namespace poplar
#endif
