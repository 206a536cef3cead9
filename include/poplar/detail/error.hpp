// SPDX-License-Identifier: Apache-2.0
// From C errors to exceptions.
#ifndef POPLAR_DETAIL_ERROR_HPP
#define POPLAR_DETAIL_ERROR_HPP

#include <poplar/detail/compiled.hpp>
#include <poplar/detail/where.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/graph.h>

#include <cstring>

namespace poplar
{
namespace detail
{

// The text of what(): the C error's text, then location and context.  It leaves out the kind, which is the class, and
// the C call, which the user did not write.
POP_API std::string errorText(const pop_error &error);

// Throws the exception class of the error's kind.
[[noreturn]] POP_API void raise(const pop_error &error);
// Throws an error found by the C++ interface.  A printf format: cheaper to compile than string concatenation.
[[noreturn]] POP_API void raise(pop_status status, const char *format, ...) POP_PRINTF(2, 3);
// Throws at the user's line.
[[noreturn]] POP_API void raise(pop_status status, pop_where where, const char *api, const char *format, ...)
    POP_PRINTF(4, 5);

// After a call with effects outside a graph.
POP_API void check(pop_status status, const pop_error &error);
// Checks and throws at the user's line, when C does not know it.
POP_API void check(pop_status status, pop_error &error, const pop_where &where);

// Takes the graph's error and throws it.
[[noreturn]] POP_API void raiseFrom(pop_graph *graph, const pop_where &where = pop_where());
// After a call that builds the graph.
inline void check(pop_graph *graph)
{
    if (pop_graph_error(graph))
        raiseFrom(graph);
}

} // namespace detail
} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/error.hpp>
#endif
#endif
