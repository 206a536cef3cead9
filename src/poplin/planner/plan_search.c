/* SPDX-License-Identifier: Apache-2.0 */
/* The inner search.  Splits are variables of popsolver; the sizes of a tile depend on them.
 *
 * The solver calls two functions for the cost: the exact cost, when all splits are decided, for which it tries all
 * splits of channels over the remaining tiles; and a lower bound for partial assignments, which prunes the search
 * early. */
#include "poplin/planner/plan_search.h"
#include "poplin/planner/method.h"
#include "poplin/planner/planner.h"

#include <assert.h>
#include <popsolver/popsolver.h>

/* Of the models of the search, which no user sees. */
#undef POP_HERE
#define POP_HERE ((pop_where){ 0 })

struct plan_partition plan_joint_partition(const struct plan_partition *forward, size_t pass, size_t last)
{
    assert(pass < 3 && last < POPLIN_MAX_FIELD_DIMS);
    struct plan_partition p = *forward;
    if (pass == 1) { /* field and input channels are exchanged */
        p.field_split[last] = forward->in_chan_split.parallel;
        p.in_chan_split = (struct plan_split){ 1, forward->field_split[last] };
        p.field_grain[last] = forward->in_chan_grain;
        p.in_chan_grain = forward->field_grain[last];
    } else if (pass == 2) { /* input and output channels are exchanged */
        p.in_chan_split = (struct plan_split){ forward->out_chan_split.serial, forward->out_chan_split.parallel };
        p.out_chan_split = (struct plan_split){ 1, forward->in_chan_split.parallel };
        p.in_chan_grain = forward->out_chan_grain;
        p.out_chan_grain = forward->in_chan_grain;
    }
    return p;
}

struct plan_cost plan_cost_of_passes(const struct plan_passes *passes, const struct plan_partition *partition)
{
    struct plan_cost sum = plan_cost(passes->candidates[0], partition);
    for (size_t i = 1; i < passes->count; ++i) {
        struct plan_partition p = plan_joint_partition(partition, i, passes->candidates[0]->params.num_field_dims - 1);
        struct plan_cost cost = plan_cost(passes->candidates[i], &p);
        sum.cycles += cost.cycles;
        sum.bytes = cost.bytes > sum.bytes ? cost.bytes : sum.bytes;
    }
    return sum;
}

/* ---- channels ---- */

enum { DIMS = POPLIN_MAX_FIELD_DIMS, MAX_OPERANDS = 2 * DIMS + 10 };

struct plan_search {
    const struct plan_passes *passes;
    const struct plan_goal *goal;
    const struct plan_partition *grains;
    size_t dims;
    struct plan_split out, in; /* the serial splits */
    bool short_of_memory;      /* a partition that may be better was rejected because of its bytes */
};

/* The next larger split with a smaller quotient: the smallest split that gives it. */
static unsigned next_split(uint64_t things, unsigned split)
{
    uint64_t quotient = poplibs_ceil_div(things, split);
    return quotient <= 1 ? UINT32_MAX : (unsigned)poplibs_ceil_div(things, quotient - 1);
}
static bool better(const struct plan_goal *goal, const struct plan_cost *a, const struct plan_cost *b)
{
    uint64_t first = plan_rank(goal, a), second = plan_rank(goal, b);
    if (first != second)
        return first < second;
    return goal->objective == POPLIN_MIN_MEMORY ? a->cycles < b->cycles : a->bytes < b->bytes;
}
/* The rank that a partition must be below. */
static uint64_t rank_limit(const struct plan_goal *goal, const struct plan_cost *found)
{
    return found ? plan_rank(goal, found) : goal->best;
}

