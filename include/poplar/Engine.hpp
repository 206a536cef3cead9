// SPDX-License-Identifier: Apache-2.0
// Running compiled programs on a device.
#ifndef POPLAR_ENGINE_HPP
#define POPLAR_ENGINE_HPP

#include <poplar/Device.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfilePrinting.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/detail/engine_state.hpp>
#include <poplar/exceptions.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace poplar {

struct TimerTimePoint {
    std::uint64_t nanoseconds; // of a clock that runs evenly
};

// Holds what it needs of graph and programs.  One thread at a time uses an engine; callbacks run on the thread that called run, and what they throw
// comes out of it.
class Engine {
    typedef detail::Where Where; // an argument that nobody writes: the user's line
    typedef detail::EngineState::Call Call;

public:
    Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options = {}, Where where = Where::here())
        : Engine(compileGraph(graph, programs, options, where))
    {
    }
    Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options = {}, Where where = Where::here())
        : Engine(compileGraph(std::move(graph), programs, options, where))
    {
    }
    Engine(const Graph &graph, const program::Program &program, const OptionFlags &options = {}, Where where = Where::here())
        : Engine(compileGraph(graph, ArrayRef<program::Program>(&program, 1), options, where))
    {
    }
    Engine(Graph &&graph, const program::Program &program, const OptionFlags &options = {}, Where where = Where::here())
        : Engine(compileGraph(std::move(graph), ArrayRef<program::Program>(&program, 1), options, where))
    {
    }
    // The same with somebody who is told of compiling.
    template <typename F = ProgressFunc>
    Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options, typename detail::Same<F>::type progress,
           const DebugContext &debugContext = {})
        : Engine(compileGraph(graph, programs, options, std::move(progress), debugContext))
    {
    }
    template <typename F = ProgressFunc>
    Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options, typename detail::Same<F>::type progress,
           const DebugContext &debugContext = {})
        : Engine(compileGraph(std::move(graph), programs, options, std::move(progress), debugContext))
    {
    }
    template <typename F = ProgressFunc>
    Engine(const Graph &graph, const program::Program &program, const OptionFlags &options, typename detail::Same<F>::type progress,
           const DebugContext &debugContext = {})
        : Engine(compileGraph(graph, ArrayRef<program::Program>(&program, 1), options, std::move(progress), debugContext))
    {
    }
    template <typename F = ProgressFunc>
    Engine(Graph &&graph, const program::Program &program, const OptionFlags &options, typename detail::Same<F>::type progress,
           const DebugContext &debugContext = {})
        : Engine(compileGraph(std::move(graph), ArrayRef<program::Program>(&program, 1), options, std::move(progress), debugContext))
    {
    }
    Engine(const Executable &executable, const OptionFlags &options = {}) : state(new detail::EngineState(executable, options)) {}
    Engine(Executable &&executable, const OptionFlags &options = {}) : state(new detail::EngineState(executable, options)) {}
    Engine(Engine &&other) noexcept : state(other.state) { other.state = nullptr; }
    Engine &operator=(Engine &&other) noexcept
    {
        Engine taken(std::move(other));
        detail::exchange(state, taken.state);
        return *this;
    }
    ~Engine() { detail::EngineState::end(state); }

    // Puts the executable on an attached device; variables get their initial values.
    void load(const Device &device, Where where = Where::here())
    {
        const Call call(at(where));
        pop_error error;
        call.state.finish(pop_engine_load(call.state.engine, device.c(), &error), error, where);
    }
    // The two halves of load, the first of which does all there is to do.
    void prepare(const Device &device, Where where = Where::here())
    {
        const Call call(at(where));
        load(device, where);
        call.state.prepared = true;
    }
    void prepare(const Device &device, const RuntimeOptions &, Where where = Where::here()) { prepare(device, where); }
    void deploy(Where where = Where::here())
    {
        if (!at(where).prepared)
            detail::raise(POP_RUNTIME_ERROR, where, "Engine", "the engine was not prepared: call prepare(device) first");
    }
    void run(unsigned program = 0, const std::string &debugName = "", Where where = Where::here())
    {
        (void)debugName;
        const Call call(at(where));
        pop_error error;
        call.state.finish(pop_engine_run(call.state.engine, program, &error), error, where);
    }
    void run(unsigned program, const std::string &debugName, const RuntimeOptions &, Where where = Where::here()) { run(program, debugName, where); }
    void run(unsigned program, const RuntimeOptions &, Where where = Where::here()) { run(program, "", where); }
    void loadAndRun(const Device &device, unsigned program = 0, Where where = Where::here())
    {
        const Call call(at(where));
        load(device, where);
        if (!call.ended())
            run(program, "", where);
    }
    // Ends a run, from a callback or another thread, after its current step.
    void stop() { pop_engine_stop(c()); }

    // Tensors, by the handles of createHostWrite and createHostRead.  One pointer: as many bytes as the tensor has.
    void writeTensor(StringRef handle, const void *data, Where where = Where::here()) { write(handle, data, POP_WHOLE, where); }
    void writeTensor(StringRef handle, const void *begin, const void *end, Where where = Where::here())
    {
        write(handle, begin, detail::distance(begin, end), where);
    }
    template <typename T> void writeTensor(StringRef handle, ArrayRef<T> data, Where where = Where::here())
    {
        write(handle, data.data(), data.size() * sizeof(T), where);
    }
    template <typename T, typename A> void writeTensor(StringRef handle, const std::vector<T, A> &data, Where where = Where::here())
    {
        write(handle, data.data(), data.size() * sizeof(T), where);
    }
    void readTensor(StringRef handle, void *data, Where where = Where::here()) { read(handle, data, POP_WHOLE, where); }
    void readTensor(StringRef handle, void *begin, void *end, Where where = Where::here())
    {
        read(handle, begin, detail::distance(begin, end), where);
    }
    template <typename T, typename A> void readTensor(StringRef handle, std::vector<T, A> &data, Where where = Where::here())
    {
        read(handle, data.data(), data.size() * sizeof(T), where);
    }

    // Streams.  A pointer alone: the same elements each time; a range: a circle, in which each transfer moves on.
    void connectStream(StringRef handle, void *data, Where where = Where::here())
    {
        const Call call(at(where));
        pop_error error;
        call.state.finish(pop_engine_connect_stream(call.state.engine, detail::CString(handle), data, &error), error, where);
    }
    void connectStream(StringRef handle, void *begin, void *end, Where where = Where::here())
    {
        const Call call(at(where));
        pop_error error;
        call.state.finish(pop_engine_connect_stream_circular(call.state.engine, detail::CString(handle), begin, end, &error), error, where);
    }
    template <typename T> void connectStream(StringRef handle, ArrayRef<T> data, Where where = Where::here())
    {
        connectStream(handle, const_cast<T *>(data.data()), const_cast<T *>(data.data() + data.size()), where);
    }
    template <typename T, typename A> void connectStream(StringRef handle, std::vector<T, A> &data, Where where = Where::here())
    {
        connectStream(handle, data.data(), data.data() + data.size(), where);
    }
    void connectStream(const DataStream &stream, void *data, Where where = Where::here()) { connectStream(stream.handle(), data, where); }
    void connectStream(const DataStream &stream, void *begin, void *end, Where where = Where::here())
    {
        connectStream(stream.handle(), begin, end, where);
    }
    template <typename T> void connectStream(const DataStream &stream, ArrayRef<T> data, Where where = Where::here())
    {
        connectStream(stream.handle(), data, where);
    }
    template <typename T, typename A> void connectStream(const DataStream &stream, std::vector<T, A> &data, Where where = Where::here())
    {
        connectStream(stream.handle(), data, where);
    }
    void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback, Where where = Where::here())
    {
        at(where).connect(handle, std::move(callback), where);
    }
    void connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback, Where where = Where::here())
    {
        detail::checkReplica(replica, where);
        at(where).connect(handle, std::move(callback), where);
    }
    void connectStreamToCallback(const DataStream &stream, StreamCallbackHandle callback, Where where = Where::here())
    {
        at(where).connect(stream.handle(), std::move(callback), where);
    }
    void connectStreamToCallback(const DataStream &stream, unsigned replica, StreamCallbackHandle callback, Where where = Where::here())
    {
        connectStreamToCallback(stream.handle(), replica, std::move(callback), where);
    }
    // index: of the replica.
    void connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback, Where where = Where::here())
    {
        detail::checkReplica(index, where);
        at(where).connect(handle, std::move(callback), where);
    }
    void connectHostFunction(HostFunction function, unsigned index, HostCallbackHandle callback, Where where = Where::here())
    {
        connectHostFunction(pop_host_function_handle(function.c()), index, std::move(callback), where);
    }
    template <typename List = std::vector<std::string>> List listStreams() const
    {
        const std::size_t count = pop_engine_list_streams(c(), nullptr, 0);
        const detail::Memory memory(count, sizeof(const char *));
        const char **const handles = static_cast<const char **>(memory.at);
        pop_engine_list_streams(c(), handles, count);
        return List(handles, handles + count);
    }

    // A row of a remote buffer.
    void copyToRemoteBuffer(const void *data, StringRef handle, std::uint64_t repeatIndex = 0, unsigned replica = 0, Where where = Where::here())
    {
        detail::checkReplica(replica, where);
        pop_error error;
        at(where).finish(pop_engine_copy_to_remote_buffer(at(where).engine, data, detail::CString(handle), repeatIndex, &error), error, where);
    }
    template <typename T>
    void copyToRemoteBuffer(ArrayRef<T> data, StringRef handle, std::uint64_t repeatIndex = 0, unsigned replica = 0, Where where = Where::here())
    {
        const detail::CString name(handle);
        const std::size_t bytes = pop_engine_remote_row_bytes(at(where).engine, name);
        if (bytes && bytes != data.size() * sizeof(T))
            detail::raise(POP_TENSOR_IO_STATE_ERROR, where, "Engine", "a row of remote buffer '%s' has %zu bytes, the data has %zu", static_cast<const char *>(name),
                          bytes, data.size() * sizeof(T));
        copyToRemoteBuffer(static_cast<const void *>(data.data()), handle, repeatIndex, replica, where);
    }
    void copyFromRemoteBuffer(StringRef handle, void *data, std::uint64_t repeatIndex = 0, unsigned replica = 0, Where where = Where::here())
    {
        detail::checkReplica(replica, where);
        pop_error error;
        at(where).finish(pop_engine_copy_from_remote_buffer(at(where).engine, detail::CString(handle), data, repeatIndex, &error), error, where);
    }

    // Where PrintTensor writes; standard error at first.
    void setPrintStream(std::ostream &out) { at().printTo(out); }
    void setPrintTensorStream(std::ostream &out) { at().printTo(out); }

    void printProfileSummary(std::ostream &out, const OptionFlags &options = {}) const
    {
        pop_error error;
        detail::OutputFile text;
        const pop_status status = pop_engine_print_profile_summary(c(), text.c(), detail::Options(options), &error);
        detail::check(status, error);
        text.send(out);
    }
    template <typename Value = ProfileValue> Value getGraphProfile() const
    {
        pop_error error;
        pop_profile_value profile;
        detail::check(pop_engine_graph_profile(c(), &profile, &error), error);
        return Value(profile);
    }
    template <typename Value = ProfileValue> Value getExecutionProfile() const
    {
        pop_error error;
        pop_profile_value profile;
        detail::check(pop_engine_execution_profile(c(), &profile, &error), error);
        return Value(profile);
    }
    // Both, as members graph and execution.
    template <typename Value = ProfileValue> Value getProfile() const
    {
        typename Value::Map both;
        both["graph"] = getGraphProfile();
        both["execution"] = getExecutionProfile();
        return both;
    }
    void enableExecutionProfiling() { pop_engine_enable_execution_profiling(c()); }
    void disableExecutionProfiling() { pop_engine_disable_execution_profiling(c()); }
    void resetExecutionProfile() { pop_engine_reset_execution_profile(c()); }

    OptionFlags getEngineOptions() const
    {
        const pop_options list = pop_engine_options(c());
        OptionFlags options;
        for (std::size_t i = 0; i < list.count; ++i)
            options.set(list.list[i].key, list.list[i].value);
        return options;
    }
    void serializeExecutable(std::ostream &out) const { at().executable.serialize(out); }

    TimerTimePoint getTimeStamp() const { return TimerTimePoint{ detail::nanoseconds() }; }
    // The time since a stamp, or between two, as text.
    std::string reportTiming(const TimerTimePoint &start) const { return reportTiming(start, getTimeStamp()); }
    std::string reportTiming(const TimerTimePoint &start, const TimerTimePoint &stop) const
    {
        return std::to_string(static_cast<double>(stop.nanoseconds - start.nanoseconds) / 1e9) + " s";
    }

    pop_engine *c() const { return at().engine; } // the C interface's, which stays this object's

private:
    detail::EngineState *state; // at a place that does not move

    detail::EngineState &at(const pop_where &where = pop_where()) const
    {
        if (!state)
            detail::raise(POP_RUNTIME_ERROR, where, "Engine", "the engine was moved away");
        return *state;
    }
    void write(StringRef handle, const void *data, std::size_t bytes, const pop_where &where)
    {
        pop_error error;
        detail::check(pop_engine_write_tensor(at(where).engine, detail::CString(handle), data, bytes, &error), error, where);
    }
    void read(StringRef handle, void *data, std::size_t bytes, const pop_where &where)
    {
        pop_error error;
        detail::check(pop_engine_read_tensor(at(where).engine, detail::CString(handle), data, bytes, &error), error, where);
    }
};

} // namespace poplar
#endif
