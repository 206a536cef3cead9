// SPDX-License-Identifier: Apache-2.0
// The device manager: which devices there are.
#ifndef POPLAR_DEVICE_MANAGER_HPP
#define POPLAR_DEVICE_MANAGER_HPP

#include <poplar/Device.hpp>

namespace poplar {

// Devices of type IPU are modelled ones, as many as the variable TREMULA_IPU says (docs/devices.md).
class DeviceManager {
public:
    static DeviceManager createDeviceManager() { return DeviceManager(); }
    DeviceManager()
    {
        pop_error error;
        pop_device_manager *made = pop_device_manager_create(pop_options(), &error);
        if (!made)
            detail::raise(error);
        shared = detail::Handle(new Manager(made));
    }

    // A handle of each device of a type and size; none of them is attached.
    template <typename List = std::vector<Device>> List getDevices(TargetType type, unsigned numIPUs, const OptionFlags &options = {}) const
    {
        const detail::Options list(options);
        const pop_target_type of = static_cast<pop_target_type>(type);
        pop_error error = pop_error();
        const std::size_t room = getNumDevices();
        const detail::Memory memory(room, sizeof(pop_device *));
        pop_device **const handles = static_cast<pop_device **>(memory.at);
        const std::size_t found = pop_device_manager_devices_options(c(), of, numIPUs, list, handles, room, &error);
        detail::check(error.status, error);
        const std::size_t count = found < room ? found : room;
        List devices;
        devices.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            devices.emplace_back(handles[i]);
        return devices;
    }
    // All that there are.
    template <typename List = std::vector<Device>> List getDevices(const OptionFlags &options = {}) const
    {
        List devices;
        for (std::size_t id = 0; id < getNumDevices(); ++id)
            devices.push_back(getDevice(static_cast<unsigned>(id), options));
        return devices;
    }
    template <int = 0> Device getDevice(unsigned id, const OptionFlags &options = {}) const
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
    std::size_t getNumDevices() const { return pop_device_manager_num_devices(c()); }
    // Devices of so many IPUs (0: one) that are part of another.
    template <typename List = std::vector<unsigned>> List getChildDeviceIds(unsigned id, unsigned numIPUs = 0) const
    {
        List ids(pop_device_manager_child_ids(c(), id, numIPUs, nullptr, 0));
        pop_device_manager_child_ids(c(), id, numIPUs, ids.data(), ids.size());
        return ids;
    }

private:
    struct Manager : detail::Counted {
        explicit Manager(pop_device_manager *own) : Counted(end), manager(own) {}
        static void end(Counted *self)
        {
            pop_device_manager_destroy(static_cast<Manager *>(self)->manager);
            delete static_cast<Manager *>(self);
        }
        pop_device_manager *manager;
    };
    // The same device as options make it; as it is when they ask for another.
    template <int = 0> Device withOptions(Device &device, const OptionFlags &options) const
    {
        for (Device &same : getDevices(device.getTarget().getTargetType(), device.getTarget().getNumIPUs(), options))
            if (same.getId() == device.getId())
                return std::move(same);
        return std::move(device);
    }
    pop_device_manager *c() const { return static_cast<Manager *>(shared.get())->manager; }

    detail::Handle shared; // a Manager
};

} // namespace poplar
#endif
