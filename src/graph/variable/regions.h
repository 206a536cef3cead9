/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a tensor in the order of memory. */
#ifndef GRAPH_VARIABLE_REGIONS_H
#define GRAPH_VARIABLE_REGIONS_H

#include "graph/view/view.h"

/* A run of a variable, and where it is in the flat tensor. */
struct placed_run {
    uint32_t variable;
    uint64_t offset, count, flat;
};
struct placed_runs {
    VEC(struct placed_run) list;
    uint64_t flat; /* elements passed */
};

/* Adds the runs of flat elements [begin, end) of t; false, with an error recorded, when they are too many. */
bool placed_runs_add(struct placed_runs *runs, pop_tensor t, uint64_t begin, uint64_t end);
/* By variable, then by offset; runs of the same elements in flat order.  False: they were in that order. */
bool placed_runs_sort(struct placed_runs *runs);

#endif
