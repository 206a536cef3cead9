/* SPDX-License-Identifier: Apache-2.0 */
/* What is live at each leaf step and Switch, by name: one sweep over the positions. */
#ifndef COMPILER_PLACEMENT_LIVE_LISTS_H
#define COMPILER_PLACEMENT_LIVE_LISTS_H

#include "compiler/placement/place_sizes.h"

/* The model's live lists and step_live; sizes: of what is always there. */
void live_lists(struct compiler *c, const struct place_inputs *in, const struct place_sizes *sizes);

#endif
