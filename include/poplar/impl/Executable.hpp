// SPDX-License-Identifier: Apache-2.0
// Executables and compiling.
#ifndef POPLAR_IMPL_EXECUTABLE_HPP
#define POPLAR_IMPL_EXECUTABLE_HPP

#include <poplar/Executable.hpp>
#include <poplar/impl/program_node.hpp>
#include <poplar/impl/text_file.hpp>

namespace poplar
{

struct Executable::Compiled : detail::Counted {
    explicit Compiled(pop_executable *own) : Counted(end), executable(own)
    {
    }
    static void end(Counted *self)
    {
        pop_executable_destroy(static_cast<Compiled *>(self)->executable);
        delete static_cast<Compiled *>(self);
    }
    pop_executable *executable;
};

POPLAR_IMPL Executable::Executable(pop_executable *own) : shared(own ? new Compiled(own) : nullptr)
{
}
POPLAR_IMPL void Executable::serialize(std::ostream &out) const
{
    pop_error error;
    void *data = nullptr;
    std::size_t size = 0;
    detail::check(pop_executable_to_memory(c(), &data, &size, &error), error);
    const detail::Memory owned(data);
    detail::sendBytes(out, data, size);
}
POPLAR_IMPL Executable Executable::deserialize(std::istream &in)
{
    const std::string bytes = detail::readAll(in);
    pop_error error;
    pop_executable *made = nullptr;
    detail::check(pop_executable_from_memory(bytes.data(), bytes.size(), &made, &error), error);
    return Executable(made);
}
POPLAR_IMPL Target Executable::getTarget() const
{
    const pop_target *target = pop_executable_target(c());
    return target ? Target(*target) : Target();
}
POPLAR_IMPL pop_executable *Executable::c() const
{
    return shared.get() ? static_cast<Compiled *>(shared.get())->executable : nullptr;
}

namespace detail
{

// The caller's progress function.  Its exception is kept here until the C call has returned.
struct Progress {
    static void call(int done, int total, void *user)
    {
        Progress *self = static_cast<Progress *>(user);
        if (self->thrown)
            return;
        try {
            self->function(done, total);
        } catch (...) {
            self->thrown = std::current_exception();
            pop_cancel_compilation(self->graph);
        }
    }
    const ProgressFunc &function;
    pop_graph *graph;
    std::exception_ptr thrown;
};

inline Executable compile(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                          const pop_where &where, const ProgressFunc &progress = nullptr, const char *name = nullptr)
{
    if (!graph.c())
        raise(POP_GRAPH_OBJECT_CREATION_ERROR, "the graph was made without a target, or moved away");
    const Programs list(graph.c(), programs);
    const pop_programs given = { list.size(), list.data() };
    Progress caught = { progress, graph.c(), nullptr };
    pop_error error;
    pop_executable *made = nullptr;
    const pop_status status = pop_compile_graph_named_at(
        where, graph.c(), given, Options(options), progress ? Progress::call : nullptr, &caught, name, &made, &error);
    Executable executable(made);
    if (caught.thrown)
        std::rethrow_exception(caught.thrown);
    graph.rethrowEstimators();
    check(status, error);
    return executable;
}

} // namespace detail

POPLAR_IMPL Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                                    detail::Where where)
{
    return detail::compile(graph, programs, options, where);
}
POPLAR_IMPL Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                                    ProgressFunc progress, const DebugContext &debugContext)
{
    return detail::compile(graph, programs, options, detail::where(debugContext), progress, detail::name(debugContext));
}
POPLAR_IMPL Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                                    detail::Where where)
{
    const Graph mine(std::move(graph));
    return detail::compile(mine, programs, options, where);
}
POPLAR_IMPL Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                                    ProgressFunc progress, const DebugContext &debugContext)
{
    const Graph mine(std::move(graph));
    return detail::compile(mine, programs, options, detail::where(debugContext), progress, detail::name(debugContext));
}

} // namespace poplar
#endif
