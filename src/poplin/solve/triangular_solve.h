/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that triangular systems and Cholesky factorisation share.  Matrices are {groups, n, n}; systems from the
 * right are solved as those of transposed views. */
#ifndef POPLIN_SOLVE_TRIANGULAR_SOLVE_H
#define POPLIN_SOLVE_TRIANGULAR_SOLVE_H

#include "poplibs/call.h"

#include <poplin/mat_mul.h>

struct triangular_call {
    const struct call *call;
    pop_options options; /* options of matrix products */
    poplin_planning_cache *cache;
    size_t block_size; /* its default, until the options are read */
};

/* Removes option blockSize from the call's options.  *list is the storage of the remaining options, which the caller
 * frees.  False after an error. */
bool triangular_take_options(struct triangular_call *request, pop_option **list);
/* Views matrices as {groups, n, n}. */
pop_tensor triangular_grouped(const struct triangular_call *request, pop_tensor a);
/* Views matrices as {groups, n, n}, with checks: square matrices of half or float, mapped; false after an error of the
 * graph. */
bool triangular_matrices(const struct triangular_call *request, pop_tensor a, pop_tensor *grouped);
/* The first of the tiles that hold most of a tensor's elements; 0 without a mapping. */
unsigned triangular_tile(const struct triangular_call *request, pop_tensor t);
/* A variable {g,n,m} of contiguous blocks of `block` rows and columns. */
pop_tensor triangular_blocks(const struct triangular_call *request, pop_type type, size_t g, size_t n, size_t m,
                             size_t block, const char *name);
/* A constant of one element, on tile 0. */
pop_tensor triangular_constant(const struct triangular_call *request, pop_type type, double value);
/* A clone of a{g,n,n}: the named triangle, row by row, zeros in the other; ones on the diagonal if unit_diagonal. */
pop_tensor triangular_masked(const struct triangular_call *request, pop_tensor a, bool lower, bool unit_diagonal);

#endif
