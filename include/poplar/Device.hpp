// SPDX-License-Identifier: Apache-2.0
// Devices, onto which engines are loaded.
#ifndef POPLAR_DEVICE_HPP
#define POPLAR_DEVICE_HPP

#include <poplar/Target.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/device.h>

#include <map>

namespace poplar
{

// A handle of a device, movable and not copyable.  Calls that change the device but not the handle are const.
class POP_API Device
{
  public:
    Device() noexcept;
    explicit Device(pop_device *own);
    Device(Device &&from) noexcept;
    Device &operator=(Device &&from) noexcept;
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    ~Device();

    // The CPU device.
    static Device createCPUDevice(unsigned numIPUs = 1);
    // The IPU Model takes the place of the simulator.
    static Device createSimulatorDevice(const Target &target, const OptionFlags & = {});
    // A device with the given number of tiles of each IPU.
    Device createVirtualDevice(unsigned tilesPerIPU) const;

    unsigned getId() const;
    const Target &getTarget() const
    {
        return target;
    }
    // Returns false if another handle is attached to the device.
    bool attach() const;
    bool isAttached() const;
    void detach() const;
    void reset() const;

    bool supportsRemoteBuffers() const;
    bool hasGateway() const;
    // An attribute as text; throws poplar_error for an unknown name.
    std::string getAttribute(StringRef name) const;
    // Texts of all attributes, by name.
    std::map<std::string, std::string> getAttributes() const;
    // The driver's ids of the device's IPUs.
    std::vector<unsigned> getDriverIDs() const;
    // Zeros, as there is no driver.
    void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const;
    // The host's NUMA nodes: a modelled IPU may be on any of them.
    std::vector<int> getNumaTopology() const;
    std::vector<int> getNumaNodesUsedForIPUs() const
    {
        return getNumaTopology();
    }

    pop_device *c() const; // borrowed from this handle; NULL for none

  private:
    static Device create(const pop_target &target);

    pop_device *device;
    Target target;
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/Device.hpp>
#endif
#endif
