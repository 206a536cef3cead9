/* SPDX-License-Identifier: Apache-2.0 */
/* Rings: data in as many fragments as there are members, each of which goes from member to member. */
#ifndef POPOPS_COLLECTIVES_RING_H
#define POPOPS_COLLECTIVES_RING_H

#include "popops/collectives/combine.h"

/* By the method, which is one of the rings.  rows: a view {members, n}, row i of which is member i's fragment; the
 * result is the own fragment reduced, {n}, in new variables. */
pop_tensor ring_reduce_scatter(struct collective *c, pop_tensor rows);
/* The fragments {n} of all members: {members, n}, in new variables. */
pop_tensor ring_all_gather(struct collective *c, pop_tensor own);

#endif
