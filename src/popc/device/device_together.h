/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of code of which parts stand in other files. */
#ifndef POPC_DEVICE_DEVICE_TOGETHER_H
#define POPC_DEVICE_DEVICE_TOGETHER_H

#include "popc/module/device_code.h"

/* Measures the codelets again whose files share functions, with the objects of all these modules. */
void device_measure_together(struct module *const *modules, size_t count, enum device_arch arch);

#endif
