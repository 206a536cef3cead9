/* SPDX-License-Identifier: Apache-2.0 */
/* Plans convolutions that run at the same time, each on its own tiles. */
#ifndef POPLIN_PLANNER_PLAN_TOGETHER_H
#define POPLIN_PLANNER_PLAN_TOGETHER_H

#include "poplin/planner/plan.h"

/* A convolution; its options receive its share of the tiles, with which its plan is found in the cache. */
struct plan_member {
    poplin_conv_params params;
    struct conv_options *options;
};

/* Divides the tiles.  The largest convolution is planned first, for the fewest tiles on which its cycles exceed those
 * on all tiles by at most back_off for each other convolution.  The steps of the others should not be longer than its
 * steps.  Tiles are reserved for each convolution that is not planned yet.  False if there are too few tiles, and after
 * an error of the graph. */
bool plan_together(const struct call *call, struct plan_member *members, size_t count, unsigned reserved_tiles,
                   double back_off, poplin_planning_cache *cache);

#endif
