// SPDX-License-Identifier: Apache-2.0
// The exceptions that calls throw, one class for each kind of poplar/errors.def; what() is the C error's text.
#ifndef POPLAR_EXCEPTIONS_HPP
#define POPLAR_EXCEPTIONS_HPP

#include <poplar/detail/compiled.hpp>
#include <poplar/detail/standard.hpp>
#include <poplar/error.h>

#include <stdexcept>
#include <string>

namespace poplar
{

class DebugContext;

// The base class.  Destructors are defined out of line, so that vtables and type information are in the library.
class POP_API poplar_error : public std::runtime_error
{
  public:
    // With this text.
    explicit poplar_error(const std::string &text, const char *name = "poplar_error");
    ~poplar_error() override;
    // The kind and the text.
    const char *what() const noexcept override;
    // Adds the line of a debug context to what().
    void attachSourceLocation(const DebugContext &context);

    std::string type; // the name of the class

  private:
    std::string located; // the text with its line
};

// name is for derived classes: each passes its own name to its base, so its constructor has no further work that could
// throw.
#define POP_ERROR_KIND_OF_ITS_OWN(constant, spelling, base)
#define POP_ERROR_KIND(constant, spelling, base)                                                                       \
    class POP_API spelling : public base                                                                               \
    {                                                                                                                  \
      public:                                                                                                          \
        explicit spelling(const std::string &text, const char *name = #spelling);                                      \
        ~spelling() override;                                                                                          \
    };
#include <poplar/errors.def>
#undef POP_ERROR_KIND
typedef missing_perf_estimate missing_cycle_estimate; // the old name

// A codelet file cannot be loaded.
class POP_API graph_object_load_error : public poplar_error
{
  public:
    explicit graph_object_load_error(const std::string &text);
    // With the file's name.
    graph_object_load_error(const std::string &path, const std::string &text);
    ~graph_object_load_error() override;
};

// A vertex type lacks a field.
class POP_API unknown_field : public poplar_error
{
  public:
    explicit unknown_field(const std::string &text);
    // With the vertex's and the field's name.
    unknown_field(const std::string &vertex, const std::string &field);
    ~unknown_field() override;
};

// An index is out of range.
class POP_API index_error : public poplar_error
{
  public:
    explicit index_error(const std::string &text);
    // With the index.
    index_error(const std::string &text, std::size_t index);
    ~index_error() override;
};

// A symbol of codelets is not known.
class POP_API symbol_error : public poplar_error
{
  public:
    explicit symbol_error(const std::string &text);
    // With the symbol's name and the tile.
    symbol_error(const std::string &name, unsigned tile);
    ~symbol_error() override;
};

// Codelets cannot be linked.
class POP_API link_error : public poplar_error
{
  public:
    explicit link_error(const std::string &text, const std::string &linkerOutput = "");
    ~link_error() override;

    std::string output; // the linker's messages
};

// A graph does not fit into tile memory.
class POP_API graph_memory_allocation_error : public poplar_error
{
  public:
    explicit graph_memory_allocation_error(const std::string &text, const std::string &profile = "");
    ~graph_memory_allocation_error() override;

    std::string profilePath; // a report of the allocation; empty if none was written
};

// What must be reset before a program can run again.
enum class RecoveryAction { IPU_RESET, LINK_RESET, PARTITION_RESET, FULL_RESET };

// The enumerator's name.
POP_API std::string toString(RecoveryAction action);

// An error of the system after which a program can go on.
class POP_API recoverable_runtime_error : public system_runtime_error
{
  public:
    explicit recoverable_runtime_error(const std::string &text);
    // With what the program can do.
    recoverable_runtime_error(RecoveryAction action, const std::string &text);
    ~recoverable_runtime_error() override;
    // What the program can do.
    RecoveryAction getRecoveryAction() const
    {
        return recovery;
    }

  private:
    RecoveryAction recovery;
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/exceptions.hpp>
#endif
#endif