/* Finds the best split of channels over the tiles that the other splits leave. */
static bool split_channels(struct plan_search *s, struct plan_partition *p, struct plan_cost *best)
{
    const struct plan_candidate *c = s->passes->candidates[0];
    const struct plan_constraints *fixed = s->goal->constraints;
    uint64_t used = (uint64_t)p->batch_split * p->conv_group_split;
    for (size_t d = 0; d < s->dims; ++d)
        used *= (uint64_t)p->field_split[d] * p->kernel_split[d];
    assert(used && used <= s->goal->tiles);
    uint64_t left = s->goal->tiles / used, outs = poplibs_ceil_div(c->grains_out, p->out_chan_split.serial);
    uint64_t ins = poplibs_ceil_div(c->grains_in, p->in_chan_split.serial), max_out = c->plan.is_joint ? 1 : left;
    struct plan_partition tried = *p;
    bool found = false;
    struct plan_bound min = { .tile = plan_tile_of(c, p),
                              .serial = (uint64_t)s->out.serial * s->in.serial,
                              .weight_copies = 1 };
    min.tile.out_chans = outs * c->plan.partial_chans_per_group;
    /* A method that takes one group of channels fixes the parallel split; without so many tiles there is no plan. */
    bool one_in = c->plan.method->one_in_group, one_out = c->plan.method->one_out_group;
    for (unsigned out = one_out ? (unsigned)outs : 1; out <= max_out; out = next_split(outs, out)) {
        if (fixed->out_chan_split.parallel != POPLIN_FREE && fixed->out_chan_split.parallel != out)
            continue;
        for (unsigned in = one_in ? (unsigned)ins : 1; (uint64_t)in * out <= left; in = next_split(ins, in)) {
            if (fixed->in_chan_split.parallel != POPLIN_FREE && fixed->in_chan_split.parallel != in)
                continue;
            min.channels = poplibs_ceil_div(outs, out) * poplibs_ceil_div(ins, in);
            uint64_t upper = rank_limit(s->goal, found ? best : NULL);
            if (plan_rank_from_cycles(s->goal, plan_min_cost(c, &min).cycles) >= upper)
                continue;
            tried.out_chan_split.parallel = out;
            tried.in_chan_split.parallel = in;
            struct plan_cost cost = plan_cost_of_passes(s->passes, &tried);
            uint64_t rank = plan_rank(s->goal, &cost);
            s->short_of_memory |= cost.bytes > s->goal->max_bytes && rank < upper;
            if (cost.bytes > s->goal->max_bytes || rank == UINT64_MAX || (found && !better(s->goal, &cost, best)))
                continue;
            *best = cost;
            *p = tried;
            found = true;
        }
    }
    return found;
}

/* ---- functions called by the solver ---- */

/* Reads the variables: field splits, kernel splits, batch, groups. */
static void read_splits(const struct plan_search *s, const uint64_t *v, struct plan_partition *p)
{
    size_t dims = s->dims;
    for (size_t d = 0; d < dims; ++d)
        p->field_split[d] = (unsigned)v[d], p->kernel_split[d] = (unsigned)v[dims + d];
    v += 2 * dims;
    p->batch_split = (unsigned)v[0];
    p->conv_group_split = (unsigned)v[1];
    p->out_chan_split = s->out;
    p->in_chan_split = s->in;
}
static popsolver_answer exact(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    struct plan_search *s = user;
    struct plan_partition p = *s->grains;
    struct plan_cost cost;
    assert(count == 2 * s->dims + 2);
    (void)count;
    read_splits(s, operands, &p);
    if (!split_channels(s, &p, &cost))
        return POPSOLVER_NONE;
    *result = plan_rank(s->goal, &cost);
    return POPSOLVER_VALUE;
}

/* Variables: grains of field dimensions, kernel sizes, batch, groups, and the other members of plan_bound. */
enum { BOUNDS = 4 };
static struct plan_min_cost min_cost(const struct plan_search *s, const uint64_t *v)
{
    const struct plan_candidate *c = s->passes->candidates[0];
    struct plan_bound l = { .serial = 1 };
    struct plan_tile *t = &l.tile;
    for (size_t d = 0; d < s->dims; ++d)
        t->field[d] = v[d] * s->grains->field_grain[d], t->kernel[d] = v[s->dims + d];
    v += 2 * s->dims;
    t->batch = v[0];
    t->groups = v[1] * c->plan.conv_groups_per_group;
    t->out_chans = poplibs_ceil_div(c->grains_out, s->out.serial) * c->plan.partial_chans_per_group;
    t->in_chans = poplibs_ceil_div(c->grains_in, s->in.serial) * c->plan.in_chans_per_group;
    l.serial = (uint64_t)s->out.serial * s->in.serial;
    l.weight_copies = v[2];
    l.channels = v[3];
    l.passes = v[4];
    l.work = v[5];
    return plan_min_cost(c, &l);
}
static popsolver_answer min_rank(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    const struct plan_search *s = user;
    (void)count;
    *result = plan_rank_from_cycles(s->goal, min_cost(s, operands).cycles);
    return POPSOLVER_VALUE;
}
static popsolver_answer min_bytes(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    struct plan_search *s = user;
    (void)count;
    struct plan_min_cost cost = min_cost(s, operands);
    *result = cost.bytes;
    s->short_of_memory |=
        cost.bytes > s->goal->max_bytes && plan_rank_from_cycles(s->goal, cost.cycles) < s->goal->best;
    return POPSOLVER_VALUE;
}

