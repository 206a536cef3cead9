/* SPDX-License-Identifier: Apache-2.0 */
/* What triangular_solve.c and cholesky.c share.  Systems from the right are those of transposed views. */
#ifndef POPLIN_SOLVE_TRIANGULAR_H
#define POPLIN_SOLVE_TRIANGULAR_H

#include "poplibs/support.h"

#include <poplin/mat_mul.h>

struct triangular_call {
    pop_where where;
    pop_graph *graph;
    const char *api, *name;
    pop_options options;
    poplin_planning_cache *cache;
    pop_program sequence;
};

/* Matrices as {groups, n, n}. */
pop_tensor triangular_grouped(const struct triangular_call *call, pop_tensor a);
/* The same, checked: square matrices of half or float, mapped; false after an error of the graph. */
bool triangular_matrices(const struct triangular_call *call, pop_tensor a, pop_tensor *grouped);
/* The tile of an element; 0 when it has none. */
unsigned triangular_tile(const struct triangular_call *call, pop_tensor element);
/* a{g,n,n}: zeros above the diagonal (below unless lower). */
void triangular_zero_others(const struct triangular_call *call, pop_tensor a, bool lower);

#endif
