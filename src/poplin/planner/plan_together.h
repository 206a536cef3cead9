/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions that run at the same time, each on tiles of its own. */
#ifndef POPLIN_PLANNER_PLAN_TOGETHER_H
#define POPLIN_PLANNER_PLAN_TOGETHER_H

#include "poplin/planner/plan.h"

/* One of them; its options get its share of the tiles, with which its plan is found. */
struct plan_member {
    poplin_conv_params params;
    struct poplin_conv_options *options;
};

/* Shares the tiles out: the largest convolution is planned first, for as few tiles as it needs to be slower than on all
 * of them by back_off for each of the others at most.  The others' steps are to be no longer than its.  Tiles are kept
 * back for each that is not planned yet. False where there are too few tiles, and after an error of the graph. */
bool poplin_plan_together(pop_where where, pop_graph *graph, const char *api, struct plan_member *members, size_t count,
                          unsigned reserved_tiles, double back_off, poplin_planning_cache *cache);

#endif
