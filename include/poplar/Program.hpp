// SPDX-License-Identifier: Apache-2.0
// Control programs: what a device does with a graph, step by step.  Programs are values; copies stand for the same program.
#ifndef POPLAR_PROGRAM_HPP
#define POPLAR_PROGRAM_HPP

#include <poplar/DataStream.hpp>
#include <poplar/Graph.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/detail/program_node.hpp>
#include <poplar/detail/text_file.hpp>

#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {
namespace detail {

// Both loops: C's calls for them take the same.
inline pop_program repeatWhile(pop_program (*call)(pop_where, pop_program, pop_tensor, pop_program, const char *), const program::Program &condition,
                               const Tensor &predicate, const program::Program &body, const DebugContext &debugContext)
{
    pop_graph *graph = graphOf(predicate.c().store, "the predicate", debugContext);
    return checkedProgram(debugContext, call(where(debugContext), condition.c(graph), predicate.c(), body.c(graph), name(debugContext)),
                          predicate.c().store);
}

} // namespace detail
namespace program {

// A list of programs that run one after another.  It may be made before any graph is known, and grows after it was added to other programs:
// they run what was added, too.  A copy of a Sequence is the same program until something is added to the copy, which then has a list of its
// own.
class Sequence : public Program {
    template <typename P> using IfOther = typename std::enable_if<std::is_base_of<Program, typename std::decay<P>::type>::value &&
                                                                      !std::is_base_of<Sequence, typename std::decay<P>::type>::value,
                                                                  int>::type;

public:
    Sequence(const DebugContext &debugContext = {}) : Program(detail::ProgramNode::SEQUENCE, debugContext) {}
    Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext = {})
        : Program(detail::ProgramNode::SEQUENCE, debugContext)
    {
        const detail::Where where(debugContext.getSourceLocation().getFileName(),
                                  static_cast<int>(debugContext.getSourceLocation().getLineNumber()));
        for (const Program &program : programs)
            add(program, where);
    }
    // The guide's era: Sequence(a, b, ...).
    template <typename P, IfOther<P> = 0> Sequence(P &&only) : Sequence() { add(only); }
    template <typename... Rest> Sequence(const Program &first, const Program &second, const Rest &...rest) : Sequence({ first, second, rest... }) {}
    Sequence(const Sequence &other) : Program(other), borrowed(true) {}
    Sequence(Sequence &&other) noexcept : Program(std::move(other)), borrowed(other.borrowed) {}
    Sequence &operator=(const Sequence &other)
    {
        if (this != &other) {
            Program::operator=(other);
            borrowed = true;
        }
        return *this;
    }
    Sequence &operator=(Sequence &&other) noexcept
    {
        Program::operator=(std::move(other));
        borrowed = other.borrowed;
        return *this;
    }

    void add(const Program &program, detail::Where where = detail::Where::here())
    {
        if (borrowed || !shared.get())
            own(where);
        node()->add(program, where);
    }

    // The C interface's, for calls that add to it or change it.
    pop_program cToGrow(pop_graph *graph, detail::Where where = detail::Where::here())
    {
        if (borrowed || !shared.get())
            own(where);
        return node()->make(graph);
    }

private:
    bool borrowed = false;

    void own(pop_where where)
    {
        shared = shared.get() ? node()->copy(where) : detail::Handle(new detail::ProgramNode(detail::ProgramNode::SEQUENCE, DebugContext()));
        borrowed = false;
    }
};

// One program as a step of its own in profiles.
class Block : public Program {
public:
    Block(const Program &body, const DebugContext &debugContext = {}) : Program(detail::ProgramNode::BLOCK, debugContext, body) {}
};

