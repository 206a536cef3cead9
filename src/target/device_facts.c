/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of devices and of the host. */
#include "base/error.h"
#include "target/target.h"

#include <stdio.h>

bool pop_device_supports_remote_buffers(const pop_device *device)
{
    return device != NULL; /* all of them are backed by host memory */
}

bool pop_device_has_gateway(const pop_device *device)
{
    return device && device->target.gateway_mode;
}

static const char *const attributes[] = { "board type", "driver version", "ipu architecture", "target" };
enum { ATTRIBUTES = sizeof(attributes) / sizeof(attributes[0]) };

const char *pop_device_attribute(const pop_device *device, const char *name)
{
    if (!device || !name)
        return NULL;
    bool cpu = device->target.type == POP_TARGET_CPU;
    if (strcmp(name, "board type") == 0)
        return cpu ? "host" : "modelled";
    if (strcmp(name, "driver version") == 0)
        return "none";
    if (strcmp(name, "ipu architecture") == 0)
        return cpu ? NULL : device->target.arch;
    if (strcmp(name, "target") == 0)
        return device->text;
    return NULL;
}

const char *pop_device_attribute_name(const pop_device *device, size_t index)
{
    for (size_t i = 0; i < ATTRIBUTES; ++i)
        if (pop_device_attribute(device, attributes[i]) && index-- == 0)
            return attributes[i];
    return NULL;
}

pop_status pop_device_reset(const pop_device *device, pop_error *error)
{
    const char *api = "pop_device_reset";
    if (!device)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "there is no device");
    if (!pop_device_is_attached(device))
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api,
                         "device %u is not attached: call pop_device_attach first", device->id);
    return POP_OK;
}

bool pop_device_driver_version(const pop_device *device, unsigned *major, unsigned *minor, unsigned *point)
{
    (void)device;
    *major = *minor = *point = 0;
    return false;
}

size_t pop_device_driver_ids(const pop_device *device, unsigned *ids, size_t capacity)
{
    if (!device)
        return 0;
    const struct fleet_entry *entry = device->fleet ? &device->fleet->entries.data[device->id] : NULL;
    size_t count = entry ? entry->slots : 1;
    /* A manager's first devices are its single IPUs, so that their slots are their ids. */
    for (size_t i = 0; i < count && i < capacity; ++i)
        ids[i] = count > 1 ? entry->first_slot + (unsigned)i : device->id;
    return count;
}

size_t device_read_nodes(const char *list, int *nodes, size_t capacity)
{
    enum { MAX_NODES = 1 << 16 };
    size_t count = 0;
    for (char *end; *list; list = end) {
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list)
            break;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (; first <= last && first < MAX_NODES; ++first, ++count)
            if (count < capacity)
                nodes[count] = (int)first;
        end += *end == ',';
    }
    return count;
}

size_t pop_device_numa_topology(const pop_device *device, int *nodes, size_t capacity)
{
    char list[1024] = "";
    if (!device)
        return 0;
    FILE *file = fopen("/sys/devices/system/node/online", "re");
    if (file) {
        list[fread(list, 1, sizeof(list) - 1, file)] = 0;
        fclose(file);
    }
    size_t count = device_read_nodes(list, nodes, capacity);
    return count ? count : device_read_nodes("0", nodes, capacity); /* a kernel without NUMA has one node */
}
