// SPDX-License-Identifier: Apache-2.0
// Streams and remote buffers.
#ifndef POPLAR_IMPL_DATA_STREAM_HPP
#define POPLAR_IMPL_DATA_STREAM_HPP

#include <poplar/DataStream.hpp>
#include <poplar/log.h>

namespace poplar
{
namespace detail
{

inline void logRearrangeOnHost(bool given)
{
    if (given)
        pop_log_once(POP_LOG_POPLIBS, POP_LOG_INFO,
                     "createHostWrite, createHostRead: rearrangeOnHost has no effect: the host rearranges in any case");
}

} // namespace detail

POPLAR_IMPL DataStream::DataStream() : stream()
{
}
POPLAR_IMPL DataStream::DataStream(pop_stream from) : stream(from)
{
}
POPLAR_IMPL std::string DataStream::handle() const
{
    return pop_stream_handle(stream);
}
POPLAR_IMPL std::size_t DataStream::numElements() const
{
    return pop_stream_num_elements(stream);
}
POPLAR_IMPL unsigned DataStream::replicationFactor() const
{
    return stream.store ? pop_stream_replication_factor(stream) : 1;
}
POPLAR_IMPL ReplicatedStreamMode DataStream::replicatedMode() const
{
    return pop_stream_replicated_mode(stream) == POP_STREAM_BROADCAST ? ReplicatedStreamMode::BROADCAST
                                                                      : ReplicatedStreamMode::REPLICATE;
}
POPLAR_IMPL DataStreamType DataStream::type() const
{
    return pop_stream_direction(stream) == POP_DEVICE_TO_HOST_FIFO ? DataStreamType::DeviceToHostFIFO
                                                                   : DataStreamType::HostToDeviceFIFO;
}
POPLAR_IMPL Type DataStream::elementType() const
{
    return Type(pop_stream_element_type(stream));
}
POPLAR_IMPL bool operator==(const DataStream &a, const DataStream &b)
{
    return a.stream.store == b.stream.store && a.stream.id == b.stream.id;
}
POPLAR_IMPL std::ostream &operator<<(std::ostream &out, const DataStream &value)
{
    return out << value.handle();
}
POPLAR_IMPL RemoteBuffer::RemoteBuffer() : buffer()
{
}
POPLAR_IMPL RemoteBuffer::RemoteBuffer(pop_remote_buffer from) : buffer(from)
{
}
POPLAR_IMPL std::string RemoteBuffer::handle() const
{
    return pop_remote_buffer_handle(buffer);
}
POPLAR_IMPL std::size_t RemoteBuffer::numElements() const
{
    return pop_remote_buffer_num_elements(buffer);
}
POPLAR_IMPL std::size_t RemoteBuffer::getRepeats() const
{
    return pop_remote_buffer_repeats(buffer);
}
POPLAR_IMPL Type RemoteBuffer::elementType() const
{
    return Type(pop_remote_buffer_element_type(buffer));
}
POPLAR_IMPL bool RemoteBuffer::isRearrangeOnHost() const
{
    return pop_remote_buffer_rearrange_on_host(buffer);
}
POPLAR_IMPL bool RemoteBuffer::isOptimisedForMemory() const
{
    return pop_remote_buffer_optimise_memory(buffer);
}
POPLAR_IMPL bool operator==(const RemoteBuffer &a, const RemoteBuffer &b)
{
    return a.buffer.store == b.buffer.store && a.buffer.id == b.buffer.id;
}

} // namespace poplar
#endif
