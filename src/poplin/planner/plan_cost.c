/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of the steps of a convolution: sending operands to tiles, computation, sums of partials, and the overhead of
 * serial splits and transforms.
 *
 * The cost of an exchange is the number of bytes that the fullest tile receives.  Local copies move 8 bytes per cycle,
 * or the length of a contiguous piece if that is less; a quarter is added for effects that are not modelled, as in
 * release 1.2. */
#include "poplin/planner/plan_cost.h"
#include "poplin/planner/method.h"
#include "poplin/planner/planner.h"

#include <math.h>

/* ---- sizes ---- */

/* The operands of all tiles together, transformed and padded. */
static struct plan_elements all_elements(const struct plan_candidate *c, const struct plan_partition *p)
{
    struct plan_partition one = *p;
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        one.field_split[d] = one.kernel_split[d] = 1;
    one.batch_split = one.conv_group_split = one.in_chan_split.parallel = one.out_chan_split.parallel = 1;
    struct plan_tile whole = plan_tile_of(c, &one);
    return plan_elements_of(c, &whole);
}

static uint64_t partial_bytes(const struct plan_candidate *c)
{
    return pop_target_type_size(c->target, c->plan.tile_partial_type);
}
static uint64_t sum_bytes(const struct plan_candidate *c)
{
    return pop_target_type_size(c->target, c->plan.sum_type);
}
static uint64_t tile_bytes(const struct plan_candidate *c, const struct plan_tile *t)
{
    struct plan_elements e = plan_elements_of(c, t);
    const struct conv_method *method = c->plan.method;
    uint64_t buffer = method->buffer_elements ? method->buffer_elements(c, t, e.outputs) : 0;
    return (e.inputs + e.weights) * c->input_bytes + (e.outputs + buffer) * partial_bytes(c);
}

static uint64_t exchange(const struct plan_candidate *c, uint64_t bytes, unsigned factor)
{
    return poplibs_ceil_div(bytes, c->target->exchange_bytes_per_cycle * factor);
}
/* The number of neighbouring tiles that receive the same inputs together, over a shared bus. */
static unsigned shared_bus(const struct plan_candidate *c, uint64_t out_split)
{
    unsigned together =
        pop_target_supports_exchange_bus_sharing(c->target) && c->plan.tile_order == POPLIN_ORDER_STANDARD
            ? pop_target_tiles_per_shared_exchange_bus(c->target)
            : 1;
    return together && out_split % together == 0 ? together : 1;
}
/* Received elements, if each of the receivers holds an equal part of them already. */
static uint64_t received(uint64_t elements, uint64_t receivers)
{
    return elements - elements / receivers;
}

/* ---- reductions ---- */

static double stages_of(unsigned depth, unsigned count, unsigned *stages, size_t *filled)
{
    if (count == 1) {
        *filled = 0;
        return depth;
    }
    unsigned down = (unsigned)(pow(depth, (count - 1.0) / count) + 1e-9), below[2][3];
    size_t length[2];
    double down_cost = stages_of(down, count - 1, below[0], &length[0]) + (double)depth / down;
    double up_cost = stages_of(down + 1, count - 1, below[1], &length[1]) + (double)depth / (down + 1);
    bool up = !(down_cost < up_cost);
    stages[0] = down + up;
    memcpy(stages + 1, below[up], length[up] * sizeof(*stages));
    *filled = length[up] + 1;
    return up ? up_cost : down_cost;
}
size_t plan_reduction_stages(unsigned depth, bool multi_stage, unsigned stages[3])
{
    size_t filled;
    (void)stages_of(depth, !multi_stage || depth < 16 ? 1 : depth < 125 ? 2 : 3, stages, &filled);
    return filled;
}

/* Whether all workers add up as many whole vectors.  In several stages plans count on single inputs only then: the
 * published addresses of buffers (fc_layer_8_1000_5_float, _16_1000_5_float and _16x1324x100 on ipu2) are those of such
 * plans, to the byte. */
static bool are_shared_evenly(uint64_t outputs, unsigned workers, bool floats)
{
    uint64_t vector = floats ? 4 : 8;
    return outputs % (vector * workers) == 0;
}

