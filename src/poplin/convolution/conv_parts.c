/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a convolution over tiles, by the plan's partition. */
#include "poplin/convolution/conv_parts.h"
#include "poplin/convolution/conv_views.h"

#include <assert.h>
#include <poplin/conv_util.h>
#include <poputil/tile_mapping.h>

/* Share i of a range that is divided in whole grains; the shares' numbers of grains differ by at most one. */
static struct conv_range share(struct conv_range whole, size_t grain, size_t split, size_t i)
{
    assert(i < split && whole.begin <= whole.end);
    size_t size = whole.end - whole.begin, grains = poplibs_ceil_div(size, poplibs_max(grain, 1));
    size_t begin = i * grains / split * poplibs_max(grain, 1), end = (i + 1) * grains / split * poplibs_max(grain, 1);
    return (struct conv_range){ whole.begin + poplibs_min(begin, size), whole.begin + poplibs_min(end, size) };
}

/* The index of a part in the order of tiles.  Neighbours differ in output channels, so that they need the same input.
 * In the backward and update passes of fully connected layers the order is such that a part is where the forward pass
 * has its weights (Poplibs 1.2, ConvPlan.cpp). */
static size_t place_of(const struct conv_resolved *conv, const unsigned *index, const unsigned *splits, unsigned count)
{
    enum { IN_CHANS_FROM_END = 1 };
    unsigned order[POPLIN_MAX_FIELD_DIMS * 2 + 4], place = 0, dims = conv->plan.num_field_dims;
    for (unsigned i = 0; i < count; ++i)
        order[i] = i;
    /* index: group, kernel..., input channels, batch, field..., output channels */
    unsigned in_chans = 1 + dims, last_field = count - 1 - IN_CHANS_FROM_END, out_chans = count - 1;
    unsigned other = conv->plan.tile_order == POPLIN_ORDER_FC_WU            ? out_chans
                     : conv->plan.tile_order == POPLIN_ORDER_FC_BWD_AS_CONV ? last_field
                                                                            : in_chans;
    order[in_chans] = other;
    order[other] = in_chans;
    assert(count == 2 * dims + 4);
    for (unsigned i = 0; i < count; ++i) {
        assert(index[order[i]] < splits[order[i]]);
        place = place * splits[order[i]] + index[order[i]];
    }
    return place;
}

static unsigned tile_of(const struct conv_resolved *conv, size_t place)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(conv->call->graph)), at = (unsigned)(place % tiles),
             start = conv->plan.start_tile % tiles;
    return conv->plan.reversed ? (start + tiles - at) % tiles : (start + at) % tiles;
}

static bool same_range(struct conv_range a, struct conv_range b)
{
    return a.begin == b.begin && a.end == b.end;
}

/* last: the part before, which mostly differs in channels alone; NULL: none. */
static void find_input(const struct conv_resolved *conv, struct conv_part *part, const struct conv_part *last)
{
    for (unsigned d = 0; d < conv->plan.num_field_dims; ++d) {
        if (last && same_range(last->field[d], part->field[d]) && same_range(last->kernel[d], part->kernel[d])) {
            part->input[d] = last->input[d];
            part->empty |= part->input[d].begin == part->input[d].end;
            continue;
        }
        pop_interval field = { part->field[d].begin, part->field[d].end },
                     kernel = { part->kernel[d].begin, part->kernel[d].end };
        pop_interval range = poplin_get_input_range(d, field, kernel, &conv->params);
        assert(range.begin <= range.end && range.end <= conv->params.input_field_shape[d]);
        part->input[d] = (struct conv_range){ range.begin, range.end };
        part->empty |= range.begin == range.end;
    }
    part->empty |= part->g.begin == part->g.end || part->c.begin == part->c.end || part->n.begin == part->n.end ||
                   part->o.begin == part->o.end;
}

