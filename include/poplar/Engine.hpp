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
public:
    Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options = {}, ProgressFunc progress = {},
           const DebugContext &debugContext = {})
        : Engine(detail::compile(graph, programs, options, progress, debugContext))
    {
    }
    Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options = {}, ProgressFunc progress = {},
           const DebugContext &debugContext = {})
        : Engine(compileGraph(std::move(graph), programs, options, progress, debugContext))
    {
    }
    Engine(const Graph &graph, program::Program program, const OptionFlags &options = {}, ProgressFunc progress = {},
           const DebugContext &debugContext = {})
        : Engine(detail::compile(graph, ArrayRef<program::Program>(&program, 1), options, progress, debugContext))
    {
    }
    Engine(Graph &&graph, program::Program program, const OptionFlags &options = {}, ProgressFunc progress = {},
           const DebugContext &debugContext = {})
        : Engine(compileGraph(std::move(graph), ArrayRef<program::Program>(&program, 1), options, progress, debugContext))
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
    ~Engine() { delete state; }

    // Puts the executable on an attached device; variables get their initial values.
    void load(const Device &device)
    {
        pop_error error;
        state->finish(pop_engine_load(c(), device.c(), &error), error);
    }
    // The two halves of load.
    void prepare(const Device &device) { state->prepared = device.c(); }
    void prepare(const Device &device, const RuntimeOptions &) { prepare(device); }
    void deploy()
    {
        pop_error error;
        state->finish(pop_engine_load(c(), state->prepared, &error), error);
    }
    void run(unsigned program = 0, const std::string &debugName = "")
    {
        (void)debugName;
        pop_error error;
        state->finish(pop_engine_run(c(), program, &error), error);
    }
    void run(unsigned program, const std::string &debugName, const RuntimeOptions &) { run(program, debugName); }
    void run(unsigned program, const RuntimeOptions &) { run(program); }
    void loadAndRun(const Device &device, unsigned program = 0)
    {
        load(device);
        run(program);
    }
    // Ends a run, from a callback or another thread, after its current step.
    void stop() { pop_engine_stop(c()); }

    // Tensors, by the handles of createHostWrite and createHostRead.  One pointer: as many bytes as the tensor has.
    void writeTensor(StringRef handle, const void *data) { write(handle, data, POP_WHOLE); }
    void writeTensor(StringRef handle, const void *begin, const void *end) { write(handle, begin, detail::distance(begin, end)); }
    template <typename T> void writeTensor(StringRef handle, ArrayRef<T> data) { write(handle, data.data(), data.size() * sizeof(T)); }
    template <typename T, typename A> void writeTensor(StringRef handle, const std::vector<T, A> &data)
    {
        write(handle, data.data(), data.size() * sizeof(T));
    }
    void readTensor(StringRef handle, void *data) { read(handle, data, POP_WHOLE); }
    void readTensor(StringRef handle, void *begin, void *end) { read(handle, begin, detail::distance(begin, end)); }
    template <typename T, typename A> void readTensor(StringRef handle, std::vector<T, A> &data)
    {
        read(handle, data.data(), data.size() * sizeof(T));
    }

    // Streams.  A pointer alone: the same elements each time; a range: a circle, in which each transfer moves on.
    void connectStream(StringRef handle, void *data)
    {
        pop_error error;
        state->finish(pop_engine_connect_stream(c(), detail::CString(handle), data, &error), error);
    }
    void connectStream(StringRef handle, void *begin, void *end)
    {
        pop_error error;
        state->finish(pop_engine_connect_stream_circular(c(), detail::CString(handle), begin, end, &error), error);
    }
    template <typename T> void connectStream(StringRef handle, ArrayRef<T> data)
    {
        connectStream(handle, const_cast<T *>(data.data()), const_cast<T *>(data.data() + data.size()));
    }
    template <typename T, typename A> void connectStream(StringRef handle, std::vector<T, A> &data)
    {
        connectStream(handle, data.data(), data.data() + data.size());
    }
    void connectStream(const DataStream &stream, void *data) { connectStream(stream.handle(), data); }
    void connectStream(const DataStream &stream, void *begin, void *end) { connectStream(stream.handle(), begin, end); }
    template <typename T> void connectStream(const DataStream &stream, ArrayRef<T> data) { connectStream(stream.handle(), data); }
    template <typename T, typename A> void connectStream(const DataStream &stream, std::vector<T, A> &data)
    {
        connectStream(stream.handle(), data);
    }
    void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback) { state->connect(handle, std::move(callback)); }
    void connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback)
    {
        detail::checkReplica(replica);
        state->connect(handle, std::move(callback));
    }
    void connectStreamToCallback(const DataStream &stream, StreamCallbackHandle callback) { state->connect(stream.handle(), std::move(callback)); }
    void connectStreamToCallback(const DataStream &stream, unsigned replica, StreamCallbackHandle callback)
    {
        connectStreamToCallback(stream.handle(), replica, std::move(callback));
    }
    // index: of the replica.
    void connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback)
    {
        detail::checkReplica(index);
        state->connect(handle, std::move(callback));
    }
    void connectHostFunction(HostFunction function, unsigned index, HostCallbackHandle callback)
    {
        connectHostFunction(pop_host_function_handle(function.c()), index, std::move(callback));
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
    void copyToRemoteBuffer(const void *data, StringRef handle, std::uint64_t repeatIndex = 0, unsigned replica = 0)
    {
        detail::checkReplica(replica);
        pop_error error;
        state->finish(pop_engine_copy_to_remote_buffer(c(), data, detail::CString(handle), repeatIndex, &error), error);
    }
    template <typename T> void copyToRemoteBuffer(ArrayRef<T> data, StringRef handle, std::uint64_t repeatIndex = 0, unsigned replica = 0)
    {
        copyToRemoteBuffer(static_cast<const void *>(data.data()), handle, repeatIndex, replica);
    }
    void copyFromRemoteBuffer(StringRef handle, void *data, std::uint64_t repeatIndex = 0, unsigned replica = 0)
    {
        detail::checkReplica(replica);
        pop_error error;
        state->finish(pop_engine_copy_from_remote_buffer(c(), detail::CString(handle), data, repeatIndex, &error), error);
    }

    // Where PrintTensor writes; standard error at first.
    void setPrintStream(std::ostream &out) { state->printTo(out); }
    void setPrintTensorStream(std::ostream &out) { state->printTo(out); }

    void printProfileSummary(std::ostream &out, const OptionFlags &options = {}) const
    {
        pop_error error;
        detail::OutputFile text;
        const pop_status status = pop_engine_print_profile_summary(c(), text, detail::Options(options), &error);
        detail::check(status, error);
        text.send(out);
    }
    template <typename Value = ProfileValue> Value getGraphProfile() const
    {
        pop_error error;
        detail::OwnedProfileValue profile;
        detail::check(pop_engine_graph_profile(c(), &profile.value, &error), error);
        return detail::profileValue<Value>(profile.value);
    }
    template <typename Value = ProfileValue> Value getExecutionProfile() const
    {
        pop_error error;
        detail::OwnedProfileValue profile;
        detail::check(pop_engine_execution_profile(c(), &profile.value, &error), error);
        return detail::profileValue<Value>(profile.value);
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
    void serializeExecutable(std::ostream &out) const { state->executable.serialize(out); }

    TimerTimePoint getTimeStamp() const { return TimerTimePoint{ detail::nanoseconds() }; }
    // The time since a stamp, or between two, as text.
    std::string reportTiming(const TimerTimePoint &start) const { return reportTiming(start, getTimeStamp()); }
    std::string reportTiming(const TimerTimePoint &start, const TimerTimePoint &stop) const
    {
        return std::to_string(static_cast<double>(stop.nanoseconds - start.nanoseconds) / 1e9) + " s";
    }

    pop_engine *c() const { return state->engine; } // the C interface's, which stays this object's

private:
    detail::EngineState *state; // at a place that does not move

    void write(StringRef handle, const void *data, std::size_t bytes)
    {
        pop_error error;
        detail::check(pop_engine_write_tensor(c(), detail::CString(handle), data, bytes, &error), error);
    }
    void read(StringRef handle, void *data, std::size_t bytes)
    {
        pop_error error;
        detail::check(pop_engine_read_tensor(c(), detail::CString(handle), data, bytes, &error), error);
    }
};

} // namespace poplar
#endif
