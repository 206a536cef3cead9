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
#include <poplar/Quarter.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/exceptions.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pva
{
class Report;
}

namespace poplar
{

namespace detail
{
class EngineState;
}

// A time of the host, from getTimeStamp.
struct TimerTimePoint {
    std::uint64_t nanoseconds; // of a monotonic clock
};

// Graph and programs may be destroyed after its construction.  Only one thread at a time may use an engine; callbacks
// run on the thread that called run, which rethrows their exceptions.
class POP_API Engine
{
    typedef detail::Where Where; // a default argument: the line of the call

  public:
    typedef poplar::TimerTimePoint TimerTimePoint; // The type under its older name.

    Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
           Where where = Where::here());
    Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
           Where where = Where::here());
    Engine(const Graph &graph, const program::Program &program, const OptionFlags &options = {},
           Where where = Where::here());
    Engine(Graph &&graph, const program::Program &program, const OptionFlags &options = {},
           Where where = Where::here());
    // With a callback for the progress of compiling.
    Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options, ProgressFunc progress,
           const DebugContext &debugContext = {});
    Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options, ProgressFunc progress,
           const DebugContext &debugContext = {});
    Engine(const Graph &graph, const program::Program &program, const OptionFlags &options, ProgressFunc progress,
           const DebugContext &debugContext = {});
    Engine(Graph &&graph, const program::Program &program, const OptionFlags &options, ProgressFunc progress,
           const DebugContext &debugContext = {});
    Engine(const Executable &executable, const OptionFlags &options = {});
    Engine(Executable &&executable, const OptionFlags &options = {});
    Engine(std::shared_ptr<Executable> executable, const OptionFlags &options = {});
    Engine(Engine &&other) noexcept;
    Engine &operator=(Engine &&other) noexcept;
    ~Engine();

    // Loads the executable onto an attached device; variables get their initial values.
    void load(const Device &device, Where where = Where::here());
    // The two steps of load.  prepare does all of the work here; deploy only checks.
    void prepare(const Device &device, Where where = Where::here());
    void prepare(const Device &device, const RuntimeOptions &, Where where = Where::here());
    // Checks that the engine was prepared.
    void deploy(Where where = Where::here());
    void run(unsigned program = 0, const std::string &debugName = "", Where where = Where::here());
    void run(unsigned program, const std::string &debugName, const RuntimeOptions &, Where where = Where::here());
    void run(unsigned program, const RuntimeOptions &, Where where = Where::here());
    void loadAndRun(const Device &device, unsigned program = 0, Where where = Where::here());
    // Ends a run, from a callback or another thread, after its current step.
    void stop();

    // Tensors by the handles of createHostWrite and createHostRead.  With one pointer all bytes of the tensor are
    // transferred.
    void writeTensor(StringRef handle, const void *data, Where where = Where::here());
    void writeTensor(StringRef handle, const void *begin, const void *end, Where where = Where::here());
    template <typename T> void writeTensor(StringRef handle, ArrayRef<T> data, Where where = Where::here())
    {
        write(handle, data.data(), data.size() * sizeof(T), where);
    }
    template <typename T, typename A>
    void writeTensor(StringRef handle, const std::vector<T, A> &data, Where where = Where::here())
    {
        write(handle, data.data(), data.size() * sizeof(T), where);
    }
    // The codes of a QUARTER tensor, and its metadata.
    void writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin, const void *end,
                     Where where = Where::here());
    void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end, Where where = Where::here());
    void readTensor(StringRef handle, void *data, Where where = Where::here());
    void readTensor(StringRef handle, void *begin, void *end, Where where = Where::here());
    template <typename T, typename A>
    void readTensor(StringRef handle, std::vector<T, A> &data, Where where = Where::here())
    {
        read(handle, data.data(), data.size() * sizeof(T), where);
    }

    // Streams.  With one pointer each transfer uses the same elements; a range is a circular buffer.
    void connectStream(StringRef handle, void *data, Where where = Where::here());
    void connectStream(StringRef handle, void *begin, void *end, Where where = Where::here());
    template <typename T> void connectStream(StringRef handle, ArrayRef<T> data, Where where = Where::here())
    {
        connectStream(handle, const_cast<T *>(data.data()), const_cast<T *>(data.data() + data.size()), where);
    }
    template <typename T, typename A>
    void connectStream(StringRef handle, std::vector<T, A> &data, Where where = Where::here())
    {
        connectStream(handle, data.data(), data.data() + data.size(), where);
    }
    void connectStream(const DataStream &stream, void *data, Where where = Where::here());
    void connectStream(const DataStream &stream, void *begin, void *end, Where where = Where::here());
    template <typename T> void connectStream(const DataStream &stream, ArrayRef<T> data, Where where = Where::here())
    {
        connectStream(stream.handle(), data, where);
    }
    template <typename T, typename A>
    void connectStream(const DataStream &stream, std::vector<T, A> &data, Where where = Where::here())
    {
        connectStream(stream.handle(), data, where);
    }
    // Each transfer of a stream calls the callback: of all replicas, or of one.
    void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback, Where where = Where::here());
    void connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback,
                                 Where where = Where::here());
    void connectStreamToCallback(const DataStream &stream, StreamCallbackHandle callback, Where where = Where::here());
    void connectStreamToCallback(const DataStream &stream, unsigned replica, StreamCallbackHandle callback,
                                 Where where = Where::here());
    // index: of the replica.
    void connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback,
                             Where where = Where::here());
    void connectHostFunction(HostFunction function, unsigned index, HostCallbackHandle callback,
                             Where where = Where::here());
    std::vector<std::string> listStreams() const;

    // A row of a remote buffer.
    void copyToRemoteBuffer(const void *data, StringRef handle, std::uint64_t repeatIndex = 0, unsigned replica = 0,
                            Where where = Where::here());
    template <typename T>
    void copyToRemoteBuffer(ArrayRef<T> data, StringRef handle, std::uint64_t repeatIndex = 0, unsigned replica = 0,
                            Where where = Where::here())
    {
        checkRow(handle, data.size() * sizeof(T), where);
        copyToRemoteBuffer(static_cast<const void *>(data.data()), handle, repeatIndex, replica, where);
    }
    void copyFromRemoteBuffer(StringRef handle, void *data, std::uint64_t repeatIndex = 0, unsigned replica = 0,
                              Where where = Where::here());

    // The output of PrintTensor; by default standard error.
    void setPrintStream(std::ostream &out);
    void setPrintTensorStream(std::ostream &out);

    void printProfileSummary(std::ostream &out, const OptionFlags &options = {}) const;
    const ProfileValue &getGraphProfile() const; // as long as the engine
    ProfileValue getExecutionProfile() const;
    // Both profiles, as members graphProfile and executionProfile.
    ProfileValue getProfile() const;
    // The profile as a libpva report; needs <pva/pva.hpp> and libpva.  It stays valid after the engine is destroyed.
    template <typename Report = pva::Report> Report getReport(bool reportExecution = true) const
    {
        return Report::openTemporary(writeTemporaryReport(reportExecution));
    }
    void enableExecutionProfiling();
    void disableExecutionProfiling();
    void resetExecutionProfile();

    // Adds a parameter of the last run to its report; a second value of a name replaces the first.
    void reportRunParameter(const std::string &name, const std::string &value);
    // The numbers of tiles that compute, exchange and wait, as lines of CSV: begin and end in cycles, then the three
    // numbers.
    void reportIntervals(std::ostream &out) const;
    // Writes profile.pop to a directory of its own, and returns its path.
    std::string writeTemporaryReport(bool reportExecution) const;

    OptionFlags getEngineOptions() const;
    // Writes the executable, for Executable::deserialize.
    void serializeExecutable(std::ostream &out) const;

    // The current time, for reportTiming.
    TimerTimePoint getTimeStamp() const;
    // The time since a time stamp, or between two, as text.
    std::string reportTiming(const TimerTimePoint &start) const;
    std::string reportTiming(const TimerTimePoint &start, const TimerTimePoint &stop) const;

    pop_engine *c() const; // borrowed from this object

  private:
    void setRuntimeOptions(const RuntimeOptions &options, Where where);
    detail::EngineState *state; // its address is constant

    detail::EngineState &at(const pop_where &where = pop_where()) const;
    void write(StringRef handle, const void *data, std::size_t bytes, const pop_where &where);
    // Checks that the data has the size of a row of the remote buffer.
    void checkRow(StringRef handle, std::size_t size, const pop_where &where) const;
    void read(StringRef handle, void *data, std::size_t bytes, const pop_where &where);
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/Engine.hpp>
#endif
#endif
