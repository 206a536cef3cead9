/* SPDX-License-Identifier: Apache-2.0 */
/* MAC: dot products over the input channels by the workers' multiply-add instructions. */
#ifndef POPLIN_METHODS_MAC_H
#define POPLIN_METHODS_MAC_H

#include "poplin/planner/method.h"

extern const struct poplin_method poplin_method_mac;

#endif
