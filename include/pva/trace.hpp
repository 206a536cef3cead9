// SPDX-License-Identifier: Apache-2.0
/// Trace points: processes, their threads, and nested events.
#ifndef PVA_TRACE_HPP
#define PVA_TRACE_HPP

#include <pva/object.hpp>

#include <pva/methods.def>

namespace pva
{

/// An interval of time on a thread.
class Event : public Object
{
  public:
    PVA_OBJECT(Event)
    PVA_METHOD_TEXT(label, EVENT_LABEL)
    PVA_METHOD_TEXT(channel, EVENT_CHANNEL)
    PVA_METHOD_REAL(timestamp, EVENT_TIMESTAMP)
    PVA_METHOD_REAL(duration, EVENT_DURATION)
    PVA_METHOD_LIST(Event, children, EVENT_CHILDREN)
    PVA_METHOD_TEXT(metadata, EVENT_METADATA)
};

// A thread of a process.
class Thread : public Object
{
  public:
    PVA_OBJECT(Thread)
    PVA_METHOD_UINT(tid, THREAD_TID)
    PVA_METHOD_TEXT(name, THREAD_NAME)
    PVA_METHOD_LIST(Event, events, THREAD_EVENTS)
};

// A process of a trace.
class Process : public Object
{
  public:
    PVA_OBJECT(Process)
    PVA_METHOD_UINT(pid, PROCESS_PID)
    PVA_METHOD_TEXT(name, PROCESS_NAME)
    PVA_METHOD_LIST(Thread, threads, PROCESS_THREADS)
    // The thread of a number.
    Thread thread(std::uint64_t tid) const
    {
        return ask<Thread>(PVA_THREAD_BY_TID, tid);
    }
};

// A trace.
class Trace : public Object
{
  public:
    PVA_OBJECT(Trace)
    PVA_METHOD_LIST(Process, processes, TRACE_PROCESSES)
    // The process of a number.
    Process process(std::uint64_t pid) const
    {
        return ask<Process>(PVA_PROCESS_BY_PID, pid);
    }
};

inline Trace openTrace(const std::string &pvtiPath)
{
    pop_error error = pop_error();
    pva_file *file = pva_open_trace(pvtiPath.c_str(), &error);
    const detail::FileRef kept = detail::opened(file, error);
    return Trace(kept, pva_root(file));
}

} // namespace pva

#include <pva/methods.def>

#endif
