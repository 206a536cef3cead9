/* SPDX-License-Identifier: Apache-2.0 */
/* Library functions that codelets call on the device. */
#ifndef POPC_DEVICE_DEVICE_FUNCTIONS_H
#define POPC_DEVICE_DEVICE_FUNCTIONS_H

#include "popc/device/device_machine.h"
#include "popc/module/device_code.h"

/* Executes a library function and charges instructions for it; false when it is not known. */
bool device_function(struct device_machine *machine, const char *name);
/* Bytes of code of a function of the mathematical library; false for any other name. */
bool device_library_bytes(const char *name, uint32_t *bytes);

#endif