struct partials_reduction {
    uint64_t cycles, later_exchange, bytes;
};
/* Sums of a tile's `outputs` outputs over `depth` tiles that hold partials. */
static struct partials_reduction reduce(const struct plan_candidate *c, uint64_t outputs, unsigned depth)
{
    unsigned workers = c->target->num_worker_contexts, stages[3];
    bool float_partials = c->plan.sum_type == POP_FLOAT, float_out = c->plan.result_type == POP_FLOAT;
    struct partials_reduction r = { 0, 0, 0 };
    if (depth <= 1 || !outputs)
        return r;
    if (c->plan.sum_type != c->plan.tile_partial_type)
        r.cycles = cycles_cast(workers, outputs, true, false);
    size_t count = plan_reduction_stages(depth, c->options->enable_multi_stage_reduce, stages);
    for (size_t i = 0; i <= count; ++i) {
        unsigned here = i < count ? (unsigned)poplibs_ceil_div(depth, stages[i]) : depth;
        uint64_t before = outputs;
        outputs = poplibs_ceil_div(outputs, here);
        bool single = c->options->enable_single_input_reduce &&
                      reduces_single_input(c->target, outputs, here, float_partials) &&
                      (!count || are_shared_evenly(outputs, workers, float_partials));
        struct reduction_work stage = { .num_workers = workers,
                                        .num_partials = here - single,
                                        .float_out = i < count ? float_partials : float_out,
                                        .float_partials = float_partials,
                                        .single_input = single,
                                        .release = c->target->poplibs_release };
        r.cycles += cycles_reduce_add(&stage, outputs);
        r.later_exchange += i ? exchange(c, before * sum_bytes(c), 1) : 0;
        uint64_t bytes = (before + outputs * here) * sum_bytes(c);
        r.bytes = bytes > r.bytes ? bytes : r.bytes;
        depth = i < count ? stages[i] : depth;
    }
    return r;
}

/* ---- transforms ---- */

/* Elements that all tiles share evenly are exchanged, then copied locally in contiguous pieces, of which rate / 5 take
 * a cycle. */
static poplin_plan_costs moved(const struct plan_candidate *c, uint64_t elements, unsigned bytes_each, uint64_t tiles,
                               bool exchanges, uint64_t contiguous, unsigned rate)
{
    uint64_t bytes = poplibs_ceil_div(elements, tiles) * bytes_each, step = c->target->memcpy_bytes_per_cycle;
    step = contiguous < step ? contiguous : step;
    uint64_t cycles = poplibs_ceil_div(bytes * 5, step * rate) + (exchanges ? exchange(c, bytes, 1) : 0);
    return (poplin_plan_costs){ elements ? cycles : 0, 2 * bytes };
}
enum { WHOLE_VECTORS = 4, PARTS_OF_VECTORS = 3 }; /* rates of copies */
static unsigned rate_of(const struct plan_candidate *c, uint64_t channels)
{
    unsigned width = pop_target_vector_width(c->target, c->params.input_type);
    return channels % width ? PARTS_OF_VECTORS : WHOLE_VECTORS;
}

/* Release 1.2 counts the operands together; later one after the other, and slower where channels fill no vectors. */
static poplin_plan_costs transforms_2021(const struct plan_candidate *c, const struct plan_elements *all,
                                         uint64_t tiles)
{
    uint64_t ins = c->params.input_channels_per_conv_group, outs = c->params.output_channels_per_conv_group,
             grouped = (uint64_t)c->plan.partial_chans_per_group * c->output_bytes;
    poplin_plan_costs sum = { 0, 0 };
    const struct {
        bool is_done, exchanges;
        uint64_t elements, contiguous, channels;
        unsigned bytes;
    } steps[] = {
        { c->rearrange_input, true, all->inputs, c->output_bytes, ins * outs, c->input_bytes },
        { c->rearrange_weights, true, all->weights, c->output_bytes, ins * outs, c->input_bytes },
        { !c->rearrange_weights && c->regroup_weights, false, all->weights, grouped, outs, c->input_bytes },
        { c->rearrange_output, true, all->outputs, c->output_bytes, outs, c->output_bytes },
        { !c->rearrange_output && c->regroup_output, false, all->outputs, grouped, outs, c->output_bytes },
    };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); ++i) {
        if (!steps[i].is_done)
            continue;
        poplin_plan_costs cost = moved(c, steps[i].elements, steps[i].bytes, tiles, steps[i].exchanges,
                                       steps[i].contiguous, rate_of(c, steps[i].channels));
        sum.cycles += cost.cycles;
        sum.memory = cost.memory > sum.memory ? cost.memory : sum.memory;
    }
    return sum;
}
static poplin_plan_costs transforms(const struct plan_candidate *c, const struct plan_partition *p, uint64_t tiles)
{
    if (!c->rearrange_input && !c->rearrange_weights && !c->rearrange_output && !c->regroup_output &&
        !c->regroup_weights)
        return (poplin_plan_costs){ 0, 0 };
    struct plan_elements all = all_elements(c, p);
    if (c->target->poplibs_release == POP_POPLIBS_2021)
        return transforms_2021(c, &all, tiles);
    uint64_t before = (c->rearrange_input ? all.inputs : 0) + (c->rearrange_weights ? all.weights : 0);
    uint64_t grouped = (uint64_t)c->plan.partial_chans_per_group * c->output_bytes;
    poplin_plan_costs operands = moved(c, before, c->input_bytes, tiles, true, c->input_bytes, WHOLE_VECTORS),
                      output = { 0, 0 };
    if (c->rearrange_output)
        output = moved(c, all.outputs, c->output_bytes, tiles, true, c->output_bytes, WHOLE_VECTORS);
    else if (c->regroup_output)
        output = moved(c, all.outputs, c->output_bytes, tiles, false, grouped, WHOLE_VECTORS), output.memory = 0;
    return (poplin_plan_costs){ operands.cycles + output.cycles,
                                operands.memory > output.memory ? operands.memory : output.memory };
}

