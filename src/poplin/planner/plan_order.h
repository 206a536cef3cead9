/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which vertex types of a transformed convolution are tried.  It decides between plans of equal cost, and
 * how soon a good plan bounds the search. */
#ifndef POPLIN_PLANNER_PLAN_ORDER_H
#define POPLIN_PLANNER_PLAN_ORDER_H

#include "poplin/planner/plan_candidate.h"

/* Orders proposals as Poplibs does: by method in release 1.2, by useful multiplications a cycle in that of 2021. */
void plan_order(struct plan_proposals *proposals);

#endif
