/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of shapes and types, and the parameters of a product's convolution. */
#ifndef POPLIN_PRODUCT_MAT_MUL_CHECKS_H
#define POPLIN_PRODUCT_MAT_MUL_CHECKS_H

#include "poplin/product/mat_mul_call.h"

/* Checks the shapes of both operands, and stores them as those of grouped matrices; false after an error of the
 * graph. */
bool mat_mul_shapes(const struct mat_mul_call *request, pop_type input_type, pop_type output_type, pop_shape a,
                    pop_shape b, size_t rank, poplin_mat_mul_params *params);

#endif
