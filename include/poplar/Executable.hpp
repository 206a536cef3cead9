// SPDX-License-Identifier: Apache-2.0
// A compiled graph with its programs, which needs the graph no more; and compiling.
#ifndef POPLAR_EXECUTABLE_HPP
#define POPLAR_EXECUTABLE_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/counted.hpp>
#include <poplar/engine.h>

#include <exception>
#include <functional>
#include <istream>

namespace poplar
{

// Told of compiling: so many steps done, of so many.
typedef std::function<void(int, int)> ProgressFunc;

class POP_API Executable
{
  public:
    Executable()
    {
    }
    explicit Executable(pop_executable *own);

    void serialize(std::ostream &out) const;
    // What the stream holds from here to its end.
    static Executable deserialize(std::istream &in);
    Target getTarget() const;

    // The C interface's, which stays this handle's.
    pop_executable *c() const;

  private:
    struct Compiled;
    detail::Handle shared; // a Compiled, or nothing
};

POP_API Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                                const OptionFlags &options = {}, detail::Where where = detail::Where::here());
POP_API Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                                ProgressFunc progress, const DebugContext &debugContext = {});
// The graph's memory is given back.
POP_API Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
                                detail::Where where = detail::Where::here());
POP_API Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                                ProgressFunc progress, const DebugContext &debugContext = {});

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/Executable.hpp>
#endif
#endif