class Execute : public Program {
public:
    Execute(ComputeSet set, const DebugContext &debugContext = {})
        : Program(set.c().store || !set.c().id
                      ? detail::checkedProgram(debugContext, pop_execute_at(detail::where(debugContext), set.c(), detail::name(debugContext)),
                                               set.c().store)
                      : pop_program())
    {
        if (!set.c().store)
            wait(detail::ProgramNode::EXECUTE, debugContext, set.c().id);
    }
    // The AND of what all vertices return goes to a scalar.
    Execute(ComputeSet set, const Tensor &consensus, const DebugContext &debugContext = {})
        : Program(detail::checkedProgram(debugContext,
                                         pop_execute_consensus_at(detail::where(debugContext), detail::inStore(set.c(), consensus.c().store),
                                                                  consensus.c(), detail::name(debugContext)),
                                         set.c().store, consensus.c().store))
    {}
};

class Copy : public Program {
public:
    Copy(const Tensor &source, const Tensor &destination, bool dontOutline = false, const DebugContext &debugContext = {})
        : Program(between(source, destination, dontOutline, debugContext))
    {}
    Copy(const Tensor &source, const Tensor &destination, const DebugContext &debugContext)
        : Program(between(source, destination, false, debugContext))
    {}
    Copy(const Tensor &source, const Tensor &destination, const char *name, SourceLocation location = SourceLocation::Current())
        : Copy(source, destination, false, DebugContext(name, location))
    {}
    Copy(const DataStream &stream, const Tensor &destination, bool optimiseMemory = false, const DebugContext &debugContext = {})
        : Program(detail::checkedProgram(
              debugContext,
              pop_copy_from_stream_at(detail::where(debugContext), stream.c(), destination.c(), optimiseMemory, detail::name(debugContext)),
              stream.c().store, destination.c().store))
    {}
    Copy(const DataStream &stream, const Tensor &destination, const DebugContext &debugContext) : Copy(stream, destination, false, debugContext)
    {}
    Copy(const DataStream &stream, const Tensor &destination, const char *name, SourceLocation location = SourceLocation::Current())
        : Copy(stream, destination, false, DebugContext(name, location))
    {}
    Copy(const Tensor &source, const DataStream &stream, bool optimiseMemory = false, const DebugContext &debugContext = {})
        : Program(detail::checkedProgram(
              debugContext,
              pop_copy_to_stream_at(detail::where(debugContext), source.c(), stream.c(), optimiseMemory, detail::name(debugContext)),
              stream.c().store, source.c().store))
    {}
    Copy(const Tensor &source, const DataStream &stream, const DebugContext &debugContext) : Copy(source, stream, false, debugContext) {}
    Copy(const Tensor &source, const DataStream &stream, const char *name, SourceLocation location = SourceLocation::Current())
        : Copy(source, stream, false, DebugContext(name, location))
    {}
    Copy(const RemoteBuffer &buffer, const Tensor &destination, const DebugContext &debugContext = {})
        : Copy(buffer, destination, Tensor(), debugContext)
    {}
    // offset: row indices, as many as destination has rows.
    Copy(const RemoteBuffer &buffer, const Tensor &destination, const Tensor &offset, const DebugContext &debugContext = {})
        : Program(detail::checkedProgram(
              debugContext,
              pop_copy_from_remote_at(detail::where(debugContext), buffer.c(), destination.c(), offset.c(), detail::name(debugContext)),
              buffer.c().store, destination.c().store))
    {}
    Copy(const Tensor &source, const RemoteBuffer &buffer, const DebugContext &debugContext = {}) : Copy(source, buffer, Tensor(), debugContext)
    {}
    Copy(const Tensor &source, const RemoteBuffer &buffer, const Tensor &offset, const DebugContext &debugContext = {})
        : Program(detail::checkedProgram(
              debugContext, pop_copy_to_remote_at(detail::where(debugContext), source.c(), buffer.c(), offset.c(), detail::name(debugContext)),
              buffer.c().store, source.c().store))
    {}

