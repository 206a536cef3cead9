/* SPDX-License-Identifier: Apache-2.0 */
/* The planner's cost model: the cost of a partition of a transformed convolution. */
#ifndef POPLIN_PLANNER_PLAN_COST_H
#define POPLIN_PLANNER_PLAN_COST_H

#include "poplin/planner/plan_candidate.h"

struct plan_cost plan_cost(struct plan_candidate *candidate, const struct plan_partition *partition);
/* Lower bounds of the numbers of a partial partition, in which the split of channels and possibly others are not
 * decided. */
struct plan_bound {
    struct plan_tile tile; /* its channels are all channels, divided only by the serial splits */
    uint64_t serial, weight_copies;
    uint64_t channels; /* of a tile: grains of input channels times grains of output channels */
    /* Of a tile: passes is channels times groups and kernel elements; work is passes times field elements. */
    uint64_t passes, work;
};
struct plan_min_cost {
    uint64_t cycles, bytes;
};
/* A lower bound of the cost of such a partition; it grows monotonically with each of the numbers. */
struct plan_min_cost plan_min_cost(const struct plan_candidate *candidate, const struct plan_bound *min);
/* The depths after each stage of a sum of `depth` partials but the last; returns their number.  Plans price these
 * stages, and conv_sums.c adds up in them. */
size_t plan_reduction_stages(unsigned depth, bool multi_stage, unsigned stages[3]);

#endif
