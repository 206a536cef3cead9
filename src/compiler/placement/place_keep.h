/* SPDX-License-Identifier: Apache-2.0 */
/* The result of placing as reports want it: every block with its address, and when it is live, counted in steps that
 * have a list of what is live. */
#ifndef COMPILER_PLACEMENT_PLACE_KEEP_H
#define COMPILER_PLACEMENT_PLACE_KEEP_H

#include "compiler/placement/place.h"

/* image->placement. */
void place_keep(const struct place *p);

#endif
