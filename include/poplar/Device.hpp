// SPDX-License-Identifier: Apache-2.0
// Devices: what an engine is loaded onto.
#ifndef POPLAR_DEVICE_HPP
#define POPLAR_DEVICE_HPP

#include <poplar/Target.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/device.h>

#include <map>

namespace poplar
{

// One handle of a device: it moves, and is not copied.  What only talks to the device is const.
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

    // The host as a device.
    static Device createCPUDevice(unsigned numIPUs = 1);
    // There is no simulator: the target is modelled.
    static Device createSimulatorDevice(const Target &target, const OptionFlags & = {});
    // A device that sees so many tiles of each IPU.
    Device createVirtualDevice(unsigned tilesPerIPU) const;

    unsigned getId() const;
    const Target &getTarget() const
    {
        return target;
    }
    // Whether the device is now this handle's: another may have it.
    bool attach() const;
    bool isAttached() const;
    void detach() const;
    void reset() const;

    bool supportsRemoteBuffers() const;
    bool hasGateway() const;
    // An attribute as text; poplar_error when the device has none of that name.
    std::string getAttribute(StringRef name) const;
    std::map<std::string, std::string> getAttributes() const;
    // The single IPUs that the device is made of.
    std::vector<unsigned> getDriverIDs() const;
    // Zeros: there is no driver.
    void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const;
    // The host's NUMA nodes, any of which may hold a modelled IPU.
    std::vector<int> getNumaTopology() const;
    std::vector<int> getNumaNodesUsedForIPUs() const
    {
        return getNumaTopology();
    }

    pop_device *c() const; // the C interface's, which stays this handle's; NULL for none

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
