/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of plans, keyed by target, parameters and options.  Threads may share a cache. */
#ifndef POPLIN_PLANNER_PLAN_CACHE_H
#define POPLIN_PLANNER_PLAN_CACHE_H

#include "poplin/planner/plan.h"

struct plan_cached {
    pop_target target;
    struct conv_options options;
    struct conv_planned planned; /* its params are part of the key */
};

/* Looks up a plan: fills plan and cost, or returns false. */
bool plan_cache_find(poplin_planning_cache *cache, struct plan_cached *asked);
void plan_cache_insert(poplin_planning_cache *cache, const struct plan_cached *found);

#endif
