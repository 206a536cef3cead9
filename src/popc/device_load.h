/* SPDX-License-Identifier: Apache-2.0 */
/* Objects for the machine of device_machine.h. */
#ifndef POPC_DEVICE_LOAD_H
#define POPC_DEVICE_LOAD_H

#include "popc/device_machine.h"

/* NULL when the object is none for the machine, or has something that is not known here. */
struct device_image *device_image_load(const void *object, size_t size);
void device_image_free(struct device_image *image);
/* Where the compute of a vertex begins: of NAME_compute, or of the source's vertex of an index; 0 when there is none.
 */
uint64_t device_image_compute(const struct device_image *image, const char *name, uint32_t index);

#endif
