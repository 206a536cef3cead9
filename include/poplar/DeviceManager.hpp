// SPDX-License-Identifier: Apache-2.0
// The device manager, which lists the available devices.
#ifndef POPLAR_DEVICE_MANAGER_HPP
#define POPLAR_DEVICE_MANAGER_HPP

#include <poplar/Device.hpp>
#include <poplar/detail/compiled.hpp>

namespace poplar
{

// Devices of type IPU are modelled; the variable TREMULA_IPU sets their number (docs/concepts/devices.md).
class POP_API DeviceManager
{
  public:
    // A device manager with the options of the environment.
    static DeviceManager createDeviceManager()
    {
        return DeviceManager();
    }
    DeviceManager();

    // Unattached handles of all devices of a type and size.
    std::vector<Device> getDevices(TargetType type, unsigned numIPUs, const OptionFlags &options = {}) const;
    // Unattached handles of all devices.
    std::vector<Device> getDevices(const OptionFlags &options = {}) const;
    Device getDevice(unsigned id, const OptionFlags &options = {}) const;
    std::size_t getNumDevices() const;
    // Devices of the given number of IPUs (0: one) that are part of a larger one.
    std::vector<unsigned> getChildDeviceIds(unsigned id, unsigned numIPUs = 0) const;

  private:
    struct Manager;
    // The device with options applied; unchanged if the options are for another device.
    Device withOptions(Device &device, const OptionFlags &options) const;
    pop_device_manager *c() const;

    detail::Handle shared; // a Manager
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/DeviceManager.hpp>
#endif
#endif
