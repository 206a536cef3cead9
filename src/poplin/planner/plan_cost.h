/* SPDX-License-Identifier: Apache-2.0 */
/* The planner's cost model: what one way to split one transformed convolution costs. */
#ifndef POPLIN_PLANNER_PLAN_COST_H
#define POPLIN_PLANNER_PLAN_COST_H

#include "poplin/conv_vertices/performance.h"
#include "poplin/planner/plan.h"

/* Cycles of the vertices by tile sizes, remembered: they are the dearest part. */
enum { PLAN_MEMO_KEYS = 2 * POPLIN_MOST_FIELD_DIMS + 4 };
struct plan_memo_entry {
    uint32_t key[PLAN_MEMO_KEYS]; /* the numbers of a tile; the first is not 0 */
    uint64_t cycles;
};
struct plan_memo {
    struct plan_memo_entry *entries;
    size_t size, used; /* size is a power of 2 */
};

/* A transformed convolution and a vertex: everything but the splits. */
struct plan_candidate {
    const pop_target *target;
    const struct poplin_conv_options *options;
    poplin_conv_params params; /* transformed */
    struct poplin_plan plan;   /* its splits are not read, but by plan_candidate_of */
    size_t output[POPLIN_MOST_FIELD_DIMS], whole_input[POPLIN_MOST_FIELD_DIMS];
    uint64_t grains_out, grains_in, grains_groups;
    unsigned input_bytes, output_bytes;
    bool rearrange_input, rearrange_weights, rearrange_output, regroup_output;
    struct plan_memo memo;
};

/* What a tile computes. */
struct plan_tile {
    uint64_t field[POPLIN_MOST_FIELD_DIMS], kernel[POPLIN_MOST_FIELD_DIMS];
    uint64_t batch, groups, in_chans, out_chans;
};

/* plan has transform, vertex, grains; params are those that were given. */
struct plan_candidate plan_candidate_of(const pop_target *target, const poplin_conv_params *params,
                                        const struct poplin_conv_options *options, const struct poplin_plan *plan);
void plan_candidate_free(struct plan_candidate *candidate);

struct plan_tile plan_tile_of(const struct plan_candidate *candidate, const struct poplin_partition *partition);
struct poplin_plan_cost plan_cost(struct plan_candidate *candidate, const struct poplin_partition *partition);
/* What is known of a partition that is not decided, nor are its channels split: none of its numbers is less than these.
 */
struct plan_least {
    struct plan_tile tile; /* its channels are all, those of serial splits apart */
    uint64_t serial, weight_copies;
    uint64_t channels;     /* grains of input channels times grains of output channels of a tile */
    uint64_t passes, work; /* of a tile: channels times groups and kernel elements; that times field elements */
};
struct plan_least_cost {
    uint64_t cycles, bytes;
};
/* What such a partition costs at least; it grows with each of the numbers. */
struct plan_least_cost plan_least_cost(const struct plan_candidate *candidate, const struct plan_least *least);
/* Depths that are left after each stage but the last of a reduction. */
size_t plan_reduction_stages(unsigned depth, bool multi_stage, unsigned stages[3]);

#endif
