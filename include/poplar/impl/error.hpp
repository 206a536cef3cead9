// SPDX-License-Identifier: Apache-2.0
// Conversion of C errors to exceptions.
#ifndef POPLAR_IMPL_ERROR_HPP
#define POPLAR_IMPL_ERROR_HPP

#include <poplar/detail/error.hpp>
#include <poplar/text.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace poplar
{
namespace detail
{

POPLAR_IMPL std::string errorText(const pop_error &error)
{
    char text[2048], begin[256];
    pop_error_format(&error, text, sizeof(text));
    std::snprintf(begin, sizeof(begin), "%s%s%s: ", error.api, error.api[0] ? ": " : "", pop_status_name(error.status));
    const std::size_t length = std::strlen(begin);
    return std::strncmp(text, begin, length) == 0 ? text + length : text;
}

POPLAR_IMPL void raise(const pop_error &error)
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

POPLAR_IMPL void raise(pop_status status, const char *format, ...)
{
    pop_error error = pop_error();
    error.status = status;
    va_list values;
    va_start(values, format);
    pop_text_vformat(error.text, sizeof(error.text), format, values);
    va_end(values);
    raise(error);
}
POPLAR_IMPL void raise(pop_status status, pop_where where, const char *api, const char *format, ...)
{
    pop_error error = pop_error();
    error.status = status;
    error.where = where;
    std::snprintf(error.api, sizeof(error.api), "%s", api);
    va_list values;
    va_start(values, format);
    pop_text_vformat(error.text, sizeof(error.text), format, values);
    va_end(values);
    raise(error);
}

POPLAR_IMPL void check(pop_status status, const pop_error &error)
{
    if (status != POP_OK)
        raise(error);
}

POPLAR_IMPL void check(pop_status status, pop_error &error, const pop_where &where)
{
    if (status == POP_OK)
        return;
    if (!error.where.file)
        error.where = where;
    raise(error);
}

POPLAR_IMPL void raiseFrom(pop_graph *graph, const pop_where &where)
{
    pop_error error;
    if (pop_graph_take_error(graph, &error) == POP_OK)
        raise(POP_POPLAR_ERROR, where, "", "a tensor that is null or a graph that was moved away: it is not there");
    raise(error);
}

} // namespace detail
} // namespace poplar
#endif
