// SPDX-License-Identifier: Apache-2.0
// Programs.
#ifndef POPLAR_IMPL_PROGRAM_HPP
#define POPLAR_IMPL_PROGRAM_HPP

#include <poplar/Program.hpp>
#include <poplar/impl/program_node.hpp>
#include <poplar/impl/text_file.hpp>

#include <climits>

namespace poplar
{

namespace detail
{

// Both kinds of loop: their C calls have the same parameters.
inline pop_program repeatWhile(pop_program (*call)(pop_where, pop_program, pop_tensor, pop_program, const char *),
                               const program::Program &condition, const Tensor &predicate, const program::Program &body,
                               const DebugContext &debugContext)
{
    pop_graph *graph = graphOf(predicate.c().store, "the predicate", debugContext);
    return checkedProgram(
        debugContext, call(where(debugContext), condition.c(graph), predicate.c(), body.c(graph), name(debugContext)),
        predicate.c().store);
}

} // namespace detail

namespace program
{

POPLAR_IMPL Program::Program(const Program &from) = default;
POPLAR_IMPL Program::Program(Program &&from) noexcept = default;
POPLAR_IMPL Program &Program::operator=(const Program &from) = default;
POPLAR_IMPL Program &Program::operator=(Program &&from) noexcept = default;
POPLAR_IMPL Program::~Program()
{
}

POPLAR_IMPL Sequence::Sequence(const DebugContext &debugContext) : Program(detail::ProgramNode::SEQUENCE, debugContext)
{
}
POPLAR_IMPL Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext)
    : Program(detail::ProgramNode::SEQUENCE, debugContext)
{
    const detail::Where where(debugContext.getSourceLocation().getFileName(),
                              static_cast<int>(debugContext.getSourceLocation().getLineNumber()));
    for (const Program &program : programs)
        add(program, where);
}
POPLAR_IMPL Sequence::Sequence(const Sequence &other) : Program(other), borrowed(true)
{
}
POPLAR_IMPL Sequence::Sequence(Sequence &&other) noexcept : Program(std::move(other)), borrowed(other.borrowed)
{
}
POPLAR_IMPL Sequence &Sequence::operator=(const Sequence &other)
{
    if (this != &other) {
        Program::operator=(other);
        borrowed = true;
    }
    return *this;
}
POPLAR_IMPL Sequence &Sequence::operator=(Sequence &&other) noexcept
{
    Program::operator=(std::move(other));
    borrowed = other.borrowed;
    return *this;
}
POPLAR_IMPL void Sequence::add(const Program &program, detail::Where where)
{
    if (borrowed || !shared.get())
        own(where);
    node()->add(program, where);
}
POPLAR_IMPL pop_program Sequence::cToGrow(pop_graph *graph, detail::Where where)
{
    if (borrowed || !shared.get())
        own(where);
    return node()->make(graph);
}
POPLAR_IMPL void Sequence::own(pop_where where)
{
    shared = shared.get() ? node()->copy(where)
                          : detail::Handle(new detail::ProgramNode(detail::ProgramNode::SEQUENCE, DebugContext()));
    borrowed = false;
}

POPLAR_IMPL Block::Block(const Program &body, const DebugContext &debugContext)
    : Program(detail::ProgramNode::BLOCK, debugContext, body)
{
}

POPLAR_IMPL Execute::Execute(ComputeSet set, const DebugContext &debugContext)
    : Program(set.c().store || !set.c().id
                  ? detail::checkedProgram(
                        debugContext, pop_execute_at(detail::where(debugContext), set.c(), detail::name(debugContext)),
                        set.c().store)
                  : pop_program())
{
    if (!set.c().store)
        wait(detail::ProgramNode::EXECUTE, debugContext, set.c().id);
}
POPLAR_IMPL Execute::Execute(ComputeSet set, const Tensor &consensus, const DebugContext &debugContext)
    : Program(detail::checkedProgram(debugContext,
                                     pop_execute_consensus_at(detail::where(debugContext),
                                                              detail::inStore(set.c(), consensus.c().store),
                                                              consensus.c(), detail::name(debugContext)),
                                     set.c().store, consensus.c().store))
{
}

POPLAR_IMPL Copy::Copy(const Tensor &source, const Tensor &destination, bool dontOutline,
                       const DebugContext &debugContext)
    : Program(between(source, destination, dontOutline, debugContext))
{
}
POPLAR_IMPL Copy::Copy(const Tensor &source, const Tensor &destination, const DebugContext &debugContext)
    : Program(between(source, destination, false, debugContext))
{
}
POPLAR_IMPL Copy::Copy(const Tensor &source, const Tensor &destination, const char *name, SourceLocation location)
    : Copy(source, destination, false, DebugContext(name, location))
{
}
POPLAR_IMPL Copy::Copy(const DataStream &stream, const Tensor &destination, bool optimiseMemory,
                       const DebugContext &debugContext)
    : Program(detail::checkedProgram(debugContext,
                                     pop_copy_from_stream_at(detail::where(debugContext), stream.c(), destination.c(),
                                                             optimiseMemory, detail::name(debugContext)),
                                     stream.c().store, destination.c().store))
{
}
POPLAR_IMPL Copy::Copy(const DataStream &stream, const Tensor &destination, const DebugContext &debugContext)
    : Copy(stream, destination, false, debugContext)
{
}
POPLAR_IMPL Copy::Copy(const DataStream &stream, const Tensor &destination, const char *name, SourceLocation location)
    : Copy(stream, destination, false, DebugContext(name, location))
{
}
POPLAR_IMPL Copy::Copy(const Tensor &source, const DataStream &stream, bool optimiseMemory,
                       const DebugContext &debugContext)
    : Program(detail::checkedProgram(debugContext,
                                     pop_copy_to_stream_at(detail::where(debugContext), source.c(), stream.c(),
                                                           optimiseMemory, detail::name(debugContext)),
                                     stream.c().store, source.c().store))
{
}
POPLAR_IMPL Copy::Copy(const Tensor &source, const DataStream &stream, const DebugContext &debugContext)
    : Copy(source, stream, false, debugContext)
{
}
POPLAR_IMPL Copy::Copy(const Tensor &source, const DataStream &stream, const char *name, SourceLocation location)
    : Copy(source, stream, false, DebugContext(name, location))
{
}
POPLAR_IMPL Copy::Copy(const RemoteBuffer &buffer, const Tensor &destination, const DebugContext &debugContext)
    : Copy(buffer, destination, Tensor(), debugContext)
{
}
POPLAR_IMPL Copy::Copy(const RemoteBuffer &buffer, const Tensor &destination, const Tensor &offset,
                       const DebugContext &debugContext)
    : Program(detail::checkedProgram(debugContext,
                                     pop_copy_from_remote_at(detail::where(debugContext), buffer.c(), destination.c(),
                                                             offset.c(), detail::name(debugContext)),
                                     buffer.c().store, destination.c().store))
{
}
POPLAR_IMPL Copy::Copy(const Tensor &source, const RemoteBuffer &buffer, const DebugContext &debugContext)
    : Copy(source, buffer, Tensor(), debugContext)
{
}
POPLAR_IMPL Copy::Copy(const Tensor &source, const RemoteBuffer &buffer, const Tensor &offset,
                       const DebugContext &debugContext)
    : Program(detail::checkedProgram(debugContext,
                                     pop_copy_to_remote_at(detail::where(debugContext), source.c(), buffer.c(),
                                                           offset.c(), detail::name(debugContext)),
                                     buffer.c().store, source.c().store))
{
}
POPLAR_IMPL Copy::Copy(const FunctionBuffer &buffer, const Function &function, const DebugContext &debugContext)
    : Program(detail::ProgramNode::SEQUENCE, debugContext)
{
    if (!buffer.c().id || buffer.c().id != function.c().id)
        detail::raise(POP_CONTROL_PROGRAM_ERROR, detail::where(debugContext), "Copy",
                      "the buffer does not hold the code of this function");
}
POPLAR_IMPL pop_program Copy::between(const Tensor &source, const Tensor &destination, bool dontOutline,
                                      const DebugContext &debugContext)
{
    return detail::checkedProgram(
        debugContext,
        pop_copy_at(detail::where(debugContext), source.c(), destination.c(), dontOutline, detail::name(debugContext)),
        source.c().store, destination.c().store);
}

POPLAR_IMPL CrossReplicaCopy::CrossReplicaCopy(const Tensor &source, const Tensor &destination,
                                               const std::map<unsigned, unsigned> &replicaMap,
                                               const DebugContext &debugContext)
    : Program(between(source, destination, replicaMap, debugContext))
{
}

POPLAR_IMPL pop_program CrossReplicaCopy::between(const Tensor &source, const Tensor &destination,
                                                  const std::map<unsigned, unsigned> &replicaMap,
                                                  const DebugContext &debugContext)
{
    const detail::Memory memory(replicaMap.size(), sizeof(pop_replica_pair));
    pop_replica_pair *const pairs = static_cast<pop_replica_pair *>(memory.at);
    std::size_t count = 0;
    for (const auto &pair : replicaMap)
        pairs[count++] = { pair.first, pair.second };
    return detail::checkedProgram(debugContext,
                                  pop_cross_replica_copy_at(detail::where(debugContext), source.c(), destination.c(),
                                                            pairs, count, detail::name(debugContext)),
                                  source.c().store, destination.c().store);
}

POPLAR_IMPL Loop::Loop(const Program &body, const DebugContext &debugContext)
    : Program(detail::ProgramNode::REPEAT, debugContext, Repeat(UINT_MAX, body), UINT_MAX)
{
}

POPLAR_IMPL Repeat::Repeat(unsigned count, const Program &body, const DebugContext &debugContext)
    : Program(detail::ProgramNode::REPEAT, debugContext, body, count)
{
}

POPLAR_IMPL RepeatWhileTrue::RepeatWhileTrue(const Program &condition, const Tensor &predicate, const Program &body,
                                             const DebugContext &debugContext)
    : Program(detail::repeatWhile(pop_repeat_while_true_at, condition, predicate, body, debugContext))
{
}

POPLAR_IMPL RepeatWhileFalse::RepeatWhileFalse(const Program &condition, const Tensor &predicate, const Program &body,
                                               const DebugContext &debugContext)
    : Program(detail::repeatWhile(pop_repeat_while_false_at, condition, predicate, body, debugContext))
{
}

POPLAR_IMPL If::If(const Tensor &predicate, const Program &trueBody, const Program &falseBody,
                   const DebugContext &debugContext)
    : Program(make(predicate, trueBody, falseBody, debugContext))
{
}
POPLAR_IMPL pop_program If::make(const Tensor &predicate, const Program &trueBody, const Program &falseBody,
                                 const DebugContext &debugContext)
{
    pop_graph *graph = detail::graphOf(predicate.c().store, "the predicate", debugContext);
    return detail::checkedProgram(debugContext,
                                  pop_if_at(detail::where(debugContext), predicate.c(), trueBody.c(graph),
                                            falseBody.c(graph), detail::name(debugContext)),
                                  predicate.c().store);
}

POPLAR_IMPL Switch::Switch(const Tensor &control, const DebugContext &debugContext)
    : Program(make(control, debugContext))
{
}
POPLAR_IMPL Switch::Switch(const Tensor &control, const Cases &cases, const DebugContext &debugContext)
    : Program(make(control, debugContext))
{
    addAll(cases, detail::where(debugContext));
}
POPLAR_IMPL Switch::Switch(const Tensor &control, const Program &defaultCase, const DebugContext &debugContext)
    : Program(make(control, debugContext))
{
    setDefault(defaultCase, detail::where(debugContext));
}
POPLAR_IMPL Switch::Switch(const Tensor &control, const Cases &cases, const Program &defaultCase,
                           const DebugContext &debugContext)
    : Program(make(control, debugContext))
{
    addAll(cases, detail::where(debugContext));
    setDefault(defaultCase, detail::where(debugContext));
}
POPLAR_IMPL Switch Switch::switchWithBoundsChecking(const Tensor &control, const DebugContext &debugContext)
{
    return Switch(Unreachable(), control, debugContext);
}
POPLAR_IMPL Switch Switch::switchWithBoundsChecking(const Tensor &control, const Cases &cases,
                                                    const DebugContext &debugContext)
{
    Switch result(Unreachable(), control, debugContext);
    result.addAll(cases, detail::where(debugContext));
    return result;
}
POPLAR_IMPL Switch Switch::switchWithUnreachableDefault(const Tensor &control, const DebugContext &debugContext)
{
    return Switch(Unreachable(), control, debugContext);
}
POPLAR_IMPL Switch Switch::switchWithUnreachableDefault(const Tensor &control, const Cases &cases,
                                                        const DebugContext &debugContext)
{
    return switchWithBoundsChecking(control, cases, debugContext);
}
POPLAR_IMPL Switch &Switch::add(std::int32_t value, const Program &body, detail::Where where)
{
    pop_graph *graph = pop_store_graph(made.store);
    pop_switch_add_at(where, made, value, body.c(graph));
    detail::check(graph);
    return *this;
}
POPLAR_IMPL pop_program Switch::make(const Tensor &control, const DebugContext &debugContext)
{
    return detail::checkedProgram(debugContext,
                                  pop_switch_at(detail::where(debugContext), control.c(), detail::name(debugContext)),
                                  control.c().store);
}
POPLAR_IMPL Switch::Switch(Unreachable, const Tensor &control, const DebugContext &debugContext)
    : Program(make(control, debugContext))
{
    pop_switch_unreachable_default_at(detail::where(debugContext), made);
    detail::check(pop_store_graph(made.store));
}
POPLAR_IMPL void Switch::addAll(const Cases &cases, pop_where where)
{
    for (const Cases::value_type &body : cases)
        add(body.first, body.second, detail::Where(where.file, where.line));
}
POPLAR_IMPL void Switch::setDefault(const Program &body, pop_where where)
{
    pop_graph *graph = pop_store_graph(made.store);
    pop_switch_default_at(where, made, body.c(graph));
    detail::check(graph);
}

POPLAR_IMPL Call::Call(Function function, const DebugContext &debugContext)
    : Program(function.c().store || !function.c().id
                  ? detail::checkedProgram(
                        debugContext,
                        pop_call_at(detail::where(debugContext), function.c(), detail::name(debugContext)),
                        function.c().store)
                  : pop_program())
{
    if (!function.c().store)
        wait(detail::ProgramNode::CALL, debugContext, function.c().id);
}
POPLAR_IMPL Call::Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
                       const DebugContext &debugContext)
    : Program(callHost(function, inputs, outputs, debugContext))
{
}
POPLAR_IMPL pop_program Call::callHost(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
                                       const DebugContext &debugContext)
{
    pop_store *store = function.c().store ? function.c().store
                       : !inputs.empty()  ? inputs[0].c().store
                       : !outputs.empty() ? outputs[0].c().store
                                          : nullptr;
    return detail::checkedProgram(debugContext,
                                  pop_call_host_at(detail::where(debugContext), detail::inStore(function.c(), store),
                                                   detail::tensors(inputs), detail::tensors(outputs),
                                                   detail::name(debugContext)),
                                  store);
}

