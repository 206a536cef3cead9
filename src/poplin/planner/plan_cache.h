/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that were found, by what they were asked for.  Threads may share a cache. */
#ifndef POPLIN_PLANNER_PLAN_CACHE_H
#define POPLIN_PLANNER_PLAN_CACHE_H

#include "poplin/planner/plan.h"

struct plan_cached {
    pop_target target;
    struct poplin_conv_options options;
    struct poplin_planned planned; /* asked for by its params */
};

/* Fills plan and cost of what is asked for; false when it is not there. */
bool plan_cache_find(poplin_planning_cache *cache, struct plan_cached *asked);
void plan_cache_insert(poplin_planning_cache *cache, const struct plan_cached *found);

#endif
