// SPDX-License-Identifier: Apache-2.0
// Engines.
#ifndef POPLAR_IMPL_ENGINE_HPP
#define POPLAR_IMPL_ENGINE_HPP

#include <poplar/Engine.hpp>
#include <poplar/impl/engine_state.hpp>
#include <poplar/impl/text_file.hpp>
#include <poplar/text.h>

namespace poplar
{

POPLAR_IMPL Engine::Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                           Where where)
    : Engine(compileGraph(graph, programs, options, where))
{
}
POPLAR_IMPL Engine::Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options, Where where)
    : Engine(compileGraph(std::move(graph), programs, options, where))
{
}
POPLAR_IMPL Engine::Engine(const Graph &graph, const program::Program &program, const OptionFlags &options, Where where)
    : Engine(compileGraph(graph, ArrayRef<program::Program>(&program, 1), options, where))
{
}
POPLAR_IMPL Engine::Engine(Graph &&graph, const program::Program &program, const OptionFlags &options, Where where)
    : Engine(compileGraph(std::move(graph), ArrayRef<program::Program>(&program, 1), options, where))
{
}
POPLAR_IMPL Engine::Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                           ProgressFunc progress, const DebugContext &debugContext)
    : Engine(compileGraph(graph, programs, options, std::move(progress), debugContext))
{
}
POPLAR_IMPL Engine::Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                           ProgressFunc progress, const DebugContext &debugContext)
    : Engine(compileGraph(std::move(graph), programs, options, std::move(progress), debugContext))
{
}
POPLAR_IMPL Engine::Engine(const Graph &graph, const program::Program &program, const OptionFlags &options,
                           ProgressFunc progress, const DebugContext &debugContext)
    : Engine(compileGraph(graph, ArrayRef<program::Program>(&program, 1), options, std::move(progress), debugContext))
{
}
POPLAR_IMPL Engine::Engine(Graph &&graph, const program::Program &program, const OptionFlags &options,
                           ProgressFunc progress, const DebugContext &debugContext)
    : Engine(compileGraph(std::move(graph), ArrayRef<program::Program>(&program, 1), options, std::move(progress),
                          debugContext))
{
}
POPLAR_IMPL Engine::Engine(const Executable &executable, const OptionFlags &options)
    : state(new detail::EngineState(executable, options))
{
}
POPLAR_IMPL Engine::Engine(Executable &&executable, const OptionFlags &options)
    : state(new detail::EngineState(executable, options))
{
}
POPLAR_IMPL Engine::Engine(std::shared_ptr<Executable> executable, const OptionFlags &options)
    : Engine(detail::pointedTo(executable), options)
{
}
POPLAR_IMPL Engine::Engine(Engine &&other) noexcept : state(other.state)
{
    other.state = nullptr;
}
POPLAR_IMPL Engine &Engine::operator=(Engine &&other) noexcept
{
    Engine taken(std::move(other));
    detail::exchange(state, taken.state);
    return *this;
}
POPLAR_IMPL Engine::~Engine()
{
    detail::EngineState::end(state);
}
POPLAR_IMPL void Engine::load(const Device &device, Where where)
{
    const detail::EngineState::Call call(at(where));
    pop_error error;
    call.state.finish(pop_engine_load(call.state.engine, device.c(), &error), error, where);
}
POPLAR_IMPL void Engine::prepare(const Device &device, Where where)
{
    const detail::EngineState::Call call(at(where));
    load(device, where);
    call.state.prepared = true;
}
POPLAR_IMPL void Engine::setRuntimeOptions(const RuntimeOptions &options, Where where)
{
    const detail::EngineState::Call call(at(where));
    pop_error error;
    call.state.finish(pop_engine_set_runtime_options(call.state.engine, detail::Options(options), &error), error,
                      where);
}
POPLAR_IMPL void Engine::prepare(const Device &device, const RuntimeOptions &options, Where where)
{
    setRuntimeOptions(options, where);
    prepare(device, where);
}
POPLAR_IMPL void Engine::deploy(Where where)
{
    if (!at(where).prepared)
        detail::raise(POP_RUNTIME_ERROR, where, "Engine", "the engine was not prepared: call prepare(device) first");
}
POPLAR_IMPL void Engine::run(unsigned program, const std::string &debugName, Where where)
{
    const detail::EngineState::Call call(at(where));
    pop_error error;
    call.state.finish(pop_engine_run_named(call.state.engine, program, debugName.c_str(), &error), error, where);
}
POPLAR_IMPL void Engine::run(unsigned program, const std::string &debugName, const RuntimeOptions &options, Where where)
{
    setRuntimeOptions(options, where);
    run(program, debugName, where);
}
POPLAR_IMPL void Engine::run(unsigned program, const RuntimeOptions &options, Where where)
{
    run(program, "", options, where);
}
POPLAR_IMPL void Engine::loadAndRun(const Device &device, unsigned program, Where where)
{
    const detail::EngineState::Call call(at(where));
    load(device, where);
    if (!call.ended())
        run(program, "", where);
}
POPLAR_IMPL void Engine::stop()
{
    pop_engine_stop(c());
}
POPLAR_IMPL void Engine::writeTensor(StringRef handle, const void *data, Where where)
{
    write(handle, data, POP_WHOLE, where);
}
POPLAR_IMPL void Engine::writeTensor(StringRef handle, const void *begin, const void *end, Where where)
{
    write(handle, begin, detail::distance(begin, end), where);
}
POPLAR_IMPL void Engine::writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin,
                                     const void *end, Where where)
{
    pop_error error;
    detail::check(pop_engine_write_quarter(at(where).engine, detail::CString(handle), metadata.getBinary(), begin,
                                           detail::distance(begin, end), &error),
                  error, where);
}
POPLAR_IMPL void Engine::readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end, Where where)
{
    pop_error error;
    std::uint8_t byte = 0;
    detail::check(pop_engine_read_quarter(at(where).engine, detail::CString(handle), &byte, begin,
                                          detail::distance(begin, end), &error),
                  error, where);
    metadata = QuarterMetadata::fromBinary(byte);
}
POPLAR_IMPL void Engine::readTensor(StringRef handle, void *data, Where where)
{
    read(handle, data, POP_WHOLE, where);
}
POPLAR_IMPL void Engine::readTensor(StringRef handle, void *begin, void *end, Where where)
{
    read(handle, begin, detail::distance(begin, end), where);
}
POPLAR_IMPL void Engine::connectStream(StringRef handle, void *data, Where where)
{
    const detail::EngineState::Call call(at(where));
    pop_error error;
    call.state.finish(pop_engine_connect_stream(call.state.engine, detail::CString(handle), data, &error), error,
                      where);
}
POPLAR_IMPL void Engine::connectStream(StringRef handle, void *begin, void *end, Where where)
{
    const detail::EngineState::Call call(at(where));
    pop_error error;
    call.state.finish(
        pop_engine_connect_stream_circular(call.state.engine, detail::CString(handle), begin, end, &error), error,
        where);
}
POPLAR_IMPL void Engine::connectStream(const DataStream &stream, void *data, Where where)
{
    connectStream(stream.handle(), data, where);
}
POPLAR_IMPL void Engine::connectStream(const DataStream &stream, void *begin, void *end, Where where)
{
    connectStream(stream.handle(), begin, end, where);
}
POPLAR_IMPL void Engine::connectStreamToCallback(StringRef handle, StreamCallbackHandle callback, Where where)
{
    at(where).connect(handle, detail::allReplicas, std::move(callback), where);
}
POPLAR_IMPL void Engine::connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback,
                                                 Where where)
{
    at(where).connect(handle, replica, std::move(callback), where);
}
POPLAR_IMPL void Engine::connectStreamToCallback(const DataStream &stream, StreamCallbackHandle callback, Where where)
{
    at(where).connect(stream.handle(), detail::allReplicas, std::move(callback), where);
}
POPLAR_IMPL void Engine::connectStreamToCallback(const DataStream &stream, unsigned replica,
                                                 StreamCallbackHandle callback, Where where)
{
    connectStreamToCallback(stream.handle(), replica, std::move(callback), where);
}
POPLAR_IMPL void Engine::connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback, Where where)
{
    at(where).connect(handle, index, std::move(callback), where);
}
POPLAR_IMPL void Engine::connectHostFunction(HostFunction function, unsigned index, HostCallbackHandle callback,
                                             Where where)
{
    connectHostFunction(pop_host_function_handle(function.c()), index, std::move(callback), where);
}
POPLAR_IMPL std::vector<std::string> Engine::listStreams() const
{
    const std::size_t count = pop_engine_list_streams(c(), nullptr, 0);
    const detail::Memory memory(count, sizeof(const char *));
    const char **const handles = static_cast<const char **>(memory.at);
    pop_engine_list_streams(c(), handles, count);
    return std::vector<std::string>(handles, handles + count);
}
POPLAR_IMPL void Engine::copyToRemoteBuffer(const void *data, StringRef handle, std::uint64_t repeatIndex,
                                            unsigned replica, Where where)
{
    pop_error error;
    at(where).finish(pop_engine_copy_to_remote_buffer_of(at(where).engine, replica, data, detail::CString(handle),
                                                         repeatIndex, &error),
                     error, where);
}
POPLAR_IMPL void Engine::copyFromRemoteBuffer(StringRef handle, void *data, std::uint64_t repeatIndex, unsigned replica,
                                              Where where)
{
    pop_error error;
    at(where).finish(pop_engine_copy_from_remote_buffer_of(at(where).engine, replica, detail::CString(handle), data,
                                                           repeatIndex, &error),
                     error, where);
}
POPLAR_IMPL void Engine::setPrintStream(std::ostream &out)
{
    at().printTo(out);
}
POPLAR_IMPL void Engine::setPrintTensorStream(std::ostream &out)
{
    at().printTo(out);
}
POPLAR_IMPL void Engine::printProfileSummary(std::ostream &out, const OptionFlags &options) const
{
    pop_error error;
    detail::OutputFile text;
    const pop_status status = pop_engine_print_profile_summary(c(), text.c(), detail::Options(options), &error);
    detail::check(status, error);
    text.send(out);
}
POPLAR_IMPL const ProfileValue &Engine::getGraphProfile() const
{
    detail::EngineState &state_ = at();
    if (!state_.graphProfile) {
        pop_error error;
        pop_profile_value profile;
        detail::check(pop_engine_graph_profile(c(), &profile, &error), error);
        state_.graphProfile.reset(new ProfileValue(profile));
    }
    return *state_.graphProfile;
}
POPLAR_IMPL ProfileValue Engine::getExecutionProfile() const
{
    pop_error error;
    pop_profile_value profile;
    detail::check(pop_engine_execution_profile(c(), &profile, &error), error);
    return ProfileValue(profile);
}
POPLAR_IMPL std::string Engine::writeTemporaryReport(bool reportExecution) const
{
    pop_error error;
    char path[4096];
    detail::check(pop_engine_temporary_report(c(), reportExecution, path, sizeof(path), &error), error);
    return path;
}
POPLAR_IMPL ProfileValue Engine::getProfile() const
{
    ProfileValue::Map both;
    both["graphProfile"] = getGraphProfile();
    both["executionProfile"] = getExecutionProfile();
    return both;
}
POPLAR_IMPL void Engine::enableExecutionProfiling()
{
    pop_engine_enable_execution_profiling(c());
}
POPLAR_IMPL void Engine::disableExecutionProfiling()
{
    pop_engine_disable_execution_profiling(c());
}
POPLAR_IMPL void Engine::resetExecutionProfile()
{
    pop_engine_reset_execution_profile(c());
}
POPLAR_IMPL void Engine::reportRunParameter(const std::string &name, const std::string &value)
{
    pop_error error;
    detail::check(pop_engine_report_run_parameter(c(), name.c_str(), value.c_str(), &error), error);
}
POPLAR_IMPL void Engine::reportIntervals(std::ostream &out) const
{
    pop_error error;
    detail::OutputFile text;
    detail::check(pop_engine_report_intervals(c(), text.c(), &error), error);
    text.send(out);
}
POPLAR_IMPL OptionFlags Engine::getEngineOptions() const
{
    const pop_options list = pop_engine_options(c());
    OptionFlags options;
    for (std::size_t i = 0; i < list.count; ++i)
        options.set(list.list[i].key, list.list[i].value);
    return options;
}
POPLAR_IMPL void Engine::serializeExecutable(std::ostream &out) const
{
    at().executable.serialize(out);
}
POPLAR_IMPL TimerTimePoint Engine::getTimeStamp() const
{
    return TimerTimePoint{ detail::nanoseconds() };
}
POPLAR_IMPL std::string Engine::reportTiming(const TimerTimePoint &start) const
{
    return reportTiming(start, getTimeStamp());
}
POPLAR_IMPL std::string Engine::reportTiming(const TimerTimePoint &start, const TimerTimePoint &stop) const
{
    char text[64];
    pop_text_format(text, sizeof(text), "%f s", static_cast<double>(stop.nanoseconds - start.nanoseconds) / 1e9);
    return text;
}
POPLAR_IMPL pop_engine *Engine::c() const
{
    return at().engine;
}
POPLAR_IMPL detail::EngineState &Engine::at(const pop_where &where) const
{
    if (!state)
        detail::raise(POP_RUNTIME_ERROR, where, "Engine", "the engine was moved away");
    return *state;
}
POPLAR_IMPL void Engine::write(StringRef handle, const void *data, std::size_t bytes, const pop_where &where)
{
    pop_error error;
    detail::check(pop_engine_write_tensor(at(where).engine, detail::CString(handle), data, bytes, &error), error,
                  where);
}
POPLAR_IMPL void Engine::checkRow(StringRef handle, std::size_t size, const pop_where &where) const
{
    const detail::CString name(handle);
    const std::size_t bytes = pop_engine_remote_row_bytes(at(where).engine, name);
    if (bytes && bytes != size)
        detail::raise(POP_TENSOR_IO_STATE_ERROR, where, "Engine",
                      "a row of remote buffer '%s' has %zu bytes, the data has %zu", static_cast<const char *>(name),
                      bytes, size);
}
POPLAR_IMPL void Engine::read(StringRef handle, void *data, std::size_t bytes, const pop_where &where)
{
    pop_error error;
    detail::check(pop_engine_read_tensor(at(where).engine, detail::CString(handle), data, bytes, &error), error, where);
}

} // namespace poplar
#endif
