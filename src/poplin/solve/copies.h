/* SPDX-License-Identifier: Apache-2.0 */
/* Collects copies that do not depend on each other, to add them as one program. */
#ifndef POPLIN_SOLVE_COPIES_H
#define POPLIN_SOLVE_COPIES_H

#include "poplin/solve/triangular_solve.h"

enum { TRIANGULAR_CONSTANTS = 2 };
struct triangular_copies {
    const struct triangular_call *request;
    pop_tensor constants[TRIANGULAR_CONSTANTS]; /* one element each; null if not used */
    struct triangular_piece *list;
    size_t count, capacity;
};
/* Adds a copy of from to t, which have equal numbers of elements; no effect without elements. */
void triangular_copies_add(struct triangular_copies *copies, pop_tensor from, pop_tensor t);
/* Adds a copy of a constant, by its index in constants, to all of t.  Each tile receives it once. */
void triangular_copies_fill(struct triangular_copies *copies, unsigned constant, pop_tensor t);
/* Adds the copies to a sequence, after the copy that sends constants, and frees the list. */
void triangular_copies_end(struct triangular_copies *copies, pop_program sequence);

#endif
