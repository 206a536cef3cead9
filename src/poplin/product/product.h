/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products as convolutions: checks, options, operands. */
#ifndef POPLIN_PRODUCT_PRODUCT_H
#define POPLIN_PRODUCT_PRODUCT_H

#include "poplin/product/mat_mul_call.h"

/* mat_mul_checks.c: checks of shapes and types, and the parameters of a product's convolution. */

/* Checks the shapes of both operands, and stores them as those of grouped matrices; false after an error of the
 * graph. */
bool mat_mul_shapes(const struct mat_mul_call *request, pop_type input_type, pop_type output_type, pop_shape a,
                    pop_shape b, size_t rank, poplin_mat_mul_params *params);

/* mat_mul_conv.c: a product as a convolution. */

/* Creates grouped operands of a product in the layout of its plan; copies B to that layout. */
pop_tensor mat_mul_new_lhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params);
pop_tensor mat_mul_new_rhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params);
pop_tensor mat_mul_new_output(const struct mat_mul_call *request, const poplin_mat_mul_params *params);
/* The product {g,m,n}, a new tensor with the plan's mapping. */
pop_tensor mat_mul_conv_product(const struct mat_mul_call *request, const poplin_mat_mul_params *params, pop_tensor a,
                                pop_tensor b);
pop_tensor mat_mul_arranged_rhs(const struct mat_mul_call *request, const poplin_mat_mul_params *params, pop_tensor b);

/* mat_mul_options.c: options of matrix products, and their conversion to options of convolutions. */

/* Begins a call: checks and converts its options; false after an error of the graph. */
bool mat_mul_begin(const struct call *call, struct mat_mul_call *request, poplin_planning_cache *cache);

#endif
