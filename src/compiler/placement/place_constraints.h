/* SPDX-License-Identifier: Apache-2.0 */
/* elem(*a) != elem(*b): what two fields of a vertex are connected to on its tile must be in different memory elements:
 * variables, and the set's buffers for what comes from other tiles or is laid out anew. */
#ifndef COMPILER_PLACEMENT_PLACE_CONSTRAINTS_H
#define COMPILER_PLACEMENT_PLACE_CONSTRAINTS_H

#include "compiler/placement/place.h"

/* Finds messages of two fields that must be in different memory elements.  Called before blocks are made. */
void place_find_apart(struct place *p);
/* The bytes of such a message, `all` on the tile, that are the first field's; 0: it is one block. */
uint64_t place_apart_bytes(const struct place *p, uint32_t buffer, uint32_t tile, uint64_t all);
/* Fields that must be in different memory elements: pairs of blocks.  Called when blocks are by tile. */
void place_constraints(struct place *p);
/* The constraint of a pair that could not be met, as an error. */
bool place_fail_pair(struct place *p, uint32_t tile, const struct fit_pair *pair);

#endif
