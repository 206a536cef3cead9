/* SPDX-License-Identifier: Apache-2.0 */
/* The inner search: splits are popsolver's variables, sizes of a tile follow from them.
 *
 * Two calls give the cycles: what splits cost exactly, once they are all decided, and what a tile of such sizes costs at least, which cuts the search
 * short long before. */
#include "poplin/plan_search.h"

#include <popsolver/popsolver.h>

struct poplin_partition plan_joint_partition(const struct poplin_partition *forward, size_t pass, size_t last)
{
    struct poplin_partition p = *forward;
    if (pass == 1) { /* field and input channels change places */
        p.field_split[last] = forward->in_chan_split.parallel;
        p.in_chan_split = (struct poplin_split){ 1, forward->field_split[last] };
        p.field_grain[last] = forward->in_chan_grain;
        p.in_chan_grain = forward->field_grain[last];
    } else if (pass == 2) { /* input and output channels do */
        p.in_chan_split = (struct poplin_split){ forward->out_chan_split.serial, forward->out_chan_split.parallel };
        p.out_chan_split = (struct poplin_split){ 1, forward->in_chan_split.parallel };
        p.in_chan_grain = forward->out_chan_grain;
        p.out_chan_grain = forward->in_chan_grain;
    }
    return p;
}

struct poplin_plan_cost plan_cost_of_passes(const struct plan_passes *passes, const struct poplin_partition *partition)
{
    struct poplin_plan_cost sum = plan_cost(passes->candidates[0], partition);
    for (size_t i = 1; i < passes->count; ++i) {
        struct poplin_partition p = plan_joint_partition(partition, i, passes->candidates[0]->params.num_field_dims - 1);
        struct poplin_plan_cost cost = plan_cost(passes->candidates[i], &p);
        sum.cycles += cost.cycles;
        sum.bytes = cost.bytes > sum.bytes ? cost.bytes : sum.bytes;
    }
    return sum;
}

/* ---- what the solver calls ---- */

enum { DIMS = POPLIN_MOST_FIELD_DIMS, MOST_OPERANDS = 2 * DIMS + 8 };

struct search {
    const struct plan_passes *passes;
    const struct poplin_partition *grains;
    size_t dims;
};

/* Operands: field splits, kernel splits, batch, groups, output channels (serial, parallel), input channels (serial, parallel). */
static void read_splits(const uint64_t *v, size_t dims, struct poplin_partition *p)
{
    for (size_t d = 0; d < dims; ++d)
        p->field_split[d] = (unsigned)v[d], p->kernel_split[d] = (unsigned)v[dims + d];
    v += 2 * dims;
    p->batch_split = (unsigned)v[0];
    p->conv_group_split = (unsigned)v[1];
    p->out_chan_split = (struct poplin_split){ (unsigned)v[2], (unsigned)v[3] };
    p->in_chan_split = (struct poplin_split){ (unsigned)v[4], (unsigned)v[5] };
}
static popsolver_answer exact(const uint64_t *operands, uint64_t *result, void *user, bool bytes)
{
    const struct search *s = user;
    struct poplin_partition p = *s->grains;
    read_splits(operands, s->dims, &p);
    struct poplin_plan_cost cost = plan_cost_of_passes(s->passes, &p);
    *result = bytes ? cost.bytes : cost.cycles;
    return POPSOLVER_VALUE;
}
static popsolver_answer exact_cycles(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    (void)count;
    return exact(operands, result, user, false);
}
static popsolver_answer exact_bytes(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    (void)count;
    return exact(operands, result, user, true);
}

/* Operands: grains of field dimensions, kernel sizes, batch, groups, grains of input and output channels; then serial and output splits, copies of
 * weights. */
