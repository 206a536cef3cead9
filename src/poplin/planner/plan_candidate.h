/* SPDX-License-Identifier: Apache-2.0 */
/* A candidate of the planner: a transformed convolution with a vertex type, and the work of one tile. */
#ifndef POPLIN_PLANNER_PLAN_CANDIDATE_H
#define POPLIN_PLANNER_PLAN_CANDIDATE_H

#include "poplin/conv_vertices/performance.h"
#include "poplin/planner/plan.h"

/* Cache of the vertices' cycles by tile sizes: estimating them takes most of a search's time. */
enum { PLAN_MEMO_KEYS = 2 * POPLIN_MAX_FIELD_DIMS + 4 };
struct plan_memo_entry {
    uint32_t key[PLAN_MEMO_KEYS]; /* the sizes of a tile; the first is not 0 */
    uint64_t cycles;
};
struct plan_memo {
    struct plan_memo_entry *entries;
    size_t size, used; /* size is a power of 2 */
};

/* A transformed convolution with a vertex type: everything but the splits. */
struct plan_candidate {
    const pop_target *target;
    const struct conv_options *options;
    poplin_conv_params params; /* transformed */
    struct conv_plan plan;     /* its splits are used only by plan_candidate_of */
    size_t output[POPLIN_MAX_FIELD_DIMS], whole_input[POPLIN_MAX_FIELD_DIMS];
    uint64_t grains_out, grains_in, grains_groups;
    unsigned input_bytes, output_bytes;
    bool rearrange_input, rearrange_weights, rearrange_output, regroup_weights, regroup_output;
    struct plan_memo memo;
};

/* The work of one tile. */
struct plan_tile {
    uint64_t field[POPLIN_MAX_FIELD_DIMS], kernel[POPLIN_MAX_FIELD_DIMS];
    uint64_t batch, groups, in_chans, out_chans;
};

/* The numbers of elements of the operands and of the output on a tile. */
struct plan_elements {
    uint64_t inputs, weights, outputs;
};
/* The work of a tile as the repeat counts of a vertex: positions of batch and field, kernel positions, groups. */
enum { PLAN_MAX_WORKERS = 16 };
struct plan_tile_work {
    /* at most PLAN_MAX_WORKERS */
    unsigned workers;
    uint64_t positions, kernel;
    unsigned groups, in_groups, out_groups;
};

/* plan must have transform, vertex type and grains; transformed are the parameters after its transform. */
struct plan_candidate plan_candidate_of(const pop_target *target, const poplin_conv_params *transformed,
                                        const struct conv_options *options, const struct conv_plan *plan);
void plan_candidate_free(struct plan_candidate *candidate);

struct plan_tile plan_tile_of(const struct plan_candidate *candidate, const struct plan_partition *partition);
struct plan_elements plan_elements_of(const struct plan_candidate *candidate, const struct plan_tile *tile);
/* The number of a tile's output positions (batch times field), and of those to which a kernel position contributes. */
uint64_t plan_outputs_of(const struct plan_candidate *candidate, const struct plan_tile *tile);
uint64_t plan_positions_of(const struct plan_candidate *candidate, const struct plan_tile *tile);
/* Along a dimension: a kernel position contributes only to every n-th output; the number of these among `outputs`. */
uint64_t plan_step_of(const struct plan_candidate *candidate, size_t dim);
uint64_t plan_outputs_met(const struct plan_candidate *candidate, size_t dim, uint64_t outputs);

/* The input of methods' proposals, and the proposed plans, without partitions. */
struct plan_proposals {
    const pop_target *target;
    const struct conv_options *options;
    const poplin_conv_params *params; /* transformed */
    bool joint;                       /* for the three passes of a fully connected layer together */
    struct conv_plan *list;           /* owned, to be freed; best first, as far as the method can tell */
    size_t count, capacity;
};
void plan_propose(struct plan_proposals *to, const struct conv_plan *plan);

/* The work without positions to which no kernel element contributes, for vertices that skip these. */
uint64_t plan_work_met(const struct plan_candidate *candidate, uint64_t work);
/* Cycles in which vertices that accumulate into their partials first write zeros to them. */
uint64_t plan_zeroing_cycles(const struct plan_candidate *candidate, const struct plan_tile *tile,
                             const struct plan_tile_work *work);
/* A lower bound of the rows and positions of one worker of a tile; false if no kernel position contributes. */
struct plan_worker_share {
    uint64_t rows, positions;
};
bool plan_worker_share(const struct plan_candidate *candidate, const struct plan_tile *tile,
                       struct plan_worker_share *share);
/* Worklists of a tile whose workers share rows of `width` positions equally.  The caller frees items. */
struct plan_lists {
    struct worklist lists[PLAN_MAX_WORKERS];
    unsigned *items;
};
struct plan_lists plan_lists_make(unsigned workers, uint64_t rows, uint64_t width);

#endif
