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

#endif
