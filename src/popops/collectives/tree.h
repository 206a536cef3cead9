/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives without rings: pairs at growing distances, and direct exchange between all members. */
#ifndef POPOPS_COLLECTIVES_TREE_H
#define POPOPS_COLLECTIVES_TREE_H

#include "popops/collectives/combine.h"

/* All-reduce of data {n}: pairs at distances 1, 2, 4, ... add their data; the result is a new variable. */
pop_tensor tree_all_reduce(struct collective *c, pop_tensor data);
/* All-gather: each member sends to all others at once; {members, n}. */
pop_tensor direct_all_gather(struct collective *c, pop_tensor data);
/* All-reduce: each member gathers all data and reduces it in the order of ranks. */
pop_tensor direct_all_reduce(struct collective *c, pop_tensor data);
/* All-to-all: row i of rows {members, n} is sent to member i. */
pop_tensor direct_all_to_all(struct collective *c, pop_tensor rows);
/* The row of each member's own rank. */
pop_tensor own_row(struct collective *c, pop_tensor rows);
/* Broadcast from the member root: the number of members that have the data doubles in each step. */
pop_tensor tree_broadcast(struct collective *c, pop_tensor data, unsigned root);

#endif
