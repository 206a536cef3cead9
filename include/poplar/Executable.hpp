// SPDX-License-Identifier: Apache-2.0
// Compiling, and its result: a graph with its programs, independent of the Graph object.
#ifndef POPLAR_EXECUTABLE_HPP
#define POPLAR_EXECUTABLE_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/counted.hpp>
#include <poplar/detail/error.hpp>
#include <poplar/engine.h>

#include <exception>
#include <functional>
#include <istream>
#include <memory>

namespace poplar
{

// Called while compiling, with the number of completed steps and of all steps.
typedef std::function<void(int, int)> ProgressFunc;

// A compiled graph with its programs. Movable, not copyable.
class POP_API Executable
{
  public:
    Executable()
    {
    }
    explicit Executable(pop_executable *own);

    // Writes the executable, for deserialize.
    void serialize(std::ostream &out) const;
    // Reads the stream from its position to its end.
    static Executable deserialize(std::istream &in);
    // Takes the stream, which is destroyed when it has been read.
    static Executable deserialize(std::unique_ptr<std::istream> in)
    {
        if (!in)
            throw poplar_error("deserialize: there is no stream");
        return deserialize(*in);
    }
    Target getTarget() const;

    // Borrowed from this handle.
    pop_executable *c() const;

  private:
    struct Compiled;
    detail::Handle shared; // a Compiled, or nothing
};

POP_API Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                                const OptionFlags &options = {}, detail::Where where = detail::Where::here());
POP_API Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                                ProgressFunc progress, const DebugContext &debugContext = {});
// The graph's memory is released.
POP_API Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
                                detail::Where where = detail::Where::here());
POP_API Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                                ProgressFunc progress, const DebugContext &debugContext = {});

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/Executable.hpp>
#endif
#endif