static poplin_plan_costs tile_transforms(const struct plan_candidate *c, const struct plan_tile *t,
                                         const struct plan_elements *e)
{
    const struct conv_method *method = c->plan.method;
    return method->tile_transforms ? method->tile_transforms(c, t, e) : (poplin_plan_costs){ 0, 0 };
}

/* ---- serial splits ---- */

/* Cycles of a dynamic slice of so many elements on a tile. */
static uint64_t sliced(const struct plan_candidate *c, uint64_t elements, unsigned bytes_each)
{
    unsigned workers = c->target->num_worker_contexts;
    uint64_t bytes = elements * bytes_each;
    if (c->target->poplibs_release == POP_POPLIBS_2021)
        return elements ? 25 + workers * (68 + poplibs_ceil_div(elements, workers) * bytes_each * 8 /
                                                   c->target->data_path_width)
                        : 0;
    return bytes ? workers * (30 + 2 * poplibs_ceil_div(poplibs_ceil_div(bytes, 4), workers)) : 0;
}

static void serial_steps(const struct plan_candidate *c, const struct plan_partition *p, uint64_t tiles,
                         uint64_t tile_outputs, poplin_detailed_plan_costs *s)
{
    unsigned workers = c->target->num_worker_contexts,
             vector = pop_target_vector_width(c->target, c->plan.tile_partial_type);
    struct plan_elements all = all_elements(c, p);
    if (s->serial_split <= 1)
        return;
    s->dynamic_slice.cycles = sliced(c, poplibs_ceil_div(all.weights, tiles), c->input_bytes);
    if (p->out_chan_split.serial > 1) {
        s->dynamic_update.cycles = sliced(c, tile_outputs, c->output_bytes);
    } else {
        s->dynamic_slice.cycles += sliced(c, poplibs_ceil_div(all.inputs, tiles), c->input_bytes);
        uint64_t vectors = poplibs_ceil_div(tile_outputs, vector);
        uint64_t share = poplibs_ceil_div(poplibs_ceil_div(tile_outputs, workers), vector),
                 added = c->target->poplibs_release == POP_POPLIBS_2021
                             ? 11 + workers * (58 + 3 * share)
                             : workers * (20 + 3 * poplibs_ceil_div(vectors, workers));
        s->add_in_place = (poplin_plan_costs){ added, tile_outputs * partial_bytes(c) };
        s->broadcast.cycles = vectors; /* zeros, before the loop */
    }
    if (pass_is_fully_connected(c->options->pass) && !c->plan.is_joint) {
        uint64_t weights = poplibs_ceil_div(all.weights * s->serial_split, tiles);
        s->rearrangement = (poplin_plan_costs){ weights, weights * c->input_bytes };
    }
}

/* ---- total ---- */

static uint64_t splits_or_one(uint64_t splits)
{
    return splits ? splits : 1;
}

