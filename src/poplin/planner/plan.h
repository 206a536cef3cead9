/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: how a convolution is transformed, split over tiles and computed.  A plan is a value.
 *
 * The order of a plan's steps: extra field dimensions of size 1 are added before the others; operands are swapped; in
 * expand_dims kernel positions become input channels; in out_chan_flatten_dims field positions become output channels;
 * flatten_dims merges field dimensions (and the batch) into one; groups of convolutions are combined; channels are
 * padded to the vertex's group sizes. params_transform applies these steps to parameters.  Then the partition
 * splits the result: first serially (a loop), then in parallel over tiles. */
#ifndef POPLIN_PLANNER_PLAN_H
#define POPLIN_PLANNER_PLAN_H

#include "poplin/planner/conv_options.h"

#include <poplin/planning.h>

/* Here and below, field dimensions include the extra ones. */
struct plan_partition {
    unsigned field_split[POPLIN_MAX_FIELD_DIMS], kernel_split[POPLIN_MAX_FIELD_DIMS];
    unsigned batch_split, conv_group_split;
    struct plan_split out_chan_split, in_chan_split;
    /* Parts begin at multiples of these. */
    unsigned field_grain[POPLIN_MAX_FIELD_DIMS];
    unsigned conv_group_grain, in_chan_grain, out_chan_grain;
};

/* Sets of dimensions have bit d for field dimension d.  flatten_dims has bit 0 for the batch and bit d + 1 for field
 * dimension d; the highest dimension absorbs the others. */
struct plan_transform {
    unsigned extra_field_dims;
    unsigned swap_operands; /* 0 or 1 */
    unsigned expand_dims, out_chan_flatten_dims, flatten_dims;
    unsigned combine_conv_groups_factor;
};

enum plan_tile_order { POPLIN_ORDER_STANDARD, POPLIN_ORDER_FC_WU, POPLIN_ORDER_FC_BWD_AS_CONV };

struct conv_method;
struct conv_plan {
    struct plan_transform transform;
    struct plan_partition partition;
    unsigned num_field_dims; /* of the transformed convolution */
    pop_type tile_partial_type, sum_type,
        /* Types of the vertices' partials, of the partial sums that tiles exchange, and of the result. */
        result_type;
    const struct conv_method *method;
    unsigned conv_groups_per_group, in_chans_per_group, partial_chans_per_group;
    unsigned slic_window_width, num_conv_units;
    enum plan_tile_order tile_order;
    unsigned start_tile;
    unsigned reversed; /* 1: tiles are numbered downwards from start_tile */
    unsigned is_joint; /* 1: the weights have the same layout in forward, backward and update pass */
    bool is_1x1;       /* AMP: the vertex is ConvPartial1x1Out */
};

struct plan_cost {
    uint64_t cycles, bytes;
    unsigned tiles;
    poplin_detailed_plan_costs steps;
};

/* A planned convolution: its canonical parameters, with at least one field dimension, and the best plan. */
struct conv_planned {
    poplin_conv_params params;
    struct conv_plan plan;
    struct plan_cost cost;
};
/* Plans a convolution, or takes the plan from the cache, which may be NULL.  params must be valid.  The graph provides
 * the target and records errors. */
bool plan_get(const struct call *call, const poplin_conv_params *params, const struct conv_options *options,
              poplin_planning_cache *cache, struct conv_planned *planned);
/* Plans a convolution, or takes the plan from the cache, without a graph.  QUARTER operands: with
 * options->keeps_quarter as such; otherwise as such where the target can and a plan takes no more cycles than one for
 * operands that are first cast to HALF, or as HALF: the planned parameters have the type. */
pop_status plan_find(const struct call *call, const pop_target *target, const poplin_conv_params *params,
                     const struct conv_options *options, poplin_planning_cache *cache, struct conv_planned *planned,
                     pop_error *error);
/* Whether a target has vertices that take QUARTER operands as they are: it has 8-bit conv units. */
bool plan_can_keep_quarter(const pop_target *target);

#endif
