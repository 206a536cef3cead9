// SPDX-License-Identifier: Apache-2.0
// The device manager.
#ifndef POPLAR_IMPL_DEVICE_MANAGER_HPP
#define POPLAR_IMPL_DEVICE_MANAGER_HPP

#include <poplar/DeviceManager.hpp>

namespace poplar
{

struct DeviceManager::Manager : detail::Counted {
    explicit Manager(pop_device_manager *own) : Counted(end), manager(own)
    {
    }
    static void end(Counted *self)
    {
        pop_device_manager_destroy(static_cast<Manager *>(self)->manager);
        delete static_cast<Manager *>(self);
    }
    pop_device_manager *manager;
};

POPLAR_IMPL DeviceManager::DeviceManager()
{
    pop_error error;
    pop_device_manager *made = pop_device_manager_create(pop_options(), &error);
    if (!made)
        detail::raise(error);
    shared = detail::Handle(new Manager(made));
}
POPLAR_IMPL std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned numIPUs,
                                                          const OptionFlags &options) const
{
    const detail::Options list(options);
    const pop_target_type of = static_cast<pop_target_type>(type);
    pop_error error = pop_error();
    const std::size_t capacity = getNumDevices();
    const detail::Memory memory(capacity, sizeof(pop_device *));
    pop_device **const handles = static_cast<pop_device **>(memory.at);
    const std::size_t found = pop_device_manager_devices_options(c(), of, numIPUs, list, handles, capacity, &error);
    detail::check(error.status, error);
    const std::size_t count = found < capacity ? found : capacity;
    std::vector<Device> devices;
    devices.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        devices.emplace_back(handles[i]);
    return devices;
}
POPLAR_IMPL std::vector<Device> DeviceManager::getDevices(const OptionFlags &options) const
{
    std::vector<Device> devices;
    for (std::size_t id = 0; id < getNumDevices(); ++id)
        devices.push_back(getDevice(static_cast<unsigned>(id), options));
    return devices;
}
POPLAR_IMPL Device DeviceManager::getDevice(unsigned id, const OptionFlags &options) const
{
    pop_error error;
    pop_device *handle = pop_device_manager_device(c(), id, &error);
    if (!handle)
        detail::raise(error);
    Device device(handle);
    if (!options.empty())
        return withOptions(device, options);
    return device;
}
POPLAR_IMPL std::size_t DeviceManager::getNumDevices() const
{
    return pop_device_manager_num_devices(c());
}
POPLAR_IMPL std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned id, unsigned numIPUs) const
{
    std::vector<unsigned> ids(pop_device_manager_child_ids(c(), id, numIPUs, nullptr, 0));
    pop_device_manager_child_ids(c(), id, numIPUs, ids.data(), ids.size());
    return ids;
}
POPLAR_IMPL Device DeviceManager::withOptions(Device &device, const OptionFlags &options) const
{
    for (Device &same : getDevices(device.getTarget().getTargetType(), device.getTarget().getNumIPUs(), options))
        if (same.getId() == device.getId())
            return std::move(same);
    return std::move(device);
}
POPLAR_IMPL pop_device_manager *DeviceManager::c() const
{
    return static_cast<Manager *>(shared.get())->manager;
}

} // namespace poplar
#endif
