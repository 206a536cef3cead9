// SPDX-License-Identifier: Apache-2.0
/// Trace points in C++; the rules of <pvti/pvti.h> apply.
#ifndef PVTI_PVTI_HPP
#define PVTI_PVTI_HPP

#include <pvti/pvti.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pvti
{

/// A group of trace points that are switched on and off together; channels of one name are the same.
class TraceChannel
{
  public:
    // The channel of this name.
    TraceChannel(const std::string &name) : channel(pvti_channel_create(name.c_str()))
    {
    }
    // The channel of this name.
    TraceChannel(const char *name) : channel(pvti_channel_create(name))
    {
    }
    // The channel of this name, switched on or off.
    TraceChannel(const std::string &name, bool enabled) : channel(pvti_channel_create(name.c_str()))
    {
        pvti_channel_enable(channel, enabled);
    }
    // Switches the channel on.
    void enable()
    {
        pvti_channel_enable(channel, true);
    }
    // Switches the channel off.
    void disable()
    {
        pvti_channel_enable(channel, false);
    }
    bool isEnabled() const
    {
        return pvti_channel_enabled(channel);
    }
    // The channel's name.
    std::string name() const
    {
        return pvti_channel_name(channel);
    }
    // The C interface's channel.
    pvti_channel *handle() const
    {
        return channel;
    }

  private:
    pvti_channel *channel;
};

/// Channels of the libraries themselves.
inline TraceChannel &traceDrivers()
{
    static TraceChannel channel("Drivers");
    return channel;
}
inline TraceChannel &tracePoplar()
{
    static TraceChannel channel("Poplar");
    return channel;
}
inline TraceChannel &traceFramework()
{
    static TraceChannel channel("Framework");
    return channel;
}

// Switches a channel on.
inline void enableTraceChannel(const std::string &name)
{
    TraceChannel(name).enable();
}
// Switches a channel off.
inline void disableTraceChannel(const std::string &name)
{
    TraceChannel(name).disable();
}
// Switches channels on.
inline void enableTraceChannels(const std::vector<std::string> &names)
{
    for (const std::string &name : names)
        enableTraceChannel(name);
}
// Switches channels off.
inline void disableTraceChannels(const std::vector<std::string> &names)
{
    for (const std::string &name : names)
        disableTraceChannel(name);
}
// Whether a channel is on.
inline bool checkTraceChannel(const std::string &name)
{
    return TraceChannel(name).isEnabled();
}
// Names of all channels.
inline std::vector<std::string> listTraceChannels()
{
    std::vector<std::string> names;
    for (size_t i = 0; pvti_channel *channel = pvti_channel_at(i); ++i)
        names.push_back(pvti_channel_name(channel));
    return names;
}
// Name of the trace file.
inline std::string getCurrentTraceFilename()
{
    return pvti_trace_filename();
}
// Completes and closes the trace file.
inline void closeTrace()
{
    pvti_close();
}

/// JSON metadata of events.
class Metadata
{
  public:
    Metadata()
    {
    }
    // A text of JSON.
    explicit Metadata(const std::string &text) : json(text)
    {
    }
    // The text.
    const std::string &text() const
    {
        return json;
    }

  private:
    std::string json;
};
// A text of JSON as metadata.
inline Metadata createJsonMetadata(const std::string &json)
{
    return Metadata(json);
}

/// An event from construction to destruction, or with explicit begin and end.
class Tracepoint
{
  public:
    // Begins an event on a channel.
    Tracepoint(TraceChannel *traceChannel, const std::string &label, const Metadata &metadata = Metadata())
        : channel(traceChannel->handle()), name(label)
    {
        pvti_begin(channel, name.c_str(), metadata.text().c_str());
    }
    // With a label of `length` characters, which need not be terminated.
    Tracepoint(TraceChannel *traceChannel, const char *label, std::size_t length)
        : Tracepoint(traceChannel, std::string(label, length))
    {
    }
    ~Tracepoint()
    {
        pvti_end(channel, name.c_str());
    }
    Tracepoint(const Tracepoint &) = delete;
    Tracepoint &operator=(const Tracepoint &) = delete;

    static void begin(TraceChannel *channel, const std::string &label, const Metadata &metadata = Metadata())
    {
        pvti_begin(channel->handle(), label.c_str(), metadata.text().c_str());
    }
    static void end(TraceChannel *channel, const std::string &label)
    {
        pvti_end(channel->handle(), label.c_str());
    }
    static void event(TraceChannel *channel, const std::string &label, const Metadata &metadata = Metadata())
    {
        pvti_event(channel->handle(), label.c_str(), metadata.text().c_str());
    }

  private:
    pvti_channel *channel;
    std::string name;
};

/// One line of a graph.
class Series
{
  public:
    // A series of a chart by its number.
    Series(pvti_graph *graph_, unsigned number_) : graph(graph_), number(number_)
    {
    }
    // Adds a value at the current time.
    void add(double value)
    {
        pvti_graph_add(graph, number, value);
    }

  private:
    pvti_graph *graph;
    unsigned number;
};

// A chart of series of numbers over time.
class Graph
{
  public:
    Graph(const std::string &name, const std::string &unit = "") : graph(pvti_graph_create(name.c_str(), unit.c_str()))
    {
    }
    Series addSeries(const std::string &name)
    {
        return Series(graph, pvti_graph_add_series(graph, name.c_str()));
    }

  private:
    pvti_graph *graph;
};

/// Histograms over time, as a heat map.
template <typename T> class Heatmap
{
  public:
    Heatmap(const std::string &name, const std::vector<T> &edges, const std::string &unit = "")
    {
        const std::vector<double> copy(edges.begin(), edges.end());
        heatmap = pvti_heatmap_create(name.c_str(), copy.data(), copy.size(), unit.c_str());
    }
    void add(const std::vector<T> &values)
    {
        const std::vector<double> copy(values.begin(), values.end());
        pvti_heatmap_add(heatmap, copy.data(), copy.size());
    }

  private:
    pvti_heatmap *heatmap;
};
// With real numbers.
using HeatmapDouble = Heatmap<double>;
// With integers.
using HeatmapInt = Heatmap<std::int64_t>;

/// Names the calling thread.
class ThreadName
{
  public:
    explicit ThreadName(const std::string &name)
    {
        pvti_thread_name(name.c_str());
    }
};

} // namespace pvti

#endif
