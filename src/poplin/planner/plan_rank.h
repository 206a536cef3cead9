/* SPDX-License-Identifier: Apache-2.0 */
/* What makes one plan better than another, as one number. */
#ifndef POPLIN_PLANNER_PLAN_RANK_H
#define POPLIN_PLANNER_PLAN_RANK_H

#include "poplin/planner/plan_search.h"

/* Ranks of plans: the smallest is the best. */
uint64_t plan_rank(const struct plan_goal *goal, const struct poplin_plan_cost *cost);
/* No plan of at least so many cycles has a lower rank; UINT64_MAX: none is good enough. */
uint64_t plan_rank_from_cycles(const struct plan_goal *goal, uint64_t cycles);

#endif
