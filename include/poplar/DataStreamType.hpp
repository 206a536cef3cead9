// SPDX-License-Identifier: Apache-2.0
// The direction of a stream, and whether it is a FIFO.
#ifndef POPLAR_DATA_STREAM_TYPE_HPP
#define POPLAR_DATA_STREAM_TYPE_HPP

namespace poplar
{

// Direction of a stream.
enum class DataStreamType { HostToDeviceFIFO, DeviceToHostFIFO, HostToDeviceBuffer, DeviceToHostBuffer };

// Whether the direction is to the device.
inline bool isHostToDevice(DataStreamType type)
{
    return type == DataStreamType::HostToDeviceFIFO || type == DataStreamType::HostToDeviceBuffer;
}
// Whether the direction is to the host.
inline bool isDeviceToHost(DataStreamType type)
{
    return !isHostToDevice(type);
}

} // namespace poplar
#endif
