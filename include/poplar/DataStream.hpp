// SPDX-License-Identifier: Apache-2.0
// Streams of data between host and device.
#ifndef POPLAR_DATA_STREAM_HPP
#define POPLAR_DATA_STREAM_HPP

#include <poplar/DataStreamType.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Type.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/graph.h>

#include <ostream>
#include <string>

namespace poplar
{

// A stream between host and device. A value: the graph owns the stream.
class POP_API DataStream
{
  public:
    DataStream();
    explicit DataStream(pop_stream from);

    std::string handle() const;
    std::size_t numElements() const;
    unsigned replicationFactor() const; // of its graph
    ReplicatedStreamMode replicatedMode() const;
    // Direction of the stream.
    DataStreamType type() const;
    Type elementType() const;
    friend POP_API bool operator==(const DataStream &a, const DataStream &b);
    friend bool operator!=(const DataStream &a, const DataStream &b)
    {
        return !(a == b);
    }
    friend POP_API std::ostream &operator<<(std::ostream &out, const DataStream &value);

    pop_stream c() const
    {
        return stream;
    } // the C interface's

  private:
    pop_stream stream;
};

// Rows of elements in host memory; programs copy to and from them.
class POP_API RemoteBuffer
{
  public:
    RemoteBuffer();
    explicit RemoteBuffer(pop_remote_buffer from);

    std::string handle() const;
    std::size_t numElements() const;
    std::size_t getRepeats() const;
    Type elementType() const;
    bool isRearrangeOnHost() const;
    // As the call that made the buffer was given it.
    bool isOptimisedForMemory() const;
    // Not split into streams: this implementation copies a buffer as a whole.
    DataStream getIpuToHostStream() const
    {
        return DataStream();
    }
    DataStream getHostToIpuStream() const
    {
        return DataStream();
    }
    friend POP_API bool operator==(const RemoteBuffer &a, const RemoteBuffer &b);
    friend bool operator!=(const RemoteBuffer &a, const RemoteBuffer &b)
    {
        return !(a == b);
    }

    pop_remote_buffer c() const
    {
        return buffer;
    } // the C interface's

  private:
    pop_remote_buffer buffer;
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/DataStream.hpp>
#endif
#endif
