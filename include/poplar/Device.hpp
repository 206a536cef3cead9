// SPDX-License-Identifier: Apache-2.0
// Devices: what an engine is loaded onto.
#ifndef POPLAR_DEVICE_HPP
#define POPLAR_DEVICE_HPP

#include <poplar/Target.hpp>
#include <poplar/device.h>

#include <map>

namespace poplar {

// One handle of a device: it moves, and is not copied.  What only talks to the device is const.
class Device {
public:
    Device() noexcept : device(nullptr) {}
    explicit Device(pop_device *own) : device(own), target(own ? Target(*pop_device_target(own)) : Target()) {}
    Device(Device &&from) noexcept : device(from.device), target(std::move(from.target)) { from.device = nullptr; }
    Device &operator=(Device &&from) noexcept
    {
        detail::exchange(device, from.device);
        detail::exchange(target, from.target);
        return *this;
    }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    ~Device() { pop_device_destroy(device); }

    // The host as a device.
    static Device createCPUDevice(unsigned numIPUs = 1) { return create(pop_target_create_cpu(false, numIPUs)); }
    // There is no simulator: the target is modelled.
    static Device createSimulatorDevice(const Target &target, const OptionFlags & = {}) { return create(target.c()); }
    // A device that sees so many tiles of each IPU.
    Device createVirtualDevice(unsigned tilesPerIPU) const
    {
        pop_error error;
        pop_device *made = pop_device_create_virtual(device, tilesPerIPU, &error);
        if (!made)
            detail::raise(error);
        return Device(made);
    }

    unsigned getId() const { return pop_device_id(device); }
    const Target &getTarget() const { return target; }
    // Whether the device is now this handle's: another may have it.
    bool attach() const { return pop_device_attach(device); }
    bool isAttached() const { return pop_device_is_attached(device); }
    void detach() const { pop_device_detach(device); }
    void reset() const
    {
        pop_error error;
        detail::check(pop_device_reset(device, &error), error);
    }

    bool supportsRemoteBuffers() const { return pop_device_supports_remote_buffers(device); }
    bool hasGateway() const { return pop_device_has_gateway(device); }
    // An attribute as text; poplar_error when the device has none of that name.
    std::string getAttribute(StringRef name) const
    {
        const char *text = pop_device_attribute(device, detail::CString(name));
        if (!text)
            detail::raise(POP_POPLAR_ERROR, "the device has no attribute '%s'", name.cloneAsString().c_str());
        return text;
    }
    template <typename Map = std::map<std::string, std::string>> Map getAttributes() const // a template so that who does not call it does not compile it
    {
        Map all;
        for (std::size_t i = 0; const char *name = pop_device_attribute_name(device, i); ++i)
            all[name] = pop_device_attribute(device, name);
        return all;
    }
    // The single IPUs that the device is made of.
    template <typename List = std::vector<unsigned>> List getDriverIDs() const
    {
        List ids(pop_device_driver_ids(device, nullptr, 0));
        pop_device_driver_ids(device, ids.data(), ids.size());
        return ids;
    }
    // Zeros: there is no driver.
    void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const { pop_device_driver_version(device, &major, &minor, &point); }
    // The host's NUMA nodes, any of which may hold a modelled IPU.
    template <typename List = std::vector<int>> List getNumaTopology() const
    {
        List nodes(pop_device_numa_topology(device, nullptr, 0));
        pop_device_numa_topology(device, nodes.data(), nodes.size());
        return nodes;
    }
    template <typename List = std::vector<int>> List getNumaNodesUsedForIPUs() const { return getNumaTopology<List>(); }

    pop_device *c() const { return device; } // the C interface's, which stays this handle's; NULL for none

private:
    static Device create(const pop_target &target)
    {
        pop_error error;
        pop_device *made = pop_device_create(&target, &error);
        if (!made)
            detail::raise(error);
        return Device(made);
    }

    pop_device *device;
    Target target;
};

} // namespace poplar
#endif
