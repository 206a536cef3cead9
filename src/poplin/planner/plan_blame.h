/* SPDX-License-Identifier: Apache-2.0 */
/* Why no plan has the constraints that were asked for. */
#ifndef POPLIN_PLANNER_PLAN_BLAME_H
#define POPLIN_PLANNER_PLAN_BLAME_H

#include "poplin/planner/plan_cache.h"

/* find fills plan and cost, or says that there is no plan.  Names the constraints that cannot hold (together), why, and
 * the plan that is nearest: the best one without them. */
void plan_blame(const pop_target *target, const struct plan_cached *asked,
                bool (*find)(const pop_target *, struct plan_cached *), char *buffer, size_t size);

#endif