/* ---- the model ---- */

struct variables {
    popsolver_variable splits[MAX_OPERANDS], sizes[MAX_OPERANDS];
    size_t splits_count, sizes_count;
    popsolver_variable left, copies, channels, passes, work; /* left: number of tiles for channels */
};

static popsolver_variable add_constant(popsolver_model *m, uint64_t value)
{
    return popsolver_add_constant(m, value, NULL);
}
/* Adds the variable of a split, which a constraint may fix, and the variable of the resulting size. */
static popsolver_variable add_split(popsolver_model *m, struct variables *v, uint64_t things, uint64_t limit,
                                    unsigned fixed)
{
    popsolver_variable split = popsolver_add_variable(m, 1, poplibs_max(1, poplibs_min(things, limit)), NULL),
                       all = add_constant(m, things);
    if (fixed != POPLIN_FREE)
        popsolver_restrict(m, split, fixed, fixed);
    v->splits[v->splits_count++] = split;
    v->sizes[v->sizes_count++] = things > 1 ? popsolver_ceildiv_constrain_divisor(m, all, split, NULL) : all;
    return split;
}

static void add_splits(popsolver_model *m, const struct plan_candidate *c, const struct plan_goal *goal,
                       struct variables *v, const struct plan_partition *grains)
{
    const poplin_conv_params *p = &c->params;
    const struct plan_constraints *fixed = goal->constraints;
    size_t dims = p->num_field_dims;
    for (size_t d = 0; d < dims; ++d)
        add_split(m, v, poplibs_ceil_div(c->output[d], grains->field_grain[d]), goal->tiles, fixed->field_split[d]);
    popsolver_variable fields = popsolver_product(m, (popsolver_variables){ dims, v->splits }, NULL);
    for (size_t d = 0; d < dims; ++d) /* the innermost kernel dimension is never split */
        add_split(m, v, poplin_conv_truncated_kernel_size(p, d), d + 1 < dims ? goal->tiles : 1,
                  fixed->kernel_split[d]);
    popsolver_variable batch = add_split(m, v, p->batch_size, goal->tiles, fixed->batch_split);
    add_split(m, v, c->grains_groups, goal->tiles, fixed->conv_group_split);
    popsolver_variable used = popsolver_product(m, (popsolver_variables){ v->splits_count, v->splits }, NULL);
    popsolver_restrict(m, used, 1, goal->tiles);
    v->left = popsolver_floordiv(m, add_constant(m, goal->tiles), used, NULL);
    v->copies = popsolver_product(m, POPSOLVER_VARIABLES(fields, batch), NULL);
}

/* Adds lower bounds of a tile's work. */
static void add_work(popsolver_model *m, const struct plan_search *s, struct variables *v)
{
    const struct plan_candidate *c = s->passes->candidates[0];
    size_t dims = c->params.num_field_dims, last = dims - 1;
    uint64_t outs = poplibs_ceil_div(c->grains_out, s->out.serial), ins = poplibs_ceil_div(c->grains_in, s->in.serial);
    popsolver_variable grain = add_constant(m, s->grains->field_grain[last]);
    popsolver_variable fields = popsolver_product(m, (popsolver_variables){ dims, v->sizes }, NULL);
    fields = popsolver_product(m, POPSOLVER_VARIABLES(fields, grain, v->sizes[2 * dims]), NULL);
    popsolver_variable kernels = popsolver_product(m, (popsolver_variables){ dims, v->sizes + dims }, NULL);
    /* At best, the remaining tiles share all pairs of channels evenly. */
    v->channels = popsolver_ceildiv(m, add_constant(m, outs * ins), v->left, NULL);
    v->passes = popsolver_product(m, POPSOLVER_VARIABLES(kernels, v->sizes[2 * dims + 1], v->channels), NULL);
    v->work = popsolver_product(m, POPSOLVER_VARIABLES(fields, v->passes), NULL);
    double all = plan_whole_work(c) / ((double)s->out.serial * s->in.serial) / s->goal->tiles;
    if (all < 1e15)
        popsolver_restrict(m, v->work, (uint64_t)all, UINT64_MAX);
}

