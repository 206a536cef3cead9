/* SPDX-License-Identifier: Apache-2.0 */
/* Triangular systems by halves, and rows as planned products. */
#ifndef POPLIN_SOLVE_SUBSTITUTE_H
#define POPLIN_SOLVE_SUBSTITUTE_H

#include "poplin/solve/triangular_solve.h"

/* Systems of equations a x = b, a{g,n,n} with ones on its diagonal and zeros in the other triangle, b{g,n,k}: the
 * solution, {g,n,k}. */
pop_tensor triangular_substitute(const struct triangular_call *call, pop_tensor a, pop_tensor b, bool lower);

#endif
