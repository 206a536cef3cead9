/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_views.h"
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
    return !pop_tensor_contains_constant(grouped) && poputil_detect_first_dim_grouping(call->graph, grouped, grouping);
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

/* ---- weights of joint plans ---- */

/* Blocks of an operand and their places, a row each. */
struct turned {
    const struct call *call;
    pop_tensor from, to;
};
static void give_block(size_t index, pop_tensor *in, pop_tensor *out, void *user)
{
    const struct turned *turned = user;
    const struct call *call = turned->call;
    *in = pop_tensor_at(turned->from, index);
    *out = pop_tensor_at(turned->to, index);
}

/* Transposes each block where its place is. */
static void add_vertices(const struct conv_work *work, struct turned *turned, unsigned rows, unsigned columns)
{
    const struct call *call = work->call;
    pop_interval_lists mapping;
    pop_mark mark = pop_graph_mark(call->graph);
    if (!pop_graph_get_tile_mapping(call->graph, pop_tensor_slice(turned->to, 0, 1, 1), NULL, &mapping))
        return;
    popops_add_transpose_vertices(call->graph,
                                  conv_program_set(work->program, CONV_TURN, work->conv->name, "Transpose"),
                                  pop_tensor_type(turned->to), rows, columns, &mapping, give_block, turned);
    pop_interval_lists_free(&mapping);
    pop_graph_release(call->graph, mark);
}

/* {..., field, g2, c2}: pieces of the field are contiguous in `grouped`, groups of channels in `made`. */
bool conv_turn_blocks(const struct conv_work *work, pop_tensor grouped, pop_tensor made)
{
    const struct call *call = work->call;
    unsigned rank = (unsigned)pop_tensor_rank(grouped), field = rank - 3, order[CONV_MAX_DIMS + 1],
             grain = popops_get_minimum_regroup_grain_size(pop_tensor_type(grouped)),
             channels = (unsigned)pop_tensor_dim(grouped, rank - 1);
    poputil_dim_grouping from;
    if (pop_tensor_num_elements(grouped) == 0 || pop_tensor_contains_constant(grouped) ||
        pop_tensor_dim(grouped, rank - 2) != 1 || !poputil_detect_first_dim_grouping(call->graph, grouped, &from) ||
        from.dim != field || from.size % grain || channels % grain)
        return false;
    size_t pieces = pop_tensor_dim(grouped, field) / from.size, block = (size_t)from.size * channels,
           count = pop_tensor_num_elements(grouped) / block;
    for (unsigned d = 0; d <= rank; ++d)
        order[d] = d <= field ? d : d < rank ? d + 1 : field + 1;
    pop_tensor split = pop_tensor_reshape_partial(grouped, field, field + 1, POP_SHAPE(pieces, from.size));
    struct turned turned = {
        call, pop_tensor_reshape(pop_tensor_dim_shuffle(split, (pop_dims){ rank + 1, order }), POP_SHAPE(count, block)),
        pop_tensor_reshape(made, POP_SHAPE(count, block))
    };
    if (!pop_tensor_is_contiguous(pop_tensor_at(turned.from, 0)))
        return false;
    add_vertices(work, &turned, channels, from.size);
    return true;
}
