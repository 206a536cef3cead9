// SPDX-License-Identifier: Apache-2.0
// The exceptions that calls throw, one class for each kind of poplar/errors.def; what() is the C error's text.
#ifndef POPLAR_EXCEPTIONS_HPP
#define POPLAR_EXCEPTIONS_HPP

#include <poplar/error.h>

#include <stdexcept>
#include <string>

namespace poplar {

class DebugContext;

// Base of all.
class poplar_error : public std::runtime_error {
public:
    explicit poplar_error(const std::string &text, const char *name = "poplar_error") : std::runtime_error(text), type(name) {}
    const char *what() const noexcept override { return located.empty() ? std::runtime_error::what() : located.c_str(); }
    // Adds the line of a debug context to what() (defined in DebugContext.hpp).
    void attachSourceLocation(const DebugContext &context);

    std::string type; // the name of the class

private:
    std::string located; // the text with its line
};

// name is for classes that derive from one: each passes its own down, and nothing is left to do, or to undo, when its base is made.
#define POP_ERROR_KIND_OF_ITS_OWN(constant, spelling, base)
#define POP_ERROR_KIND(constant, spelling, base)                                                                       \
    class spelling : public base {                                                                                     \
    public:                                                                                                            \
        [[gnu::always_inline]] explicit spelling(const std::string &text, const char *name = #spelling) : base(text, name) {} \
    };
#include <poplar/errors.def>
#undef POP_ERROR_KIND
typedef missing_perf_estimate missing_cycle_estimate; // the old name

class graph_object_load_error : public poplar_error {
public:
    explicit graph_object_load_error(const std::string &text) : poplar_error(text, "graph_object_load_error") {}
    graph_object_load_error(const std::string &path, const std::string &text) : graph_object_load_error(path + ": " + text) {}
};

class unknown_field : public poplar_error {
public:
    explicit unknown_field(const std::string &text) : poplar_error(text, "unknown_field") {}
    unknown_field(const std::string &vertex, const std::string &field) : unknown_field(vertex + ": " + field) {}
};

class index_error : public poplar_error {
public:
    explicit index_error(const std::string &text) : poplar_error(text, "index_error") {}
    index_error(const std::string &text, std::size_t index) : index_error(text + ": " + std::to_string(index)) {}
};

class symbol_error : public poplar_error {
public:
    explicit symbol_error(const std::string &text) : poplar_error(text, "symbol_error") {}
    symbol_error(const std::string &name, unsigned tile) : symbol_error("symbol '" + name + "' on tile " + std::to_string(tile)) {}
};

class link_error : public poplar_error {
public:
    explicit link_error(const std::string &text, const std::string &linkerOutput = "") : poplar_error(text, "link_error"), output(linkerOutput) {}

    std::string output; // what the linker said
};

class graph_memory_allocation_error : public poplar_error {
public:
    explicit graph_memory_allocation_error(const std::string &text, const std::string &profile = "")
        : poplar_error(text, "graph_memory_allocation_error"), profilePath(profile)
    {
    }

    std::string profilePath; // a file that tells what did not fit; empty when none was written
};

// What has to be reset before a program can run again.
enum class RecoveryAction { IPU_RESET, LINK_RESET, PARTITION_RESET, FULL_RESET };

inline std::string toString(RecoveryAction action)
{
    static const char *const names[] = { "IPU_RESET", "LINK_RESET", "PARTITION_RESET", "FULL_RESET" };
    return names[static_cast<int>(action)];
}

class recoverable_runtime_error : public system_runtime_error {
public:
    explicit recoverable_runtime_error(const std::string &text) : recoverable_runtime_error(RecoveryAction::IPU_RESET, text) {}
    recoverable_runtime_error(RecoveryAction action, const std::string &text)
        : system_runtime_error(text, "recoverable_runtime_error"), recovery(action)
    {
    }
    RecoveryAction getRecoveryAction() const { return recovery; }

private:
    RecoveryAction recovery;
};

} // namespace poplar
#endif
