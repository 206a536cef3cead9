// SPDX-License-Identifier: Apache-2.0
// Streams of data between host and device.
#ifndef POPLAR_DATA_STREAM_HPP
#define POPLAR_DATA_STREAM_HPP

#include <poplar/DataStreamType.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/Type.hpp>
#include <poplar/graph.h>

#include <ostream>
#include <string>

namespace poplar {

class DataStream {
public:
    DataStream() : stream() {}
    explicit DataStream(pop_stream from) : stream(from) {}

    std::string handle() const { return pop_stream_handle(stream); }
    std::size_t numElements() const { return pop_stream_num_elements(stream); }
    unsigned replicationFactor() const { return 1; }
    ReplicatedStreamMode replicatedMode() const
    {
        return pop_stream_replicated_mode(stream) == POP_STREAM_BROADCAST ? ReplicatedStreamMode::BROADCAST : ReplicatedStreamMode::REPLICATE;
    }
    DataStreamType type() const
    {
        return pop_stream_direction(stream) == POP_DEVICE_TO_HOST_FIFO ? DataStreamType::DeviceToHostFIFO : DataStreamType::HostToDeviceFIFO;
    }
    Type elementType() const { return Type(pop_stream_element_type(stream)); }
    friend bool operator==(const DataStream &a, const DataStream &b)
    {
        return a.stream.store == b.stream.store && a.stream.id == b.stream.id;
    }
    friend bool operator!=(const DataStream &a, const DataStream &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const DataStream &value) { return out << value.handle(); }

    pop_stream c() const { return stream; } // the C interface's

private:
    pop_stream stream;
};

// Rows of elements in the host's memory that programs copy to and from.
class RemoteBuffer {
public:
    RemoteBuffer() : buffer() {}
    explicit RemoteBuffer(pop_remote_buffer from) : buffer(from) {}

    std::string handle() const { return pop_remote_buffer_handle(buffer); }
    std::size_t numElements() const { return pop_remote_buffer_num_elements(buffer); }
    std::size_t getRepeats() const { return pop_remote_buffer_repeats(buffer); }
    Type elementType() const { return Type(pop_remote_buffer_element_type(buffer)); }
    bool isRearrangeOnHost() const { return pop_remote_buffer_rearrange_on_host(buffer); }
    bool isOptimisedForMemory() const { return pop_remote_buffer_optimise_memory(buffer); }
    // A buffer is copied as a whole here: it has no streams of its own.
    DataStream getIpuToHostStream() const { return DataStream(); }
    DataStream getHostToIpuStream() const { return DataStream(); }
    friend bool operator==(const RemoteBuffer &a, const RemoteBuffer &b)
    {
        return a.buffer.store == b.buffer.store && a.buffer.id == b.buffer.id;
    }
    friend bool operator!=(const RemoteBuffer &a, const RemoteBuffer &b) { return !(a == b); }

    pop_remote_buffer c() const { return buffer; } // the C interface's

private:
    pop_remote_buffer buffer;
};

} // namespace poplar
#endif
