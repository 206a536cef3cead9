/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks along the diagonal, one after the other: each is solved by vertices, the rows below it are relieved of its
 * part by a product. */
#ifndef POPLIN_SOLVE_TRIANGULAR_SOLVE_H
#define POPLIN_SOLVE_TRIANGULAR_SOLVE_H

#include "poplin/solve/triangular.h"

/* Matrices as {groups, n, n}. */
pop_tensor triangular_grouped(const struct triangular_call *call, pop_tensor a);
/* The same, checked: square matrices of half or float, mapped; false after an error of the graph. */
bool triangular_matrices(const struct triangular_call *call, pop_tensor a, pop_tensor *grouped);
/* The tile of an element; 0 when it has none. */
unsigned triangular_tile(const struct triangular_call *call, pop_tensor element);
/* a{g,n,n}: zeros above the diagonal (below unless lower). */
void triangular_zero_others(const struct triangular_call *call, pop_tensor a, bool lower);

#endif