struct conv_parts conv_parts_make(const struct conv_resolved *conv, unsigned out_chan_step, unsigned in_chan_step)
{
    const struct plan_partition *partition = &conv->plan.partition;
    unsigned dims = conv->plan.num_field_dims, splits[POPLIN_MAX_FIELD_DIMS * 2 + 4],
             index[POPLIN_MAX_FIELD_DIMS * 2 + 4] = { 0 }, count = 0;
    splits[count++] = partition->conv_group_split;
    for (unsigned d = 0; d < dims; ++d)
        splits[count++] = partition->kernel_split[d];
    splits[count++] = partition->in_chan_split.parallel;
    splits[count++] = partition->batch_split;
    for (unsigned d = 0; d < dims; ++d)
        splits[count++] = partition->field_split[d];
    splits[count++] = partition->out_chan_split.parallel;

    assert(out_chan_step < partition->out_chan_split.serial && in_chan_step < partition->in_chan_split.serial);
    size_t total = 1, out_grain = poplibs_ceil_div(partition->out_chan_grain, conv->o2),
           in_grain = poplibs_ceil_div(partition->in_chan_grain, conv->c2);
    for (unsigned i = 0; i < count; ++i)
        total *= splits[i];
    struct conv_range out_chans =
        share((struct conv_range){ 0, conv->o1 }, out_grain, partition->out_chan_split.serial, out_chan_step);
    struct conv_range in_chans =
        share((struct conv_range){ 0, conv->c1 }, in_grain, partition->in_chan_split.serial, in_chan_step);

    struct conv_parts made = { .depth = partition->in_chan_split.parallel,
                               .splits = { splits[0], partition->batch_split } };
    for (unsigned d = 0; d < dims; ++d) {
        made.depth *= partition->kernel_split[d];
        made.splits[2 + d] = partition->field_split[d];
    }
    made.splits[2 + dims] = partition->out_chan_split.parallel;
    made.outputs = total / made.depth;
    made.parts = poplibs_zeros(total, sizeof(*made.parts));
    const struct conv_part *last = NULL;
    for (size_t i = 0; i < total; ++i) {
        size_t rest = i, output, summand = 0;
        for (unsigned k = count; k-- > 0; rest /= splits[k])
            index[k] = (unsigned)(rest % splits[k]);
        output = index[0];
        for (unsigned k = dims + 2; k < count; ++k)
            output = output * splits[k] + index[k];
        for (unsigned k = 1; k < dims + 2; ++k)
            summand = summand * splits[k] + index[k];
        assert(output < made.outputs && summand < made.depth);
        struct conv_part *part = &made.parts[output * made.depth + summand];
        part->tile = tile_of(conv, place_of(conv, index, splits, count));
        part->g = share((struct conv_range){ 0, conv->g1 }, poplibs_ceil_div(partition->conv_group_grain, conv->g2),
                        splits[0], index[0]);
        part->c = share(in_chans, in_grain, splits[dims + 1], index[dims + 1]);
        part->n = share((struct conv_range){ 0, conv->params.batch_size }, 1, splits[dims + 2], index[dims + 2]);
        part->o = share(out_chans, out_grain, splits[count - 1], index[count - 1]);
        for (unsigned d = 0; d < dims; ++d) {
            part->kernel[d] =
                share((struct conv_range){ 0, conv->params.kernel_shape[d] }, 1, splits[1 + d], index[1 + d]);
            part->field[d] = share((struct conv_range){ 0, conv->output_shape[d] }, partition->field_grain[d],
                                   splits[dims + 3 + d], index[dims + 3 + d]);
        }
        find_input(conv, part, last);
        last = part;
    }
    return made;
}

/* ---- operands of a part ---- */

/* Flat; most parts have whole kernels, and many the whole field. */
static pop_tensor box_of(const struct conv_resolved *conv, pop_tensor t, pop_shape begins, pop_shape ends)
{
    const struct call *call = conv->call;
    bool whole = true;
    for (size_t d = 0; d < begins.rank; ++d)
        whole &= !begins.dims[d] && ends.dims[d] == pop_tensor_dim(t, d);
    return pop_tensor_flatten(whole ? t : pop_tensor_slice_nd(t, begins, ends));
}

