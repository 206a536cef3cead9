/* SPDX-License-Identifier: Apache-2.0 */
/* Code sizes from ELF objects. */
#ifndef POPC_DEVICE_DEVICE_OBJECT_H
#define POPC_DEVICE_DEVICE_OBJECT_H

#include "popc/module/device_code.h"

/* Measures each codelet in an object that was compiled with a section for each function; further objects have functions
 * that they use of other files. A function missing from all makes a size an estimate, with a reason that lives in the
 * arena. False when an object cannot be measured. */
bool device_measure(const struct module_code *parts, size_t count, const struct codelet *codelets,
                    uint32_t codelet_count, struct arena *arena, struct device_code *codes);
/* Bytes of a function that a shared object exports; 0 when it exports no such function. */
uint64_t host_code_bytes(const void *object, size_t size, const char *symbol);

#endif
