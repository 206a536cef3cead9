/* SPDX-License-Identifier: Apache-2.0 */
/* Options of matrix products, and their conversion to options of convolutions. */
#ifndef POPLIN_PRODUCT_MAT_MUL_OPTIONS_H
#define POPLIN_PRODUCT_MAT_MUL_OPTIONS_H

#include "poplin/product/mat_mul_call.h"

/* Begins a call: checks and converts its options; false after an error of the graph. */
bool mat_mul_begin(const struct call *call, struct mat_mul_call *request, poplin_planning_cache *cache);

#endif
