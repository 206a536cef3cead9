// SPDX-License-Identifier: Apache-2.0
// Which way a stream goes, and whether its data waits in order.
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
