/* SPDX-License-Identifier: Apache-2.0 */
/* The placement for reports: every block with its address and its live intervals, in ordinals of the steps that have a
 * live list. */
#ifndef COMPILER_PLACEMENT_PLACE_KEEP_H
#define COMPILER_PLACEMENT_PLACE_KEEP_H

#include "compiler/placement/place.h"

/* image->placement. */
void place_keep(const struct place *p);

#endif