    Copy(const FunctionBuffer &, const Function &, const DebugContext &debugContext = {})
    {
        detail::raise(POP_POPLAR_ERROR, detail::where(debugContext), "Copy", "code in remote memory is not supported");
    }

private:
    static pop_program between(const Tensor &source, const Tensor &destination, bool dontOutline, const DebugContext &debugContext)
    {
        return detail::checkedProgram(
            debugContext, pop_copy_at(detail::where(debugContext), source.c(), destination.c(), dontOutline, detail::name(debugContext)),
            source.c().store, destination.c().store);
    }
};

class Repeat : public Program {
public:
    Repeat(unsigned count, const Program &body, const DebugContext &debugContext = {})
        : Program(detail::ProgramNode::REPEAT, debugContext, body, count)
    {}
};

// Runs condition, tests the scalar predicate, runs body, and again.
class RepeatWhileTrue : public Program {
public:
    RepeatWhileTrue(const Program &condition, const Tensor &predicate, const Program &body, const DebugContext &debugContext = {})
        : Program(detail::repeatWhile(pop_repeat_while_true_at, condition, predicate, body, debugContext))
    {}
};

class RepeatWhileFalse : public Program {
public:
    RepeatWhileFalse(const Program &condition, const Tensor &predicate, const Program &body, const DebugContext &debugContext = {})
        : Program(detail::repeatWhile(pop_repeat_while_false_at, condition, predicate, body, debugContext))
    {}
};

class If : public Program {
public:
    If(const Tensor &predicate, const Program &trueBody, const Program &falseBody, const DebugContext &debugContext = {})
        : Program(make(predicate, trueBody, falseBody, debugContext))
    {}

private:
    static pop_program make(const Tensor &predicate, const Program &trueBody, const Program &falseBody, const DebugContext &debugContext)
    {
        pop_graph *graph = detail::graphOf(predicate.c().store, "the predicate", debugContext);
        return detail::checkedProgram(
            debugContext,
            pop_if_at(detail::where(debugContext), predicate.c(), trueBody.c(graph), falseBody.c(graph), detail::name(debugContext)),
            predicate.c().store);
    }
};

// Runs the case that control has the number of, else the default program, which does nothing at first.
class Switch : public Program {
public:
    typedef std::vector<std::pair<std::int32_t, Program>> Cases;

    Switch(const Tensor &control, const DebugContext &debugContext = {}) : Program(make(control, debugContext)) {}
    template <typename List = Cases>
    Switch(const Tensor &control, const typename detail::Same<List>::type &cases, const DebugContext &debugContext = {})
        : Program(make(control, debugContext))
    {
        addAll(cases, detail::where(debugContext));
    }
    Switch(const Tensor &control, const Program &defaultCase, const DebugContext &debugContext = {}) : Program(make(control, debugContext))
    {
        setDefault(defaultCase, detail::where(debugContext));
    }
    template <typename List = Cases>
    Switch(const Tensor &control, const typename detail::Same<List>::type &cases, const Program &defaultCase, const DebugContext &debugContext = {})
        : Program(make(control, debugContext))
    {
        addAll(cases, detail::where(debugContext));
        setDefault(defaultCase, detail::where(debugContext));
    }
    // A value without a case ends the run with application_runtime_error.
    static Switch switchWithBoundsChecking(const Tensor &control, const DebugContext &debugContext = {})
    {
        return Switch(Unreachable(), control, debugContext);
    }
    template <typename List = Cases>
    static Switch switchWithBoundsChecking(const Tensor &control, const typename detail::Same<List>::type &cases,
                                           const DebugContext &debugContext = {})
    {
        Switch result(Unreachable(), control, debugContext);
        result.addAll(cases, detail::where(debugContext));
        return result;
    }
    // The program promises that there is none; this is checked all the same.
    static Switch switchWithUnreachableDefault(const Tensor &control, const DebugContext &debugContext = {})
    {
        return Switch(Unreachable(), control, debugContext);
    }
    template <typename List = Cases>
    static Switch switchWithUnreachableDefault(const Tensor &control, const typename detail::Same<List>::type &cases,
                                               const DebugContext &debugContext = {})
    {
        return switchWithBoundsChecking<List>(control, cases, debugContext);
    }

