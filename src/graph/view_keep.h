/* SPDX-License-Identifier: Apache-2.0 */
/* Kept views: the pieces of a tensor, one block of memory for each view, on the store's list. */
#ifndef GRAPH_VIEW_KEEP_H
#define GRAPH_VIEW_KEEP_H

#include "graph/view.h"

/* t must be valid. */
const struct view *view_keep(pop_tensor t);
/* NULL, and *run, when t (which must have elements) is one run: nothing is kept then. */
const struct view *view_keep_unless_run(pop_tensor t, struct run *run);
bool view_single_run(const struct view *view, struct run *run);

#endif
