// SPDX-License-Identifier: Apache-2.0
// The direction of a stream, and whether it is a FIFO.
#ifndef POPLAR_DATA_STREAM_TYPE_HPP
#define POPLAR_DATA_STREAM_TYPE_HPP

namespace poplar
{

enum class DataStreamType { HostToDeviceFIFO, DeviceToHostFIFO, HostToDeviceBuffer, DeviceToHostBuffer };

inline bool isHostToDevice(DataStreamType type)
{
    return type == DataStreamType::HostToDeviceFIFO || type == DataStreamType::HostToDeviceBuffer;
}
inline bool isDeviceToHost(DataStreamType type)
{
    return !isHostToDevice(type);
}

} // namespace poplar
#endif
