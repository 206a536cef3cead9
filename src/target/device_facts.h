/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about devices and the host. */
#ifndef TARGET_DEVICE_FACTS_H
#define TARGET_DEVICE_FACTS_H

#include "target/device.h"

/* Numbers of a list as the kernel writes it, "0-2,5"; at most capacity are written, all are counted. */
size_t device_read_nodes(const char *list, int *nodes, size_t capacity);

#endif
