/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a tensor of halves and a float of one element, the one operation whose operands may have two types. */
#ifndef POPOPS_ELEMENTWISE_SCALAR_MULTIPLY_H
#define POPOPS_ELEMENTWISE_SCALAR_MULTIPLY_H

#include "popops/elementwise/element_wise.h"

/* Poplibs' default of scalarMultiplyFloatToHalfTolerance. */
#define SCALAR_MULTIPLY_TOLERANCE 1e-6

/* Whether two operands of a multiplication are of this kind, in either order; in place, the halves come first. */
bool scalar_multiply_matches(const struct element_request *request);
/* Serves such a request; returns the output, or the null tensor after an error. */
pop_tensor scalar_multiply_serve(const struct element_request *request);

#endif
