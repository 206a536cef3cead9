/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a reduction in the order of memory: reductions do not care in which order their dimensions are looked
 * at. */
#ifndef POPOPS_REDUCE_REDUCE_VIEW_H
#define POPOPS_REDUCE_REDUCE_VIEW_H

#include "popops/reduce/reduce_parts.h"

/* Orders dimensions: dims has rank flags.  Fills in (flat), outputs, factor, rank, extent, kept.  *out is the output as
 * the caller has it; null: it becomes a new, unmapped variable. */
bool reduce_view(struct reduction *r, pop_tensor in, const bool *reduced, pop_tensor *out, const char *name);

#endif
