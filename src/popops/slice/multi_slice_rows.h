/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on many rows of a matrix at once, from which the calls of multi_slice.c are built. */
#ifndef POPOPS_SLICE_MULTI_SLICE_ROWS_H
#define POPOPS_SLICE_MULTI_SLICE_ROWS_H

#include "popops/slice/slice_plan.h"

enum multi_kind { MULTI_SLICE, MULTI_UPDATE, MULTI_ADD, MULTI_MAX, MULTI_MUL };

struct multi_rows {
    const struct call *call;
    enum multi_kind kind;
    pop_tensor base, sub, offsets, scale; /* {rows, columns}, {lookups, columns}, {lookups}, scalar */
    size_t lookups;
    popops_slice_plan plan; /* {0}: no plan; then the mapping of the base's first row determines the tiles */
    pop_compute_set set;
};

/* Creates a matrix, or slices, with the layout of multi->plan; the plan must not be {0}. */
pop_tensor multi_table(const struct multi_rows *multi);
pop_tensor multi_slices(const struct multi_rows *multi);
/* Adds the operation to a sequence. */
void multi_run(struct multi_rows *multi);

#endif
