/* SPDX-License-Identifier: Apache-2.0 */
/* Which matrices can be multiplied, and what convolution a product is. */
#ifndef POPLIN_PRODUCT_MAT_MUL_CHECKS_H
#define POPLIN_PRODUCT_MAT_MUL_CHECKS_H

#include "poplin/product/mat_mul_call.h"

/* Shapes of both operands, as grouped matrices; false after an error of the graph. */
bool mat_mul_shapes(const struct mat_mul_call *call, pop_type input_type, pop_type output_type, pop_shape a,
                    pop_shape b, size_t rank, poplin_mat_mul_params *params);

#endif
