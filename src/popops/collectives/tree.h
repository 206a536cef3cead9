/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives without rings: pairs at growing distances, and each to all. */
#ifndef POPOPS_COLLECTIVES_TREE_H
#define POPOPS_COLLECTIVES_TREE_H

#include "popops/collectives/combine.h"

/* Pairs at distances 1, 2, 4, ... add up what they have: data {n} reduced, in a new variable. */
pop_tensor tree_all_reduce(struct collective *c, pop_tensor data);
/* What each has goes to all at once: {members, n}. */
pop_tensor direct_all_gather(struct collective *c, pop_tensor data);
/* The same, reduced in the order of ranks. */
pop_tensor direct_all_reduce(struct collective *c, pop_tensor data);
/* Rows {members, n}: row i goes to member i. */
pop_tensor direct_all_to_all(struct collective *c, pop_tensor rows);
/* Each member's own row. */
pop_tensor own_row(struct collective *c, pop_tensor rows);
/* The data of one member, doubling the number that has it. */
pop_tensor tree_broadcast(struct collective *c, pop_tensor data, unsigned root);

#endif