POPLAR_IMPL PrintTensor::PrintTensor(const Tensor &t, const DebugContext &debugContext)
    : Program(print(nullptr, t, nullptr, debugContext))
{
}
POPLAR_IMPL PrintTensor::PrintTensor(const Tensor &t, const PrintTensorFmt &format, const DebugContext &debugContext)
    : Program(print(nullptr, t, &format, debugContext))
{
}
POPLAR_IMPL PrintTensor::PrintTensor(StringRef title, const Tensor &t, const DebugContext &debugContext)
    : Program(print(detail::CString(title), t, nullptr, debugContext))
{
}
POPLAR_IMPL PrintTensor::PrintTensor(StringRef title, const Tensor &t, const PrintTensorFmt &format,
                                     const DebugContext &debugContext)
    : Program(print(detail::CString(title), t, &format, debugContext))
{
}
POPLAR_IMPL pop_program PrintTensor::print(const char *title, const Tensor &t, const PrintTensorFmt *format,
                                           const DebugContext &debugContext)
{
    const pop_where where = detail::where(debugContext);
    const char *name = detail::name(debugContext);
    return detail::checkedProgram(debugContext,
                                  format ? pop_print_tensor_format_at(where, title, t.c(), format->c(), name)
                                         : pop_print_tensor_at(where, title, t.c(), name),
                                  t.c().store);
}

