/* SPDX-License-Identifier: Apache-2.0 */
/* Loads objects for the machine of device_machine.h. */
#ifndef POPC_DEVICE_DEVICE_LOAD_H
#define POPC_DEVICE_DEVICE_LOAD_H

#include "popc/device/device_machine.h"
#include "popc/module/codelet.h"

/* Loads an object and, after it, those whose functions it uses. NULL when one is for another machine or has something
 * that the loader does not support. */
struct device_image *device_image_load(const struct module_code *parts, size_t count);
void device_image_free(struct device_image *image);
/* Address of a vertex's compute: NAME_compute, or that of the vertex with this index in the source; 0 when it is
 * missing. */
uint64_t device_image_compute(const struct device_image *image, const char *name, uint32_t index);

#endif
