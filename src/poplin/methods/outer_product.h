/* SPDX-License-Identifier: Apache-2.0 */
/* OUTER_PRODUCT: one input channel and one kernel position; each input is multiplied by each weight. */
#ifndef POPLIN_METHODS_OUTER_PRODUCT_H
#define POPLIN_METHODS_OUTER_PRODUCT_H

#include "poplin/planner/method.h"

extern const struct poplin_method poplin_method_outer_product;

#endif
