// SPDX-License-Identifier: Apache-2.0
// Exceptions.
#ifndef POPLAR_IMPL_EXCEPTIONS_HPP
#define POPLAR_IMPL_EXCEPTIONS_HPP

#include <poplar/exceptions.hpp>

namespace poplar
{

POPLAR_IMPL poplar_error::poplar_error(const std::string &text, const char *name) : std::runtime_error(text), type(name)
{
}
POPLAR_IMPL poplar_error::~poplar_error()
{
}
POPLAR_IMPL const char *poplar_error::what() const noexcept
{
    return located.empty() ? std::runtime_error::what() : located.c_str();
}

#define POP_ERROR_KIND_OF_ITS_OWN(constant, spelling, base)
#define POP_ERROR_KIND(constant, spelling, base)                                                                       \
    POPLAR_IMPL spelling::spelling(const std::string &text, const char *name) : base(text, name)                       \
    {                                                                                                                  \
    }                                                                                                                  \
    POPLAR_IMPL spelling::~spelling()                                                                                  \
    {                                                                                                                  \
    }
#include <poplar/errors.def>
#undef POP_ERROR_KIND

POPLAR_IMPL graph_object_load_error::graph_object_load_error(const std::string &text)
    : poplar_error(text, "graph_object_load_error")
{
}
POPLAR_IMPL graph_object_load_error::graph_object_load_error(const std::string &path, const std::string &text)
    : graph_object_load_error(path + ": " + text)
{
}
POPLAR_IMPL graph_object_load_error::~graph_object_load_error()
{
}

POPLAR_IMPL unknown_field::unknown_field(const std::string &text) : poplar_error(text, "unknown_field")
{
}
POPLAR_IMPL unknown_field::unknown_field(const std::string &vertex, const std::string &field)
    : unknown_field(vertex + ": " + field)
{
}
POPLAR_IMPL unknown_field::~unknown_field()
{
}

POPLAR_IMPL index_error::index_error(const std::string &text) : poplar_error(text, "index_error")
{
}
POPLAR_IMPL index_error::index_error(const std::string &text, std::size_t index)
    : index_error(text + ": " + std::to_string(index))
{
}
POPLAR_IMPL index_error::~index_error()
{
}

POPLAR_IMPL symbol_error::symbol_error(const std::string &text) : poplar_error(text, "symbol_error")
{
}
POPLAR_IMPL symbol_error::symbol_error(const std::string &name, unsigned tile)
    : symbol_error("symbol '" + name + "' on tile " + std::to_string(tile))
{
}
POPLAR_IMPL symbol_error::~symbol_error()
{
}

POPLAR_IMPL link_error::link_error(const std::string &text, const std::string &linkerOutput)
    : poplar_error(text, "link_error"), output(linkerOutput)
{
}
POPLAR_IMPL link_error::~link_error()
{
}

POPLAR_IMPL graph_memory_allocation_error::graph_memory_allocation_error(const std::string &text,
                                                                         const std::string &profile)
    : poplar_error(text, "graph_memory_allocation_error"), profilePath(profile)
{
}
POPLAR_IMPL graph_memory_allocation_error::~graph_memory_allocation_error()
{
}

POPLAR_IMPL std::string toString(RecoveryAction action)
{
    static const char *const names[] = { "IPU_RESET", "LINK_RESET", "PARTITION_RESET", "FULL_RESET" };
    return names[static_cast<int>(action)];
}
POPLAR_IMPL recoverable_runtime_error::recoverable_runtime_error(const std::string &text)
    : recoverable_runtime_error(RecoveryAction::IPU_RESET, text)
{
}
POPLAR_IMPL recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action, const std::string &text)
    : system_runtime_error(text, "recoverable_runtime_error"), recovery(action)
{
}
POPLAR_IMPL recoverable_runtime_error::~recoverable_runtime_error()
{
}

} // namespace poplar
#endif
