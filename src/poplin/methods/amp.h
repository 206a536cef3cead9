/* SPDX-License-Identifier: Apache-2.0 */
/* AMP: conv units multiply a few input channels by a few output channels at many positions. */
#ifndef POPLIN_METHODS_AMP_H
#define POPLIN_METHODS_AMP_H

#include "poplin/planner/method.h"

extern const struct poplin_method poplin_method_amp;

#endif