    Switch &add(std::int32_t value, const Program &body, detail::Where where = detail::Where::here())
    {
        pop_graph *graph = pop_store_graph(made.store);
        pop_switch_add_at(where, made, value, body.c(graph));
        detail::check(graph);
        return *this;
    }

private:
    static pop_program make(const Tensor &control, const DebugContext &debugContext)
    {
        return detail::checkedProgram(debugContext, pop_switch_at(detail::where(debugContext), control.c(), detail::name(debugContext)),
                                      control.c().store);
    }
    struct Unreachable {};
    Switch(Unreachable, const Tensor &control, const DebugContext &debugContext) : Program(make(control, debugContext))
    {
        pop_switch_unreachable_default_at(detail::where(debugContext), made);
        detail::check(pop_store_graph(made.store));
    }
    template <typename List> void addAll(const List &cases, pop_where where)
    {
        for (const typename List::value_type &body : cases)
            add(body.first, body.second, detail::Where(where.file, where.line));
    }
    void setDefault(const Program &body, pop_where where)
    {
        pop_graph *graph = pop_store_graph(made.store);
        pop_switch_default_at(where, made, body.c(graph));
        detail::check(graph);
    }
};

class Call : public Program {
public:
    Call(Function function, const DebugContext &debugContext = {})
        : Program(function.c().store || !function.c().id
                      ? detail::checkedProgram(debugContext, pop_call_at(detail::where(debugContext), function.c(), detail::name(debugContext)),
                                               function.c().store)
                      : pop_program())
    {
        if (!function.c().store)
            wait(detail::ProgramNode::CALL, debugContext, function.c().id);
    }
    Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs, const DebugContext &debugContext = {})
        : Program(callHost(function, inputs, outputs, debugContext))
    {}

private:
    static pop_program callHost(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs, const DebugContext &debugContext)
    {
        pop_store *store = function.c().store ? function.c().store
                           : !inputs.empty()  ? inputs[0].c().store
                           : !outputs.empty() ? outputs[0].c().store
                                              : nullptr;
        return detail::checkedProgram(debugContext,
                                      pop_call_host_at(detail::where(debugContext), detail::inStore(function.c(), store),
                                                       detail::tensors(inputs), detail::tensors(outputs), detail::name(debugContext)),
                                      store);
    }
};

class PrintTensor : public Program {
public:
    // The title is the tensor's debug name.
    PrintTensor(const Tensor &t, const DebugContext &debugContext = {}) : Program(print(nullptr, t, nullptr, debugContext)) {}
    PrintTensor(const Tensor &t, const PrintTensorFmt &format, const DebugContext &debugContext = {})
        : Program(print(nullptr, t, &format, debugContext))
    {}
    PrintTensor(StringRef title, const Tensor &t, const DebugContext &debugContext = {})
        : Program(print(detail::CString(title), t, nullptr, debugContext))
    {}
    PrintTensor(StringRef title, const Tensor &t, const PrintTensorFmt &format, const DebugContext &debugContext = {})
        : Program(print(detail::CString(title), t, &format, debugContext))
    {}

private:
    static pop_program print(const char *title, const Tensor &t, const PrintTensorFmt *format, const DebugContext &debugContext)
    {
        const pop_where where = detail::where(debugContext);
        const char *name = detail::name(debugContext);
        return detail::checkedProgram(debugContext,
                                      format ? pop_print_tensor_format_at(where, title, t.c(), format->c(), name)
                                             : pop_print_tensor_at(where, title, t.c(), name),
                                      t.c().store);
    }
};

class WriteUndef : public Program {
public:
    WriteUndef(const Tensor &t, const DebugContext &debugContext = {})
        : Program(detail::checkedProgram(debugContext, pop_write_undef_at(detail::where(debugContext), t.c(), detail::name(debugContext)),
                                         t.c().store))
    {}
};

