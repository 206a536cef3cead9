/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the best partition of one candidate, by popsolver. */
#ifndef POPLIN_PLANNER_PLAN_SEARCH_H
#define POPLIN_PLANNER_PLAN_SEARCH_H

#include "poplin/planner/plan_cost.h"

struct plan_goal {
    enum plan_objective objective;
    uint64_t max_bytes; /* of one tile */
    unsigned tiles;
    const struct plan_constraints *constraints;
    const struct plan_share *share;
    uint64_t best; /* the rank that a plan must be below; UINT64_MAX if there is no plan yet */
};

/* The passes of a fully connected layer that share a layout, with a candidate for each; a single pass for other
 * convolutions. */
struct plan_passes {
    struct plan_candidate *candidates[3];
    size_t count;
};

/* Searches a better partition; false if there is none.  partition has its grains; its splits are set.  *cost is the sum
 * over all passes. */
bool plan_search(const struct plan_passes *passes, const struct plan_goal *goal, struct plan_partition *partition,
                 struct plan_cost *cost);
/* The cost of all passes: the sum of their cycles, the maximum of their bytes. */
struct plan_cost plan_cost_of_passes(const struct plan_passes *passes, const struct plan_partition *partition);
/* The partition of a joint plan's other pass (1: backward, 2: update), from that of the forward pass; last is the index
 * of the forward pass' last field dimension. */
struct plan_partition plan_joint_partition(const struct plan_partition *forward, size_t pass, size_t last);

#endif
