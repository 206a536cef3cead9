/* SPDX-License-Identifier: Apache-2.0 */
/* Ring methods: data is divided into as many fragments as there are members, and fragments move from member to
 * member. */
#ifndef POPOPS_COLLECTIVES_RING_H
#define POPOPS_COLLECTIVES_RING_H

#include "popops/collectives/combine.h"

/* Reduce-scatter by one of the ring methods.  rows is a view {members, n}, whose row i is member i's fragment; the
 * result is the member's own reduced fragment {n}, in new variables. */
pop_tensor ring_reduce_scatter(struct collective *c, pop_tensor rows);
/* All-gather of the members' fragments {n}: {members, n}, in new variables. */
pop_tensor ring_all_gather(struct collective *c, pop_tensor own);

#endif
