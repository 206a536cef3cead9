/* SPDX-License-Identifier: Apache-2.0 */
/* Random views with a naive twin: the list of elements of the view, one number each. */
#ifndef TESTS_SYSTEM_VIEWS_H
#define TESTS_SYSTEM_VIEWS_H

#include "fixture.h"

enum { TWIN_RANK = 6, TWIN_ELEMENTS = 4096 };

/* The naive tensor: its shape and, in row-major order, which cell of one flat memory each element is. */
struct twin {
    pop_tensor tensor;
    size_t rank, dims[TWIN_RANK], count;
    uint32_t cell[TWIN_ELEMENTS];
};

/* A view of all of a new variable, whose elements are the cells from first on. */
void twin_of_variable(struct twin *twin, pop_tensor variable, uint32_t first);
/* One random view operation, on both sides; one that makes aliases only if they are allowed. */
void twin_step(struct twin *twin, struct dice *dice, bool aliases);
/* Flattens and cuts to count elements from begin on. */
void twin_cut(struct twin *twin, size_t begin, size_t count);
/* Flattened one after the other. */
void twin_concat(struct twin *twin, const struct twin *other);
bool twin_has_aliases(const struct twin *twin);

#endif
