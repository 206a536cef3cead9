/* SPDX-License-Identifier: Apache-2.0 */
/* The rank of a plan: its objective as one number, less is better. */
#ifndef POPLIN_PLANNER_PLAN_RANK_H
#define POPLIN_PLANNER_PLAN_RANK_H

#include "poplin/planner/plan_search.h"

/* The rank of a plan; UINT64_MAX if it does not meet the goal. */
uint64_t plan_rank(const struct plan_goal *goal, const struct poplin_plan_cost *cost);
/* A lower bound of the ranks of plans with at least so many cycles; UINT64_MAX if none of them meets the goal. */
uint64_t plan_rank_from_cycles(const struct plan_goal *goal, uint64_t cycles);
/* The longer one of each step of two plans, without their memory. */
poplin_detailed_plan_costs plan_longest_steps(const poplin_detailed_plan_costs *a, const poplin_detailed_plan_costs *b);

#endif
