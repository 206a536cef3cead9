/* SPDX-License-Identifier: Apache-2.0 */
/* Solution of triangular systems by recursive halving, with planned products. */
#ifndef POPLIN_SOLVE_SUBSTITUTE_H
#define POPLIN_SOLVE_SUBSTITUTE_H

#include "poplin/solve/triangular_solve.h"

/* Solves a x = b for a{g,n,n} with ones on its diagonal and zeros in the other triangle, and b{g,n,k}; returns
 * x{g,n,k}. */
pop_tensor triangular_substitute(const struct triangular_call *request, pop_tensor a, pop_tensor b, bool lower);

#endif
