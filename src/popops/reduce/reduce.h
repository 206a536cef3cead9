/* SPDX-License-Identifier: Apache-2.0 */
/* What a reduction is asked for: checked, then built (reduce_parts.h). */
#ifndef POPOPS_REDUCE_REDUCE_H
#define POPOPS_REDUCE_REDUCE_H

#include "popops/reduce/reduce_parts.h"

/* The next of the compute sets; the name is added to the reduction's. */
pop_compute_set reduce_next_set(struct reduction *r, const char *name);

#endif
