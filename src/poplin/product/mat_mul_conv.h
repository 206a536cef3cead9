/* SPDX-License-Identifier: Apache-2.0 */
/* A product as a convolution. */
#ifndef POPLIN_PRODUCT_MAT_MUL_CONV_H
#define POPLIN_PRODUCT_MAT_MUL_CONV_H

#include "poplin/product/mat_mul_call.h"

/* Creates grouped operands of a product in the layout of its plan; copies B to that layout. */
pop_tensor mat_mul_new_lhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params);
pop_tensor mat_mul_new_rhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params);
pop_tensor mat_mul_new_output(const struct mat_mul_call *request, const poplin_mat_mul_params *params);
/* The product {g,m,n}, a new tensor with the plan's mapping. */
pop_tensor mat_mul_conv_product(const struct mat_mul_call *request, const poplin_mat_mul_params *params, pop_tensor a,
                                pop_tensor b);
pop_tensor mat_mul_arranged_rhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params, pop_tensor b);

#endif
