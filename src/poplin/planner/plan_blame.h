/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why no plan satisfies the given constraints. */
#ifndef POPLIN_PLANNER_PLAN_BLAME_H
#define POPLIN_PLANNER_PLAN_BLAME_H

#include "poplin/planner/plan_cache.h"

/* Writes which constraints cannot be satisfied (together), why, and the nearest plan: the best one without them.  find
 * plans a convolution and returns false if there is no plan. */
void plan_blame(const pop_target *target, const struct plan_cached *asked,
                bool (*find)(const pop_target *, struct plan_cached *), char *buffer, size_t size);

#endif
