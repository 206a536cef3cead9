// SPDX-License-Identifier: Apache-2.0
// From C errors to exceptions.
#ifndef POPLAR_DETAIL_ERROR_HPP
#define POPLAR_DETAIL_ERROR_HPP

#include <poplar/detail/where.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/graph.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace poplar {
namespace detail {

// The text that what() gives: the C error's, then where and in what.  The class says its kind, and the C call is not what the user wrote.
inline std::string errorText(const pop_error &error)
{
    char text[2048], begin[256];
    pop_error_format(&error, text, sizeof(text));
    std::snprintf(begin, sizeof(begin), "%s%s%s: ", error.api, error.api[0] ? ": " : "", pop_status_name(error.status));
    const std::size_t length = std::strlen(begin);
    return std::strncmp(text, begin, length) == 0 ? text + length : text;
}

// Throws the exception class of the error's kind.
[[noreturn]] inline void raise(const pop_error &error)
{
    const std::string text = errorText(error);
    if (error.status == POP_GRAPH_MEMORY_ALLOCATION_ERROR)
        throw graph_memory_allocation_error(text, error.artifact);
    switch (error.status) {
#define POP_ERROR_KIND(constant, spelling, base)                                                                       \
    case POP_##constant:                                                                                               \
        throw spelling(text);
#include <poplar/errors.def>
#undef POP_ERROR_KIND
    case POP_OK:
    case POP_STATUS_COUNT:
        break;
    }
    throw poplar_error(text);
}

// A mistake that only C++ can see.  As printf: programs compile no strings put together.
[[noreturn]] __attribute__((format(printf, 2, 3))) inline void raise(pop_status status, const char *format, ...)
{
    pop_error error = pop_error();
    error.status = status;
    va_list values;
    va_start(values, format);
    std::vsnprintf(error.text, sizeof(error.text), format, values);
    va_end(values);
    raise(error);
}
// The same at the user's line.
[[noreturn]] __attribute__((format(printf, 4, 5))) inline void raise(pop_status status, pop_where where, const char *api, const char *format, ...)
{
    pop_error error = pop_error();
    error.status = status;
    error.where = where;
    std::snprintf(error.api, sizeof(error.api), "%s", api);
    va_list values;
    va_start(values, format);
    std::vsnprintf(error.text, sizeof(error.text), format, values);
    va_end(values);
    raise(error);
}

// After a call with effects outside a graph.
inline void check(pop_status status, const pop_error &error)
{
    if (status != POP_OK)
        raise(error);
}

// The same at the user's line, when C does not know it.
inline void check(pop_status status, pop_error &error, const pop_where &where)
{
    if (status == POP_OK)
        return;
    if (!error.where.file)
        error.where = where;
    raise(error);
}

// Takes the graph's error and throws it.
[[noreturn]] inline void raiseFrom(pop_graph *graph, const pop_where &where = pop_where())
{
    pop_error error;
    if (pop_graph_take_error(graph, &error) == POP_OK)
        raise(POP_POPLAR_ERROR, where, "", "a tensor that is null or a graph that was moved away: it is not there");
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