class AssumeEqualAcrossReplicas : public Program {
public:
    AssumeEqualAcrossReplicas(const Tensor &t, const DebugContext &debugContext = {})
        : Program(detail::checkedProgram(
              debugContext, pop_assume_equal_across_replicas_at(detail::where(debugContext), t.c(), detail::name(debugContext)), t.c().store))
    {}
};

class Sync : public Program {
public:
    Sync(SyncType type, const DebugContext &debugContext = {})
        : Program(detail::ProgramNode::SYNC, debugContext, Program(), static_cast<unsigned>(type))
    {}
};

// Ends the run with application_runtime_error.
class Abort : public Program {
public:
    Abort(const DebugContext &debugContext = {}) : Program(detail::ProgramNode::ABORT, debugContext) {}
    Abort(const char *message, const DebugContext &debugContext = {}) : Abort(std::string(message), debugContext) {}
    Abort(const std::string &message, const DebugContext &debugContext = {}) : Program(detail::ProgramNode::ABORT, debugContext)
    {
        node()->message = message;
        node()->number = 1;
    }
};

class AbortOnCondition : public Program {
public:
    AbortOnCondition(const Tensor &condition, const DebugContext &debugContext = {}) : Program(make(condition, nullptr, debugContext)) {}
    AbortOnCondition(const Tensor &condition, const char *message, const DebugContext &debugContext = {})
        : Program(make(condition, message, debugContext))
    {}
    AbortOnCondition(const Tensor &condition, const std::string &message, const DebugContext &debugContext = {})
        : Program(make(condition, message.c_str(), debugContext))
    {}

private:
    static pop_program make(const Tensor &condition, const char *message, const DebugContext &debugContext)
    {
        return detail::checkedProgram(debugContext,
                                      pop_abort_on_condition_at(detail::where(debugContext), condition.c(), message, detail::name(debugContext)),
                                      condition.c().store);
    }
};

// Prints message and tensor, then ends the run.
class ErrorProgram : public Program {
public:
    ErrorProgram(StringRef message, const Tensor &t, const DebugContext &debugContext = {})
        : Program(detail::checkedProgram(
              debugContext, pop_error_program_at(detail::where(debugContext), detail::CString(message), t.c(), detail::name(debugContext)),
              t.c().store))
    {}
};

// The tree of a program as indented text.
inline void dumpProgram(const Graph &graph, const Program &program, std::ostream &out)
{
    detail::OutputFile text;
    if (!pop_dump_program(graph.c(), program.c(graph.c()), text.c()))
        detail::raiseFrom(graph.c());
    text.send(out);
}

} // namespace program

namespace detail {

// Programs as C takes them, in a graph.
class Programs {
public:
    Programs(pop_graph *graph, ArrayRef<program::Program> programs) : count(programs.size()), list(count, sizeof(pop_program))
    {
        for (std::size_t i = 0; i < count; ++i)
            data()[i] = programs.data()[i].c(graph);
    }
    pop_program *data() const { return static_cast<pop_program *>(list.at); }
    std::size_t size() const { return count; }

private:
    std::size_t count;
    Memory list;
};

} // namespace detail

inline Function Graph::addFunction(const program::Program &program, Where where)
{
    const pop_function function = pop_graph_add_function_at(where, c(), program.c(c()));
    detail::check(c());
    return Function(function);
}
inline void Graph::outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs, Where where) const
{
    const detail::Programs list(c(), programs);
    detail::OutputFile file;
    pop_graph_output_compute_graph_at(where, c(), file.c(), list.data(), list.size());
    detail::check(c());
    file.send(out);
}
inline void Graph::outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs, Where where) const
{
    const detail::Programs list(c(), programs);
    detail::OutputFile file;
    pop_graph_output_vertex_graph_at(where, c(), file.c(), list.data(), list.size());
    detail::check(c());
    file.send(out);
}

} // namespace poplar
#endif
