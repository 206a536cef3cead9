/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of code from ELF objects. */
#ifndef POPC_DEVICE_OBJECT_H
#define POPC_DEVICE_OBJECT_H

#include "popc/device_code.h"

/* Sizes of one codelet after another in an object that was compiled with a section for each function.
 * A function that is missing from it is a reason, which lives in the arena, to call the size estimated.  False when
 * object is no such object. */
bool device_measure(const void *object, size_t size, const struct codelet *codelets, uint32_t count,
                    struct arena *arena, struct device_code *codes);
/* Bytes of a function that a shared object exports; 0 when it has none of that name. */
uint64_t host_code_bytes(const void *object, size_t size, const char *symbol);

#endif
