/* SPDX-License-Identifier: Apache-2.0 */
/* Options of convolutions, parsed once, as a value: plans are cached by it. */
#ifndef POPLIN_PLANNER_CONV_OPTIONS_H
#define POPLIN_PLANNER_CONV_OPTIONS_H

#include "poplibs/support.h"

#include <poplin/planning.h>

enum poplin_pass {
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
/* "NONE|NONE_MATMUL|..." in the enumeration's order. */
#define POPLIN_PASS_NAMES                                                                                              \
    "NONE|NONE_MATMUL|INFERENCE_FWD|TRAINING_FWD|TRAINING_BWD|TRAINING_WU|FC_INFERENCE_FWD|FC_TRAINING_FWD|FC_"        \
    "TRAINING_BWD|FC_TRAINING_WU"

struct poplin_split {
    unsigned serial, parallel;
};

/* What planConstraints fixes; POPLIN_FREE where it says nothing. */
#define POPLIN_FREE UINT32_MAX
struct poplin_plan_constraints {
    unsigned swap_operands, combine_conv_groups_factor;
    unsigned expand_dims, out_chan_flatten_dims; /* sets: bit d is field dimension d */
    unsigned method;                             /* place in poplin_methods */
    unsigned conv_groups_per_group, in_chans_per_group, partial_chans_per_group, num_conv_units, slic_window_width;
    unsigned field_split[POPLIN_MAX_FIELD_DIMS],
        kernel_split[POPLIN_MAX_FIELD_DIMS]; /* of the dimensions that the planner sees: at least 2 */
    unsigned batch_split, conv_group_split;
    struct poplin_split out_chan_split, in_chan_split;
};

/* Arrays in planConstraints are choices: so many combinations of them. */
enum { POPLIN_MAX_ALTERNATIVES = 16 };

/* What a convolution is planned for.  Beside others it has the tiles_per_ipu tiles from first_tile on. */
enum poplin_objective {
    POPLIN_ALONE,                /* the fewest cycles; passes of a fully connected layer together */
    POPLIN_FEWEST_CYCLES,        /* the same, for itself */
    POPLIN_MIN_MEMORY,           /* of a tile */
    POPLIN_FEWEST_TILES,         /* in max_cycles */
    POPLIN_LIKE_ON_FEWEST_TILES, /* no step longer than those of like, or as little as can be; then the fewest tiles */
    POPLIN_LIKE_IN_MIN_MEMORY,
};
struct poplin_plan_share {
    enum poplin_objective objective;
    unsigned first_tile;
    uint64_t max_cycles;
    poplin_detailed_plan_costs like;
};

struct poplin_conv_options {
    double available_memory_proportion;
    int pass;                                                                  /* enum poplin_pass */
    pop_type partials_type, inter_tile_partials_type, inter_ipu_partials_type; /* half or float */
    bool use_128bit_conv_unit_load, enable_multi_stage_reduce, enable_fast_reduce, enable_single_input_reduce,
        enable_conv_dithering;
    bool enable_amp_half_engines_plan, remap_output_tensor, gather_conv_output, disable_transformations,
        insert_transforms_cycle_count_progs;
    bool conv_transforms_estimates, disable_sr_for_amp_vertices;
    unsigned num_ipus, tiles_per_ipu; /* those of the target at most */
    unsigned start_tile_multiplier;
    bool is_constrained;
    struct poplin_plan_share share;
    /* A plan has to hold to one of them.  One, all POPLIN_FREE, unless is_constrained. */
    struct poplin_plan_constraints constraints[POPLIN_MAX_ALTERNATIVES];
    unsigned alternatives;
    char constraints_output[192]; /* file name; "" is none */
};

/* Those that nothing was said about, for a target.  The padding is zero: equal options are equal bytes. */
struct poplin_conv_options poplin_conv_options_default(const pop_target *target);
/* Parses a call's options; false after an error of the graph. */
bool poplin_conv_options_parse(pop_where where, pop_graph *graph, const char *api, pop_options given,
                               struct poplin_conv_options *options);
/* The same without a graph. */
pop_status poplin_conv_options_read(pop_where where, const pop_target *target, const char *api, pop_options given,
                                    struct poplin_conv_options *options, pop_error *error);

static inline bool poplin_pass_is_fully_connected(int pass)
{
    return pass >= POPLIN_PASS_FC_INFERENCE_FWD;
}

#endif
