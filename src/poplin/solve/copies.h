/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that follow each other and do not depend on each other are one program. */
#ifndef POPLIN_SOLVE_COPIES_H
#define POPLIN_SOLVE_COPIES_H

#include "poplin/solve/triangular_solve.h"

enum { TRIANGULAR_CONSTANTS = 2 };
struct triangular_copies {
    const struct triangular_call *call;
    pop_tensor constants[TRIANGULAR_CONSTANTS]; /* of one element; null: none */
    struct triangular_piece *list;
    size_t count, capacity;
};
/* Adds a copy of from to t, which have equally many elements; nothing where they are empty. */
void triangular_copies_add(struct triangular_copies *copies, pop_tensor from, pop_tensor t);
/* Adds a copy of a constant, by its place in constants, to all of t.  It is sent to each tile once. */
void triangular_copies_fill(struct triangular_copies *copies, unsigned constant, pop_tensor t);
/* Adds the program to a sequence, after the one that sends constants, and frees the list. */
void triangular_copies_end(struct triangular_copies *copies, pop_program sequence);

#endif
