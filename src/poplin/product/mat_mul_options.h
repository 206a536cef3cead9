/* SPDX-License-Identifier: Apache-2.0 */
/* Options of matrix products, and their conversion to options of convolutions. */
#ifndef POPLIN_PRODUCT_MAT_MUL_OPTIONS_H
#define POPLIN_PRODUCT_MAT_MUL_OPTIONS_H

#include "poplin/product/mat_mul_call.h"

/* Begins a call: checks and converts its options; false after an error of the graph. */
bool mat_mul_begin(struct mat_mul_call *request, pop_where where, pop_graph *graph, const char *api, const char *name,
                   pop_options options, poplin_planning_cache *cache);

#endif