/* Searches with fixed serial splits for a rank below goal->best. */
static bool search_serial(struct plan_search *s, struct plan_partition *partition, struct plan_cost *cost)
{
    const struct plan_candidate *c = s->passes->candidates[0];
    const struct plan_goal *goal = s->goal;
    uint64_t upper = goal->best;
    popsolver_model *m = popsolver_model_create();
    struct variables v = { .splits_count = 0 };
    add_splits(m, c, goal, &v, s->grains);
    add_work(m, s, &v);
    const popsolver_variable bounds[BOUNDS] = { v.copies, v.channels, v.passes, v.work };
    for (size_t i = 0; i < BOUNDS; ++i)
        v.sizes[v.sizes_count++] = bounds[i];
    popsolver_variables sizes = { v.sizes_count, v.sizes };
    popsolver_variable bytes = popsolver_call_monotone(m, sizes, min_bytes, s, "least bytes");
    popsolver_restrict(m, bytes, 0, goal->max_bytes);
    popsolver_variable bound =
        goal->objective == POPLIN_MIN_MEMORY ? bytes : popsolver_call_monotone(m, sizes, min_rank, s, "least rank");
    if (upper != UINT64_MAX)
        popsolver_restrict(m, bound, 0, upper ? upper - 1 : 0);
    popsolver_variable value = popsolver_call(m, (popsolver_variables){ v.splits_count, v.splits }, exact, s, "cost");
    popsolver_less_or_equal(m, bound, value);
    if (upper != UINT64_MAX)
        popsolver_restrict(m, value, 0, upper ? upper - 1 : 0);

    popsolver_solution solution = popsolver_minimize(m, POPSOLVER_VARIABLES(value));
    bool found = upper && solution.outcome == POPSOLVER_SOLVED;
    if (found) {
        uint64_t values[MAX_OPERANDS];
        assert(v.splits_count == 2 * s->dims + 2 && v.splits_count <= MAX_OPERANDS);
        for (size_t i = 0; i < v.splits_count; ++i)
            values[i] = popsolver_value(solution, v.splits[i]);
        read_splits(s, values, partition);
        found = split_channels(s, partition, cost);
    }
    popsolver_model_destroy(m);
    return found;
}

/* A serial split is a loop that repeats all steps that it does not split, so it only saves memory: it is tried if
 * memory is short, or if constraints require it. */
bool plan_search(const struct plan_passes *passes, const struct plan_goal *given, struct plan_partition *partition,
                 struct plan_cost *cost)
{
    const struct plan_candidate *c = passes->candidates[0];
    struct plan_goal goal = *given;
    const struct plan_partition grains = *partition;
    struct plan_search search = { passes, &goal, &grains, c->params.num_field_dims, { 1, 1 }, { 1, 1 }, false };
    size_t outs = c->params.output_channels_per_conv_group, ins = c->params.input_channels_per_conv_group;
    bool found = false, fixed = !conv_options_allow(goal.constraints->out_chan_split.serial, 1) ||
                                !conv_options_allow(goal.constraints->in_chan_split.serial, 1);
    for (unsigned which = 0; which < 2; ++which) /* first output channels, then input channels */
        for (unsigned serial = which ? 2 : 1; serial <= (which ? c->grains_in : c->grains_out); ++serial) {
            if (serial > 1 && !search.short_of_memory && !fixed && goal.objective != POPLIN_MIN_MEMORY)
                break;
            search.out.serial = which ? 1 : serial;
            search.in.serial = which ? serial : 1;
            if ((which ? ins : outs) % serial || (which && c->plan.is_joint) ||
                !conv_options_allow(goal.constraints->out_chan_split.serial, search.out.serial) ||
                !conv_options_allow(goal.constraints->in_chan_split.serial, search.in.serial))
                continue;
            if (search_serial(&search, partition, cost)) {
                found = true;
                goal.best = plan_rank(&goal, cost);
            }
        }
    return found;
}
