// SPDX-License-Identifier: Apache-2.0
// The device manager: which devices there are.
#ifndef POPLAR_DEVICE_MANAGER_HPP
#define POPLAR_DEVICE_MANAGER_HPP

#include <poplar/Device.hpp>
#include <poplar/detail/compiled.hpp>

namespace poplar
{

// Devices of type IPU are modelled ones, as many as the variable TREMULA_IPU says (docs/devices.md).
class POP_API DeviceManager
{
  public:
    static DeviceManager createDeviceManager()
    {
        return DeviceManager();
    }
    DeviceManager();

    // A handle of each device of a type and size; none of them is attached.
    std::vector<Device> getDevices(TargetType type, unsigned numIPUs, const OptionFlags &options = {}) const;
    // All that there are.
    std::vector<Device> getDevices(const OptionFlags &options = {}) const;
    Device getDevice(unsigned id, const OptionFlags &options = {}) const;
    std::size_t getNumDevices() const;
    // Devices of so many IPUs (0: one) that are part of another.
    std::vector<unsigned> getChildDeviceIds(unsigned id, unsigned numIPUs = 0) const;

  private:
    struct Manager;
    // The same device as options make it; as it is when they ask for another.
    Device withOptions(Device &device, const OptionFlags &options) const;
    pop_device_manager *c() const;

    detail::Handle shared; // a Manager
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/DeviceManager.hpp>
#endif
#endif