POPLAR_IMPL WriteUndef::WriteUndef(const Tensor &t, const DebugContext &debugContext)
    : Program(detail::checkedProgram(debugContext,
                                     pop_write_undef_at(detail::where(debugContext), t.c(), detail::name(debugContext)),
                                     t.c().store))
{
}

POPLAR_IMPL AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(const Tensor &t, const DebugContext &debugContext)
    : Program(detail::checkedProgram(
          debugContext,
          pop_assume_equal_across_replicas_at(detail::where(debugContext), t.c(), detail::name(debugContext)),
          t.c().store))
{
}

POPLAR_IMPL Sync::Sync(SyncType type, const DebugContext &debugContext)
    : Program(detail::ProgramNode::SYNC, debugContext, Program(), static_cast<unsigned>(type))
{
}

POPLAR_IMPL Abort::Abort(const DebugContext &debugContext) : Program(detail::ProgramNode::ABORT, debugContext)
{
}
POPLAR_IMPL Abort::Abort(const char *message, const DebugContext &debugContext)
    : Abort(std::string(message), debugContext)
{
}
POPLAR_IMPL Abort::Abort(const std::string &message, const DebugContext &debugContext)
    : Program(detail::ProgramNode::ABORT, debugContext)
{
    node()->message = message;
    node()->number = 1;
}

