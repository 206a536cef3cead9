/* SPDX-License-Identifier: Apache-2.0 */
/* MAC: products along the input channels, by the multiply and add instructions of workers. */
#ifndef POPLIN_METHODS_MAC_H
#define POPLIN_METHODS_MAC_H

#include "poplin/planner/method.h"

extern const struct poplin_method poplin_method_mac;

#endif
