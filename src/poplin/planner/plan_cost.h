/* SPDX-License-Identifier: Apache-2.0 */
/* The planner's cost model: what one way to split one transformed convolution costs. */
#ifndef POPLIN_PLANNER_PLAN_COST_H
#define POPLIN_PLANNER_PLAN_COST_H

#include "poplin/planner/plan_candidate.h"

struct poplin_plan_cost plan_cost(struct plan_candidate *candidate, const struct poplin_partition *partition);
/* What is known of a partition that is not decided, nor are its channels split: none of its numbers is less than these.
 */
struct plan_bound {
    struct plan_tile tile; /* its channels are all, those of serial splits apart */
    uint64_t serial, weight_copies;
    uint64_t channels;     /* grains of input channels times grains of output channels of a tile */
    uint64_t passes, work; /* of a tile: channels times groups and kernel elements; that times field elements */
};
struct plan_min_cost {
    uint64_t cycles, bytes;
};
/* What such a partition costs at least; it grows with each of the numbers. */
struct plan_min_cost plan_min_cost(const struct plan_candidate *candidate, const struct plan_bound *min);
/* Depths that are left after each stage but the last of a reduction. */
size_t plan_reduction_stages(unsigned depth, bool multi_stage, unsigned stages[3]);

#endif