static struct plan_tile read_tile(const struct search *s, const uint64_t *v)
{
    const struct plan_candidate *c = s->passes->candidates[0];
    struct plan_tile t = { 0 };
    for (size_t d = 0; d < s->dims; ++d)
        t.field[d] = v[d] * s->grains->field_grain[d], t.kernel[d] = v[s->dims + d];
    v += 2 * s->dims;
    t.batch = v[0];
    t.groups = v[1] * c->plan.conv_groups_per_group;
    t.in_chans = v[2] * c->plan.in_chans_per_group;
    t.out_chans = v[3] * c->plan.partial_chans_per_group;
    return t;
}
static popsolver_answer least_cycles(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    const struct search *s = user;
    struct plan_tile t = read_tile(s, operands);
    *result = plan_least_cycles(s->passes->candidates[0], &t, operands[count - 3], operands[count - 2], operands[count - 1]);
    return POPSOLVER_VALUE;
}
static popsolver_answer least_bytes(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    const struct search *s = user;
    struct plan_tile t = read_tile(s, operands);
    (void)count;
    *result = plan_tile_bytes(s->passes->candidates[0], &t);
    return POPSOLVER_VALUE;
}

/* ---- the model ---- */

struct variables {
    popsolver_variable splits[MOST_OPERANDS], sizes[MOST_OPERANDS], parallel[MOST_OPERANDS];
    size_t splits_count, sizes_count, parallel_count;
};

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
/* A split of so many things, which a constraint may fix. */
static popsolver_variable add_split(popsolver_model *m, uint64_t things, uint64_t limit, unsigned fixed)
{
    popsolver_variable v = popsolver_add_variable(m, 1, most(1, least(things, limit)), NULL);
    if (fixed != POPLIN_FREE)
        popsolver_restrict(m, v, fixed, fixed);
    return v;
}
/* Adds a parallel split of a dimension and the size that it gives. */
static popsolver_variable add_dimension(popsolver_model *m, struct variables *v, popsolver_variable things, uint64_t count, uint64_t limit, unsigned fixed)
{
    popsolver_variable split = add_split(m, count, limit, fixed);
    v->splits[v->splits_count++] = v->parallel[v->parallel_count++] = split;
    v->sizes[v->sizes_count++] = count > 1 ? popsolver_ceildiv_constrain_divisor(m, things, split, NULL) : things;
    return split;
}
static popsolver_variable add_constant(popsolver_model *m, uint64_t value)
{
    return popsolver_add_constant(m, value, NULL);
}
/* Channels: a serial split, which divides them all, and a parallel one. */
static popsolver_variable add_channels(popsolver_model *m, struct variables *v, uint64_t grains, uint64_t channels, uint64_t limit, bool one_serial, bool one_parallel,
                                       unsigned serial_fixed, unsigned parallel_fixed)
{
    popsolver_variable serial = add_split(m, one_serial ? 1 : grains, limit, serial_fixed), things = add_constant(m, grains);
    if (!one_serial && grains > 1) {
        popsolver_factor_of(m, add_constant(m, channels), serial);
        things = popsolver_ceildiv_constrain_divisor(m, things, serial, NULL);
    }
    v->splits[v->splits_count++] = serial;
    add_dimension(m, v, things, grains, one_parallel ? 1 : limit, parallel_fixed);
    return serial;
}

