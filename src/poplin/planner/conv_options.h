/* SPDX-License-Identifier: Apache-2.0 */
/* Options of convolutions, parsed once to a value, which is part of the key of cached plans. */
#ifndef POPLIN_PLANNER_CONV_OPTIONS_H
#define POPLIN_PLANNER_CONV_OPTIONS_H

#include "poplibs/call.h"

#include <poplin/planning.h>

enum conv_pass {
    POPLIN_PASS_NONE,
    POPLIN_PASS_NONE_MATMUL,
    POPLIN_PASS_INFERENCE_FWD,
    POPLIN_PASS_TRAINING_FWD,
    POPLIN_PASS_TRAINING_BWD,
    POPLIN_PASS_TRAINING_WU,
    POPLIN_PASS_FC_INFERENCE_FWD,
    POPLIN_PASS_FC_TRAINING_FWD,
    POPLIN_PASS_FC_TRAINING_BWD,
    POPLIN_PASS_FC_TRAINING_WU
};
/* "NONE|NONE_MATMUL|..." in the order of enum conv_pass. */
#define POPLIN_PASS_NAMES                                                                                              \
    "NONE|NONE_MATMUL|INFERENCE_FWD|TRAINING_FWD|TRAINING_BWD|TRAINING_WU|FC_INFERENCE_FWD|FC_TRAINING_FWD|FC_"        \
    "TRAINING_BWD|FC_TRAINING_WU"

struct plan_split {
    unsigned serial, parallel;
};

#define POPLIN_FREE UINT32_MAX /* a value that planConstraints does not fix */
static inline bool conv_options_allow(unsigned constraint, unsigned value)
{
    return constraint == POPLIN_FREE || constraint == value;
}

/* The values that planConstraints fixes, or POPLIN_FREE. */
struct plan_constraints {
    unsigned swap_operands, combine_conv_groups_factor;
    unsigned expand_dims, out_chan_flatten_dims; /* bit d is set for field dimension d */
    unsigned method;                             /* index in plan_methods */
    unsigned conv_groups_per_group, in_chans_per_group, partial_chans_per_group, num_conv_units, slic_window_width;
    unsigned field_split[POPLIN_MAX_FIELD_DIMS],
        /* Of the dimensions that the planner sees: at least 2. */
        kernel_split[POPLIN_MAX_FIELD_DIMS];
    unsigned batch_split, conv_group_split;
    struct plan_split out_chan_split, in_chan_split;
};

/* Arrays in planConstraints are choices; this is the limit of their combinations. */
enum { POPLIN_MAX_ALTERNATIVES = 16 };

/* The objective of a plan.  A convolution that runs together with others has the tiles_per_ipu tiles from first_tile
 * on. */
enum plan_objective {
    POPLIN_ALONE,         /* the fewest cycles; the passes of a fully connected layer are planned jointly */
    POPLIN_FEWEST_CYCLES, /* the same, but each pass for itself */
    POPLIN_MIN_MEMORY,    /* the least memory of a tile */
    POPLIN_FEWEST_TILES,  /* the fewest tiles with which it takes at most max_cycles */
    /* The smallest excess of its steps' cycles over those of `like`; then the fewest tiles, or the least memory of a
     * tile. */
    POPLIN_LIKE_ON_FEWEST_TILES,
    POPLIN_LIKE_IN_MIN_MEMORY,
};
struct plan_share {
    enum plan_objective objective;
    unsigned first_tile;
    uint64_t max_cycles;
    poplin_detailed_plan_costs like;
};

struct conv_options {
    double available_memory_proportion;
    int pass;                                         /* enum conv_pass */
    pop_type partials_type, inter_tile_partials_type; /* half or float */
    bool use_128bit_conv_unit_load, enable_multi_stage_reduce, enable_single_input_reduce, enable_conv_dithering;
    bool enable_amp_half_engines_plan, remap_output_tensor, gather_conv_output, disable_transformations;
    unsigned num_ipus, tiles_per_ipu; /* at most those of the target */
    unsigned start_tile_multiplier;
    bool is_constrained;
    bool keeps_quarter; /* QUARTER operands are planned as such; otherwise they may be cast to HALF */
    struct plan_share share;
    /* A plan must satisfy one of these.  Unless is_constrained there is one, with all values POPLIN_FREE. */
    struct plan_constraints constraints[POPLIN_MAX_ALTERNATIVES];
    unsigned alternatives;
    char constraints_output[192]; /* file name; "" if none */
};

/* Parses options for convolutions on a target; false after an error of the call. */
bool conv_options_parse(const struct call *call, const pop_target *target, pop_options given,
                        struct conv_options *options);

static inline bool pass_is_fully_connected(int pass)
{
    return pass >= POPLIN_PASS_FC_INFERENCE_FWD;
}

/* The options of a convolution whose operands are QUARTER: partial sums are HALF; the log says so. */
void conv_options_for_quarter(struct conv_options *options);

#endif