struct plan_cost plan_cost(struct plan_candidate *c, const struct plan_partition *p)
{
    struct plan_cost cost = { 0 };
    poplin_detailed_plan_costs *s = &cost.steps;
    struct plan_tile t = plan_tile_of(c, p);
    struct plan_elements e = plan_elements_of(c, &t);
    uint64_t fields = p->batch_split, depth = p->in_chan_split.parallel, out_split = p->out_chan_split.parallel;
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        fields *= p->field_split[d], depth *= p->kernel_split[d];
    uint64_t tiles = splits_or_one(fields * depth * out_split * p->conv_group_split);
    unsigned workers = c->target->num_worker_contexts;
    bool float_partials = c->plan.tile_partial_type == POP_FLOAT, float_out = c->plan.result_type == POP_FLOAT;

    cost.tiles = (unsigned)tiles;
    s->parallel_split = tiles;
    s->serial_split = (uint64_t)p->in_chan_split.serial * p->out_chan_split.serial;
    s->exchange.cycles = exchange(c, received(e.inputs, out_split) * c->input_bytes, shared_bus(c, out_split)) +
                         exchange(c, received(e.weights, fields) * c->input_bytes, 1) +
                         exchange(c, e.outputs * sum_bytes(c), 1);
    s->compute = (poplin_plan_costs){ plan_vertex_cycles(c, &t), tile_bytes(c, &t) };
    struct partials_reduction r = reduce(c, e.outputs, (unsigned)depth);
    s->exchange.cycles += r.later_exchange;
    s->reduction = (poplin_plan_costs){ r.cycles, r.bytes };
    s->transform = transforms(c, p, tiles);
    s->tile_level_transform = tile_transforms(c, &t, &e);
    uint64_t tile_outputs = poplibs_ceil_div(e.outputs, depth);
    if (float_partials != float_out && (depth == 1 || p->in_chan_split.serial > 1))
        s->output_cast.cycles = cycles_cast(workers, tile_outputs, float_partials, float_out);
    serial_steps(c, p, tiles, tile_outputs, s);

    uint64_t each = s->dynamic_slice.cycles + s->transform.cycles + s->exchange.cycles +
                    s->tile_level_transform.cycles + s->compute.cycles + s->reduction.cycles +
                    s->dynamic_update.cycles + s->add_in_place.cycles;
    cost.cycles = s->serial_split * each + s->broadcast.cycles + s->rearrangement.cycles + s->output_cast.cycles;
    uint64_t max = s->tile_level_transform.memory + s->compute.memory;
    max = s->transform.memory > max ? s->transform.memory : max;
    max = s->reduction.memory > max ? s->reduction.memory : max;
    max = s->rearrangement.memory > max ? s->rearrangement.memory : max;
    cost.bytes = max + s->add_in_place.memory;
    s->total = (poplin_plan_costs){ cost.cycles, cost.bytes };
    return cost;
}

/* The minimum of a x + b y for x y >= product. */
static uint64_t min_sum(double a, double b, double product)
{
    return (uint64_t)(2 * sqrt(a * b * product));
}

struct plan_min_cost plan_min_cost(const struct plan_candidate *c, const struct plan_bound *min)
{
    struct plan_tile one = min->tile;
    one.in_chans = c->plan.in_chans_per_group;
    one.out_chans = c->plan.partial_chans_per_group;
    uint64_t compute = min->channels * plan_pair_cycles(c, &one), passes = plan_pass_cycles(c, min->passes, min->work);
    struct plan_elements e = plan_elements_of(c, &one);
    double rate = c->target->exchange_bytes_per_cycle, partial = (double)e.outputs * (double)sum_bytes(c);
    double input = (double)e.inputs * c->input_bytes, channels = (double)min->channels;
    uint64_t weights = min->channels * e.weights;
    double whole_outputs = partial / rate * (double)(min->tile.out_chans / c->plan.partial_chans_per_group);
    /* If output channels are split, at least half of the inputs are received, at the rate of a shared bus at best. */
    uint64_t split = min_sum(input / 2 / (rate * shared_bus(c, 0)), partial / rate, channels),
             whole = (uint64_t)whole_outputs;
    struct plan_min_cost cost;
    cost.cycles = min->serial * (exchange(c, received(weights, min->weight_copies) * c->input_bytes, 1) +
                                 (split < whole ? split : whole) + (compute > passes ? compute : passes));
    cost.bytes = weights * c->input_bytes + min_sum(input, partial, channels);
    return cost;
}