POPLAR_IMPL AbortOnCondition::AbortOnCondition(const Tensor &condition, const DebugContext &debugContext)
    : Program(make(condition, nullptr, debugContext))
{
}
POPLAR_IMPL AbortOnCondition::AbortOnCondition(const Tensor &condition, const char *message,
                                               const DebugContext &debugContext)
    : Program(make(condition, message, debugContext))
{
}
POPLAR_IMPL AbortOnCondition::AbortOnCondition(const Tensor &condition, const std::string &message,
                                               const DebugContext &debugContext)
    : Program(make(condition, message.c_str(), debugContext))
{
}
POPLAR_IMPL pop_program AbortOnCondition::make(const Tensor &condition, const char *message,
                                               const DebugContext &debugContext)
{
    return detail::checkedProgram(
        debugContext,
        pop_abort_on_condition_at(detail::where(debugContext), condition.c(), message, detail::name(debugContext)),
        condition.c().store);
}

POPLAR_IMPL ErrorProgram::ErrorProgram(StringRef message, const Tensor &t, const DebugContext &debugContext)
    : Program(detail::checkedProgram(debugContext,
                                     pop_error_program_at(detail::where(debugContext), detail::CString(message), t.c(),
                                                          detail::name(debugContext)),
                                     t.c().store))
{
}

