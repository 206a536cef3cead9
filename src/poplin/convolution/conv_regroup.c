/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/convolution.h"

#include <assert.h>
#include <popops/rearrange.h>
#include <poputil/var_structure.h>

/* The outer dimensions of {groups, channels, batch, ...} and {groups, out channels, in channels, kernel, g2, o2, c2},
 * of which the first index stands for all: padding follows the data. */
static unsigned sampled_dims(pop_tensor grouped, bool weights)
{
    enum { GROUPS_OF_CHANNELS = 2, INNER_WEIGHTS = 3 };
    return weights ? (unsigned)pop_tensor_rank(grouped) - INNER_WEIGHTS : GROUPS_OF_CHANNELS;
}

/* Finds the elements that are contiguous in the operand's first groups of channels; false if there is padding, or no
 * two of them are. */
static bool first_grouping(const struct conv_work *work, pop_tensor grouped, bool weights,
                           poputil_dim_grouping *grouping)
{
    const struct call *call = work->call;
    for (unsigned d = 0; d < sampled_dims(grouped, weights); ++d)
        grouped = pop_tensor_slice(grouped, 0, 1, d);
    return !pop_tensor_contains_constant(grouped) &&
           poputil_detect_dim_groupings(call->graph, grouped, grouping, 1) > 0;
}

/* Whether vertices can transpose groups of both sizes.  Plans with groups of one grain take the elements one by one:
 * published memory of such layers (vgg16 v2L0, v2L1, v3L1) has no code of a transposition's exchange. */
static bool are_worth_it(pop_type type, poputil_dim_grouping from, poputil_dim_grouping to)
{
    unsigned grain = popops_get_minimum_regroup_grain_size(type);
    return from.dim != to.dim && from.size % grain == 0 && to.size % grain == 0 && to.size > grain;
}

pop_tensor conv_regroup(const struct conv_work *work, pop_tensor grouped, pop_tensor like, bool weights, uint32_t pad)
{
    const struct call *call = work->call;
    assert(pop_tensor_rank(grouped) == pop_tensor_rank(like));
    poputil_dim_grouping from, to;
    if (pop_tensor_num_elements(like) == 0 || !first_grouping(work, grouped, weights, &from) ||
        !first_grouping(work, like, weights, &to) || !are_worth_it(pop_tensor_type(like), from, to))
        return grouped;
    pop_tensor source, destination;
    pop_compute_set set = conv_program_set(work->program, CONV_REGROUP, work->conv->name, "Transpose");
    pop_tensor turned =
        popops_regroup_tensor_apart(call->graph, grouped, set, from, to, work->conv->name, &source, &destination);
    if (call_ready(call))
        conv_copy_and_pad(work, source, destination, pad, CONV_REGROUP);
    return turned;
}
