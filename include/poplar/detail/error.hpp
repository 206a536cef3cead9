// SPDX-License-Identifier: Apache-2.0
// From C errors to exceptions.
#ifndef POPLAR_DETAIL_ERROR_HPP
#define POPLAR_DETAIL_ERROR_HPP

#include <poplar/detail/where.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/graph.h>

namespace poplar {
namespace detail {

// The text that what() gives: the C error's, then where and in what.  The class says its kind, and the C call is not what the user wrote.
inline std::string errorText(const pop_error &error)
{
    char buffer[2048];
    pop_error_format(&error, buffer, sizeof(buffer));
    const std::string text(buffer), begin = (error.api[0] ? std::string(error.api) + ": " : "") + pop_status_name(error.status) + ": ";
    return text.compare(0, begin.size(), begin) == 0 ? text.substr(begin.size()) : text;
}

// Throws the exception class of the error's kind.
[[noreturn]] inline void raise(const pop_error &error)
{
    if (error.status == POP_GRAPH_MEMORY_ALLOCATION_ERROR)
        throw graph_memory_allocation_error(errorText(error), error.artifact);
    switch (error.status) {
#define POP_ERROR_KIND(constant, spelling, base)                                                                       \
    case POP_##constant:                                                                                               \
        throw spelling(errorText(error));
#include <poplar/errors.def>
#undef POP_ERROR_KIND
    case POP_OK:
    case POP_STATUS_COUNT:
        break;
    }
    throw poplar_error(errorText(error));
}
[[noreturn]] inline void raise(pop_status status, const std::string &text)
{
    pop_error error = pop_error();
    error.status = status;
    text.copy(error.text, sizeof(error.text) - 1);
    raise(error);
}

// A mistake that only C++ can see, at the user's line.
[[noreturn]] inline void raise(pop_status status, pop_where where, const char *api, const std::string &text)
{
    pop_error error = pop_error();
    error.status = status;
    error.where = where;
    std::string(api).copy(error.api, sizeof(error.api) - 1);
    text.copy(error.text, sizeof(error.text) - 1);
    raise(error);
}

// After a call with effects outside a graph.
inline void check(pop_status status, const pop_error &error)
{
    if (status != POP_OK)
        raise(error);
}

// Takes the graph's error and throws it.
[[noreturn]] inline void raiseFrom(pop_graph *graph)
{
    pop_error error;
    if (pop_graph_take_error(graph, &error) == POP_OK)
        raise(POP_POPLAR_ERROR, "a graph or tensor that is not there was used");
    raise(error);
}
// After a call that builds the graph.
inline void check(pop_graph *graph)
{
    if (pop_graph_error(graph))
        raiseFrom(graph);
}

} // namespace detail
} // namespace poplar
#endif