POPLAR_IMPL void dumpProgram(const Graph &graph, const Program &program, std::ostream &out)
{
    detail::OutputFile text;
    if (!pop_dump_program(graph.c(), program.c(graph.c()), text.c()))
        detail::raiseFrom(graph.c());
    text.send(out);
}

} // namespace program

// Members of Graph that use programs.
POPLAR_IMPL Function Graph::addFunction(const program::Program &program, Where where)
{
    const pop_function function = pop_graph_add_function_at(where, c(), program.c(c()));
    detail::check(c());
    return Function(function);
}
POPLAR_IMPL void Graph::outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs, Where where) const
{
    const detail::Programs list(c(), programs);
    detail::OutputFile file;
    pop_graph_output_compute_graph_at(where, c(), file.c(), list.data(), list.size());
    detail::check(c());
    file.send(out);
}
POPLAR_IMPL void Graph::outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs, Where where) const
{
    const detail::Programs list(c(), programs);
    detail::OutputFile file;
    pop_graph_output_vertex_graph_at(where, c(), file.c(), list.data(), list.size());
    detail::check(c());
    file.send(out);
}
POPLAR_IMPL void Graph::serialize(std::ostream &out, ArrayRef<program::Program> programs, SerializationFormat format,
                                  Where where) const
{
    const detail::Programs list(c(), programs);
    detail::OutputFile file;
    pop_graph_serialize_programs_at(where, c(), file.c(), list.data(), list.size(),
                                    static_cast<pop_serialization>(format));
    detail::check(c());
    file.send(out);
}

} // namespace poplar
#endif
