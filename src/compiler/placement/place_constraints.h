/* SPDX-License-Identifier: Apache-2.0 */
/* elem(*a) != elem(*b): what two fields of a vertex are connected to on its tile must be in different memory elements:
 * variables, and the set's buffers for what comes from other tiles or is laid out anew. */
#ifndef COMPILER_PLACEMENT_PLACE_CONSTRAINTS_H
#define COMPILER_PLACEMENT_PLACE_CONSTRAINTS_H

#include "compiler/placement/place.h"

/* Fields that must be in different memory elements: pairs of blocks.  Called when blocks are by tile. */
void place_constraints(struct place *p);
/* The constraint of a pair that could not be met, as an error. */
bool place_fail_pair(struct place *p, uint32_t tile, const struct fit_pair *pair);

#endif