pop_tensor conv_part_input(const struct conv_resolved *conv, pop_tensor input, const struct conv_part *part, size_t g,
                           size_t c)
{
    const struct call *call = conv->call;
    assert(g < conv->g1 && c < conv->c1 && !part->empty);
    size_t begins[CONV_MAX_DIMS] = { part->n.begin }, ends[CONV_MAX_DIMS] = { part->n.end };
    unsigned dims = conv->plan.num_field_dims;
    for (unsigned d = 0; d < dims; ++d) {
        begins[1 + d] = part->input[d].begin;
        ends[1 + d] = part->input[d].end;
    }
    pop_tensor group = pop_tensor_index(input, POP_SHAPE(g, c));
    return box_of(conv, group, conv_shape(begins, dims + 1), conv_shape(ends, dims + 1));
}

pop_tensor conv_part_weights(const struct conv_resolved *conv, pop_tensor weights, const struct conv_part *part,
                             size_t g, size_t o, size_t c)
{
    const struct call *call = conv->call;
    assert(g < conv->g1 && o < conv->o1 && c < conv->c1);
    size_t begins[CONV_MAX_DIMS], ends[CONV_MAX_DIMS];
    unsigned dims = conv->plan.num_field_dims;
    for (unsigned d = 0; d < dims; ++d) {
        begins[d] = part->kernel[d].begin;
        ends[d] = part->kernel[d].end;
    }
    pop_tensor group = pop_tensor_index(weights, POP_SHAPE(g, o, c));
    return box_of(conv, group, conv_shape(begins, dims), conv_shape(ends, dims));
}

/* ---- mapping of operands ---- */

struct operand {
    const struct conv_resolved *conv;
    pop_tensor grouped;
    bool weights;
    poputil_use_tracker *tracker;
};

static void track(const struct operand *operand, const struct conv_part *part)
{
    const struct conv_resolved *conv = operand->conv;
    const struct call *call = conv->call;
    for (size_t g = part->g.begin; g < part->g.end; ++g)
        for (size_t c = part->c.begin; c < part->c.end; ++c)
            if (!operand->weights)
                poputil_use_tracker_add(operand->tracker, call->graph, part->tile,
                                        conv_part_input(conv, operand->grouped, part, g, c));
            else
                for (size_t o = part->o.begin; o < part->o.end; ++o)
                    poputil_use_tracker_add(operand->tracker, call->graph, part->tile,
                                            conv_part_weights(conv, operand->grouped, part, g, o, c));
}

static void map_by_use(const struct conv_resolved *conv, pop_tensor grouped, bool weights)
{
    const struct call *call = conv->call;
    const struct plan_partition *partition = &conv->plan.partition;
    unsigned tiles = pop_target_num_tiles(pop_graph_target(call->graph)),
             grain = conv->g2 * conv->c2 * (weights ? conv->o2 : 1);
    struct operand operand = { conv, grouped, weights,
                               poputil_use_tracker_create(tiles, conv->plan.start_tile, !conv->plan.reversed) };
    for (unsigned o = 0; o < partition->out_chan_split.serial; ++o)
        for (unsigned c = 0; c < partition->in_chan_split.serial; ++c) {
            struct conv_parts parts = conv_parts_make(conv, o, c);
            for (size_t i = 0; i < parts.outputs * parts.depth && call_ready(call); ++i)
                if (!parts.parts[i].empty)
                    track(&operand, &parts.parts[i]);
            free(parts.parts);
        }
    if (poputil_use_tracker_empty(operand.tracker))
        poputil_map_tensor_linearly(call->graph, grouped);
    else
        poputil_use_tracker_map_tensors_by_use(operand.tracker, call->graph, grain, grain, true, POPUTIL_MAPPING_NONE);
    poputil_use_tracker_destroy(operand.tracker);
}
void conv_map_input(const struct conv_resolved *conv, pop_tensor grouped)
{
    map_by_use(conv, grouped, false);
}
void conv_map_weights(const struct conv_resolved *conv, pop_tensor grouped)
{
    map_by_use(conv, grouped, true);
}
