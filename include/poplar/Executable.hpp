// SPDX-License-Identifier: Apache-2.0
// A compiled graph with its programs, which needs the graph no more; and compiling.
#ifndef POPLAR_EXECUTABLE_HPP
#define POPLAR_EXECUTABLE_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/detail/counted.hpp>
#include <poplar/engine.h>

#include <exception>
#include <functional>
#include <istream>

namespace poplar {

// Told of compiling: so many steps done, of so many.
typedef std::function<void(int, int)> ProgressFunc;

class Executable {
public:
    Executable() {}
    explicit Executable(pop_executable *own) : shared(own ? new Compiled(own) : nullptr) {}

    void serialize(std::ostream &out) const
    {
        pop_error error;
        void *data = nullptr;
        std::size_t size = 0;
        detail::check(pop_executable_to_memory(c(), &data, &size, &error), error);
        const detail::Memory owned(data);
        out.write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
    }
    // What the stream holds from here to its end.
    static Executable deserialize(std::istream &in)
    {
        const std::string bytes = detail::readAll(in);
        pop_error error;
        pop_executable *made = nullptr;
        detail::check(pop_executable_from_memory(bytes.data(), bytes.size(), &made, &error), error);
        return Executable(made);
    }
    Target getTarget() const
    {
        const pop_target *target = pop_executable_target(c());
        return target ? Target(*target) : Target();
    }

    // The C interface's, which stays this handle's.
    pop_executable *c() const { return shared.get() ? static_cast<Compiled *>(shared.get())->executable : nullptr; }

private:
    struct Compiled : detail::Counted {
        explicit Compiled(pop_executable *own) : Counted(end), executable(own) {}
        static void end(Counted *self)
        {
            pop_executable_destroy(static_cast<Compiled *>(self)->executable);
            delete static_cast<Compiled *>(self);
        }
        pop_executable *executable;
    };
    detail::Handle shared; // a Compiled, or nothing
};

namespace detail {

// Who is told of compiling, if anybody.
struct Progress {
    void (*tell)(int done, int total, void *self);
    void (*rethrow)(Progress *self);
};
// A template, so that those who want to hear nothing do not compile std::function.  What it throws waits here until C has returned.
template <typename F> struct ProgressTo : Progress {
    explicit ProgressTo(const F &to) : Progress{ call, throwOn }, function(to) {}
    static void call(int done, int total, void *user)
    {
        ProgressTo *self = static_cast<ProgressTo *>(user);
        if (self->thrown)
            return;
        try {
            self->function(done, total);
        } catch (...) {
            self->thrown = std::current_exception();
        }
    }
    static void throwOn(Progress *user)
    {
        ProgressTo *self = static_cast<ProgressTo *>(user);
        if (self->thrown)
            std::rethrow_exception(self->thrown);
    }
    const F &function;
    std::exception_ptr thrown;
};

inline Executable compile(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options, const pop_where &where,
                          Progress *progress = nullptr)
{
    if (!graph.c())
        raise(POP_GRAPH_OBJECT_CREATION_ERROR, "the graph was made without a target, or moved away");
    const Programs list(graph.c(), programs);
    const pop_programs given = { list.size(), list.data() };
    pop_error error;
    pop_executable *made = nullptr;
    const pop_status status = pop_compile_graph_at(where, graph.c(), given, Options(options), progress ? progress->tell : nullptr,
                                                   progress, &made, &error);
    Executable executable(made);
    if (progress)
        progress->rethrow(progress);
    graph.rethrowEstimators();
    check(status, error);
    return executable;
}
template <typename F>
Executable compile(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options, const F &progress,
                   const DebugContext &debugContext)
{
    ProgressTo<F> told(progress);
    return compile(graph, programs, options, where(debugContext), progress ? &told : nullptr);
}

} // namespace detail

inline Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
                               detail::Where where = detail::Where::here())
{
    return detail::compile(graph, programs, options, where);
}
template <typename F = ProgressFunc>
Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options, typename detail::Same<F>::type progress,
                        const DebugContext &debugContext = {})
{
    return detail::compile(graph, programs, options, progress, debugContext);
}
inline Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
                               detail::Where where = detail::Where::here())
{
    const Graph mine(std::move(graph)); // its memory is given back
    return detail::compile(mine, programs, options, where);
}
template <typename F = ProgressFunc>
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options, typename detail::Same<F>::type progress,
                        const DebugContext &debugContext = {})
{
    const Graph mine(std::move(graph));
    return detail::compile(mine, programs, options, progress, debugContext);
}

} // namespace poplar
#endif