/* Adds everything but costs; returns the product of the serial splits. */
static popsolver_variable add_splits(popsolver_model *m, const struct plan_candidate *c, const struct plan_goal *goal, struct variables *v,
                                     const struct poplin_partition *grains, popsolver_variable *copies)
{
    const poplin_conv_params *p = &c->params;
    const struct poplin_plan_constraints *fixed = goal->constraints;
    size_t dims = p->num_field_dims;
    for (size_t d = 0; d < dims; ++d) {
        uint64_t things = poplibs_ceil_div(c->output[d], grains->field_grain[d]);
        add_dimension(m, v, add_constant(m, things), things, goal->tiles, fixed->field_split[d]);
    }
    popsolver_variable fields = popsolver_product(m, (popsolver_variables){ dims, v->splits }, NULL);
    for (size_t d = 0; d < dims; ++d) { /* the innermost kernel dimension is never split */
        uint64_t things = poplin_conv_truncated_kernel_size(p, d);
        add_dimension(m, v, add_constant(m, things), things, d + 1 < dims ? goal->tiles : 1, fixed->kernel_split[d]);
    }
    popsolver_variable batch = add_dimension(m, v, add_constant(m, p->batch_size), p->batch_size, goal->tiles, fixed->batch_split);
    add_dimension(m, v, add_constant(m, c->grains_groups), c->grains_groups, goal->tiles, fixed->conv_group_split);
    bool joint = c->plan.is_joint;
    popsolver_variable out_serial = add_channels(m, v, c->grains_out, p->output_channels_per_conv_group, goal->tiles, false, joint,
                                                 fixed->out_chan_serial, fixed->out_chan_parallel);
    popsolver_variable in_serial = add_channels(m, v, c->grains_in, p->input_channels_per_conv_group, goal->tiles, joint, false,
                                                fixed->in_chan_serial, fixed->in_chan_parallel);
    /* Sizes have output channels before input channels here: vertices are told the other way round. */
    popsolver_variable swap = v->sizes[v->sizes_count - 1];
    v->sizes[v->sizes_count - 1] = v->sizes[v->sizes_count - 2];
    v->sizes[v->sizes_count - 2] = swap;
    /* One of the two serial splits at most. */
    popsolver_less_or_equal(m, popsolver_min(m, POPSOLVER_VARIABLES(out_serial, in_serial), NULL), add_constant(m, 1));
    popsolver_variable tiles = popsolver_product(m, (popsolver_variables){ v->parallel_count, v->parallel }, NULL);
    popsolver_restrict(m, tiles, 1, goal->tiles);
    *copies = popsolver_product(m, POPSOLVER_VARIABLES(fields, batch), NULL);
    return popsolver_product(m, POPSOLVER_VARIABLES(out_serial, in_serial), NULL);
}

bool plan_search(const struct plan_passes *passes, const struct plan_goal *goal, struct poplin_partition *partition, struct poplin_plan_cost *cost)
{
    const struct plan_candidate *c = passes->candidates[0];
    popsolver_model *m = popsolver_model_create();
    struct search search = { passes, partition, c->params.num_field_dims };
    struct variables v = { .splits_count = 0 };
    popsolver_variable copies, serial = add_splits(m, c, goal, &v, partition, &copies);
    popsolver_variables splits = { v.splits_count, v.splits };

    v.sizes[v.sizes_count++] = serial;
    v.sizes[v.sizes_count++] = v.parallel[v.parallel_count - 2]; /* of output channels */
    v.sizes[v.sizes_count++] = copies;
    popsolver_variables sizes = { v.sizes_count, v.sizes };
    popsolver_variable bytes = popsolver_call(m, splits, exact_bytes, &search, "bytes");
    popsolver_variable bytes_bound = popsolver_call_monotone(m, sizes, least_bytes, &search, "least bytes");
    popsolver_less_or_equal(m, bytes_bound, bytes);
    popsolver_restrict(m, bytes, 0, goal->most_bytes);
    popsolver_restrict(m, bytes_bound, 0, goal->most_bytes);
    popsolver_variable cycles = popsolver_call(m, splits, exact_cycles, &search, "cycles");
    popsolver_variable cycles_bound = popsolver_call_monotone(m, sizes, least_cycles, &search, "least cycles");
    popsolver_less_or_equal(m, cycles_bound, cycles);
    bool for_cycles = goal->objective == PLAN_FOR_CYCLES;
    uint64_t beat = for_cycles ? goal->cycles : goal->bytes;
    if (beat != UINT64_MAX)
        popsolver_restrict(m, for_cycles ? cycles : bytes, 0, beat ? beat - 1 : 0);

    popsolver_solution solution = popsolver_minimize(m, for_cycles ? POPSOLVER_VARIABLES(cycles, bytes) : POPSOLVER_VARIABLES(bytes, cycles));
    bool found = beat && solution.outcome == POPSOLVER_SOLVED;
    if (found) {
        uint64_t values[MOST_OPERANDS];
        for (size_t i = 0; i < v.splits_count; ++i)
            values[i] = popsolver_value(solution, v.splits[i]);
        read_splits(values, search.dims, partition);
        *cost = plan_cost_of_passes(passes, partition);
    }
    popsolver_model_destroy(m);
    return found;
}
