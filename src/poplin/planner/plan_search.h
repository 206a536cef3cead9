/* SPDX-License-Identifier: Apache-2.0 */
/* The best partition of one candidate, found by popsolver. */
#ifndef POPLIN_PLANNER_PLAN_SEARCH_H
#define POPLIN_PLANNER_PLAN_SEARCH_H

#include "poplin/planner/plan_cost.h"

struct plan_goal {
    enum poplin_objective objective;
    uint64_t max_bytes; /* of a tile */
    unsigned tiles;
    const struct poplin_plan_constraints *constraints;
    const struct poplin_plan_share *share;
    uint64_t best; /* the rank that is to be beaten: UINT64_MAX when there is nothing yet */
};

/* The passes of a fully connected layer that share a layout, with the candidate of each; one for all other
 * convolutions. */
struct plan_passes {
    struct plan_candidate *candidates[3];
    size_t count;
};

/* Whether there is a better partition; partition has its grains, and gets its splits.  cost is the sum of all passes.
 */
bool plan_search(const struct plan_passes *passes, const struct plan_goal *goal, struct poplin_partition *partition,
                 struct poplin_plan_cost *cost);
/* The costs of all passes: the sum of their cycles, the maximum of their bytes. */
struct poplin_plan_cost plan_cost_of_passes(const struct plan_passes *passes, const struct poplin_partition *partition);
/* The partition of a joint plan's other passes (1 backward, 2 update) from that of the forward pass, whose last field
 * dimension has this number. */
struct poplin_partition plan_joint_partition(const struct poplin_partition *forward, size_t pass, size_t last);

#endif
