/* SPDX-License-Identifier: Apache-2.0 */
/* SLIC: windows of four kernel positions by conv units, for few channels per group. */
#ifndef POPLIN_METHODS_SLIC_H
#define POPLIN_METHODS_SLIC_H

#include "poplin/planner/method.h"

extern const struct poplin_method poplin_method_slic;

#endif
