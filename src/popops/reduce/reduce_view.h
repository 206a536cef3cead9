/* SPDX-License-Identifier: Apache-2.0 */
/* Views the input of a reduction in the order of memory: the result does not depend on the order of its dimensions. */
#ifndef POPOPS_REDUCE_REDUCE_VIEW_H
#define POPOPS_REDUCE_REDUCE_VIEW_H

#include "popops/reduce/reduce_parts.h"

/* Orders the dimensions; reduced has one flag for each.  Sets in (flattened), outputs, factor, rank, extent and kept.
 * *out is the caller's output; if it is null, it becomes a new unmapped variable. */
bool reduce_view(struct reduction *r, pop_tensor in, const bool *reduced, pop_tensor *out, const char *name);

#endif
