// SPDX-License-Identifier: Apache-2.0
// Devices.
#ifndef POPLAR_IMPL_DEVICE_HPP
#define POPLAR_IMPL_DEVICE_HPP

#include <poplar/Device.hpp>

namespace poplar
{

POPLAR_IMPL Device::Device() noexcept : device(nullptr)
{
}
POPLAR_IMPL Device::Device(pop_device *own) : device(own), target(own ? Target(*pop_device_target(own)) : Target())
{
}
POPLAR_IMPL Device::Device(Device &&from) noexcept : device(from.device), target(std::move(from.target))
{
    from.device = nullptr;
}
POPLAR_IMPL Device &Device::operator=(Device &&from) noexcept
{
    detail::exchange(device, from.device);
    detail::exchange(target, from.target);
    return *this;
}
POPLAR_IMPL Device::~Device()
{
    pop_device_destroy(device);
}
POPLAR_IMPL Device Device::createCPUDevice(unsigned numIPUs)
{
    return create(pop_target_create_cpu(false, numIPUs));
}
POPLAR_IMPL Device Device::createSimulatorDevice(const Target &target, const OptionFlags &)
{
    return create(target.c());
}
POPLAR_IMPL Device Device::createVirtualDevice(unsigned tilesPerIPU) const
{
    pop_error error;
    pop_device *made = pop_device_create_virtual(device, tilesPerIPU, &error);
    if (!made)
        detail::raise(error);
    return Device(made);
}
POPLAR_IMPL unsigned Device::getId() const
{
    return pop_device_id(device);
}
POPLAR_IMPL bool Device::attach() const
{
    return pop_device_attach(device);
}
POPLAR_IMPL bool Device::isAttached() const
{
    return pop_device_is_attached(device);
}
POPLAR_IMPL void Device::detach() const
{
    pop_device_detach(device);
}
POPLAR_IMPL void Device::reset() const
{
    pop_error error;
    detail::check(pop_device_reset(device, &error), error);
}
POPLAR_IMPL bool Device::supportsRemoteBuffers() const
{
    return pop_device_supports_remote_buffers(device);
}
POPLAR_IMPL bool Device::hasGateway() const
{
    return pop_device_has_gateway(device);
}
POPLAR_IMPL std::string Device::getAttribute(StringRef name) const
{
    const char *text = pop_device_attribute(device, detail::CString(name));
    if (!text)
        detail::raise(POP_POPLAR_ERROR, "the device has no attribute '%s'", name.cloneAsString().c_str());
    return text;
}
POPLAR_IMPL std::map<std::string, std::string> Device::getAttributes() const
{
    std::map<std::string, std::string> all;
    for (std::size_t i = 0; const char *name = pop_device_attribute_name(device, i); ++i)
        all[name] = pop_device_attribute(device, name);
    return all;
}
POPLAR_IMPL std::vector<unsigned> Device::getDriverIDs() const
{
    std::vector<unsigned> ids(pop_device_driver_ids(device, nullptr, 0));
    pop_device_driver_ids(device, ids.data(), ids.size());
    return ids;
}
POPLAR_IMPL void Device::getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const
{
    pop_device_driver_version(device, &major, &minor, &point);
}
POPLAR_IMPL std::vector<int> Device::getNumaTopology() const
{
    std::vector<int> nodes(pop_device_numa_topology(device, nullptr, 0));
    pop_device_numa_topology(device, nodes.data(), nodes.size());
    return nodes;
}
POPLAR_IMPL pop_device *Device::c() const
{
    return device;
}
POPLAR_IMPL Device Device::create(const pop_target &target)
{
    pop_error error;
    pop_device *made = pop_device_create(&target, &error);
    if (!made)
        detail::raise(error);
    return Device(made);
}

} // namespace poplar
#endif
