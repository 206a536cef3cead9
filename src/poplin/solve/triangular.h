/* SPDX-License-Identifier: Apache-2.0 */
/* What triangular systems and Cholesky's factors share.  Matrices are {groups, n, n}; systems from the right are those
 * of transposed views. */
#ifndef POPLIN_SOLVE_TRIANGULAR_H
#define POPLIN_SOLVE_TRIANGULAR_H

#include "poplibs/support.h"

#include <poplin/mat_mul.h>

struct triangular_call {
    pop_where where;
    pop_graph *graph;
    const char *api, *name;
    pop_options options; /* of matrix products */
    poplin_planning_cache *cache;
    pop_program sequence;
    size_t block_size;
};

/* Takes option blockSize out of the call's options, whose list is then *list, to be freed; false after an error. */
bool triangular_take_options(struct triangular_call *call, pop_option **list);
/* Matrices as {groups, n, n}. */
pop_tensor triangular_grouped(const struct triangular_call *call, pop_tensor a);
/* The same, checked: square matrices of half or float, mapped; false after an error of the graph. */
bool triangular_matrices(const struct triangular_call *call, pop_tensor a, pop_tensor *grouped);
/* The tile that has most of a tensor's elements, the first of several; 0 when it has no mapping. */
unsigned triangular_tile(const struct triangular_call *call, pop_tensor t);
/* A variable {g,n,m} of blocks of block rows and columns, which follow each other. */
pop_tensor triangular_blocks(const struct triangular_call *call, pop_type type, size_t g, size_t n, size_t m,
                             size_t block, const char *name);
/* A constant of one element, on tile 0. */
pop_tensor triangular_constant(const struct triangular_call *call, pop_type type, double value);
/* copies.c: copies that follow each other and do not depend on each other are one program. */
enum { TRIANGULAR_CONSTANTS = 2 };
struct triangular_copies {
    const struct triangular_call *call;
    pop_tensor constants[TRIANGULAR_CONSTANTS]; /* of one element; null: none */
    struct triangular_piece *pieces;
    size_t count;
};
/* Adds a copy of from to t, which have equally many elements; nothing where they are empty. */
void triangular_copies_add(struct triangular_copies *copies, pop_tensor from, pop_tensor t);
/* Adds a copy of a constant, by its place in constants, to all of t.  It is sent to each tile once. */
void triangular_copies_fill(struct triangular_copies *copies, unsigned constant, pop_tensor t);
/* Adds the program to a sequence, after the one that sends constants, and frees the list. */
void triangular_copies_end(struct triangular_copies *copies, pop_program sequence);
/* A clone of a{g,n,n}: the named triangle, row by row, zeros in the other; ones on the diagonal if unit_diagonal. */
pop_tensor triangular_masked(const struct triangular_call *call, pop_tensor a, bool lower, bool unit_diagonal);

/* Systems of equations a x = b, a{g,n,n} with ones on its diagonal and zeros in the other triangle, b{g,n,k}: the
 * solution, {g,n,k}. */
pop_tensor triangular_substitute(const struct triangular_call *call, pop_tensor a, pop_tensor b, bool lower);

#endif
