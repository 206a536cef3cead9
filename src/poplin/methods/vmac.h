/* SPDX-License-Identifier: Apache-2.0 */
/* VMAC: dot products along a row of the kernel for four convolutions side by side. */
#ifndef POPLIN_METHODS_VMAC_H
#define POPLIN_METHODS_VMAC_H

#include "poplin/planner/method.h"

extern const struct poplin_method poplin_method_vmac;

#endif
