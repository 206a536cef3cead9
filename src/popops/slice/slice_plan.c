/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of multi-slices: popsolver searches for the numbers of splits of rows, columns and lookups with which the
 * fullest tile needs the least memory (as Poplibs 1.2 plans), or the operation the fewest cycles. */
#include "popops/slice/slice_plan.h"
#include "poplibs/constraints.h"
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "popops/slice/slice_cycles.h"

#include <assert.h>
#include <poplar/text.h>
#include <popsolver/popsolver.h>

enum { OPERATION_NONE, OPERATION_ADD, OPERATION_MUL, OPERATION_MAX };
enum { MIN_MEMORY, MIN_CYCLES };

struct slice_options {
    bool for_slice, for_update, sorted, validate, always_rearrange, remap, padding;
    int operation, distribution, partial_type, target;
    double proportion;
    const char *constraints;
};
static const struct poplibs_option option_table[] = {
#define SLICE_OPTION(...) POPLIBS_ROW(struct slice_options, __VA_ARGS__)
#include "poplibs/options.def"
};

/* Of the models of the search, which no user sees. */
#undef POP_HERE
#define POP_HERE ((pop_where){ 0 })

static bool parse(const struct call *call, pop_options given, struct slice_options *options)
{
    *options = (struct slice_options){ 0 };
    if (!call_read_options(call, given, option_table, sizeof(option_table) / sizeof(option_table[0]), options))
        return false;
    if (!(options->proportion >= 0 && options->proportion <= 1))
        return call_fail(call, POP_INVALID_OPTION, "option 'availableMemoryProportion' is %g; it must be from 0 to 1",
                         options->proportion);
    return true;
}

bool slice_check_options(const struct call *call, pop_options given, bool *validate, bool *padding)
{
    struct slice_options options;
    bool right = parse(call, given, &options);
    if (validate)
        *validate = right && options.validate;
    if (padding)
        *padding = right && options.padding;
    return right;
}
bool slice_check_static_options(const struct call *call, pop_options given, bool *remap, bool *padding)
{
    struct slice_options options;
    bool right = parse(call, given, &options);
    *remap = right && options.remap;
    *padding = right && options.padding;
    return right;
}

struct slice_constraints {
    unsigned row_splits, column_splits, lookup_splits, grain; /* 0: not constrained */
};
static bool parse_constraints(const struct call *call, const char *text, struct slice_constraints *constraints)
{
    *constraints = (struct slice_constraints){ 0 };
    const struct poplibs_constraint rows[] = { { "slicedDimSplit", &constraints->row_splits, false },
                                               { "unslicedDimSplit", &constraints->column_splits, false },
                                               { "lookupSplit", &constraints->lookup_splits, false },
                                               { "unslicedGrainSize", &constraints->grain, false } };
    return call_read_constraints(call, text, NULL, rows, sizeof(rows) / sizeof(rows[0]));
}

/* ---- costs ---- */

struct costs {
    const pop_target *target;
    popops_slice_plan plan; /* its grain is set, its splits are not */
    struct slice_options options;
};

/* The cost of one slice and one update, as far as the plan is used for them.  Bytes are those of one tile: `bytes` are
 * always live (its part of the matrix, of the slices and of the indices), transient_bytes only during a call. */
struct cost {
    uint64_t cycles, bytes, transient_bytes;
};

/* The cycles in which a tile receives bytes. */
static uint64_t exchange_cycles(const struct costs *costs, uint64_t bytes)
{
    return bytes ? 100 + bytes / costs->target->exchange_bytes_per_cycle : 0; /* 100: a sync */
}

static struct cost cost_of(const struct costs *costs, const popops_slice_plan *plan)
{
    const pop_target *target = costs->target;
    uint64_t bytes = pop_target_type_size(target, plan->type), workers = target->num_worker_contexts,
             columns = slice_plan_block_columns(plan);
    uint64_t rows = slice_plan_block_rows(plan), lookups = poplibs_ceil_div(plan->lookups, plan->lookup_splits),
             parts = plan->row_splits;
    uint64_t base = plan->lookup_splits > 1 ? rows * columns * bytes : 0, results = lookups * columns * bytes,
             width = pop_target_vector_width(target, plan->type);
    struct cost cost = { 0,
                         poplibs_ceil_div(rows, plan->lookup_splits) * columns * bytes +
                             poplibs_ceil_div(lookups, parts) * columns * bytes + 4 * lookups,
                         0 };
    if (costs->options.for_slice) {
        uint64_t second = poplibs_ceil_div(lookups, parts);
        cost.cycles += exchange_cycles(costs, base + 4 * lookups) +
                       workers * multi_slice_cycles(target, plan->type, poplibs_ceil_div(lookups, workers), columns);
        if (parts > 1)
            cost.cycles += exchange_cycles(costs, (parts - 1) * second * columns * bytes) +
                           workers * multi_slice_cycles(target, plan->type, poplibs_ceil_div(second, workers), columns);
        cost.transient_bytes = base + 4 * lookups + (parts > 1 ? results + parts * second * columns * bytes : 0);
    }
    if (costs->options.for_update) {
        /* Updates by several tiles of a block of rows are summed in a separate tensor, which is float for half. */
        bool apart = plan->lookup_splits > 1, operates = costs->options.operation != OPERATION_NONE;
        pop_type type = apart ? partial_sum_type(plan->type) : plan->type;
        bool subword = columns % store_atom(target, type) != 0;
        uint64_t partial = pop_target_type_size(target, type), own = parts > 1 ? results - results / parts : 0;
        uint64_t share = poplibs_ceil_div(rows, plan->lookup_splits) * columns, transient = results + 4 * lookups;
        cost.cycles += exchange_cycles(costs, own + 4 * lookups);
        cost.cycles +=
            workers * (operates ? multi_update_add_cycles(target, type, subword, lookups, columns)
                                : multi_slice_cycles(target, type, poplibs_ceil_div(lookups, workers), columns));
        if (apart) {
            cost.cycles +=
                workers * (20 + poplibs_ceil_div(rows * columns, workers * width)) +
                exchange_cycles(costs, (plan->lookup_splits - 1) * share * partial) +
                workers * multi_update_sum_cycles(target, type, plan->lookup_splits, poplibs_ceil_div(share, workers));
            transient += rows * columns * partial + plan->lookup_splits * share * partial;
            transient += partial != bytes ? lookups * columns * partial : 0;
        }
        cost.transient_bytes = poplibs_max(cost.transient_bytes, transient);
    }
    return cost;
}

static popops_slice_plan with_splits(const struct costs *costs, const uint64_t *splits)
{
    popops_slice_plan plan = costs->plan;
    assert(splits[0] && splits[1] && splits[2]);
    plan.row_splits = splits[0];
    plan.column_splits = splits[1];
    plan.lookup_splits = splits[2];
    return plan;
}
static popsolver_answer cycles_of_splits(const uint64_t *splits, size_t count, uint64_t *result, void *user)
{
    (void)count;
    popops_slice_plan plan = with_splits(user, splits);
    *result = cost_of(user, &plan).cycles;
    return POPSOLVER_VALUE;
}
static popsolver_answer bytes_of_splits(const uint64_t *splits, size_t count, uint64_t *result, void *user)
{
    (void)count;
    popops_slice_plan plan = with_splits(user, splits);
    *result = cost_of(user, &plan).transient_bytes;
    return POPSOLVER_VALUE;
}
static popsolver_answer all_bytes_of_splits(const uint64_t *splits, size_t count, uint64_t *result, void *user)
{
    (void)count;
    popops_slice_plan plan = with_splits(user, splits);
    struct cost cost = cost_of(user, &plan);
    *result = cost.bytes + cost.transient_bytes;
    return POPSOLVER_VALUE;
}

/* ---- the search ---- */

/* The number of parts of an extent: the constrained number, or one for which fewer parts would be larger. */
static popsolver_variable add_split(popsolver_model *model, size_t extent, size_t tiles, size_t demanded,
                                    const char *name)
{
    uint64_t max = poplibs_min(extent, tiles);
    popsolver_variable split = popsolver_add_variable(model, demanded ? demanded : 1, demanded ? demanded : max, name);
    if (!demanded)
        popsolver_ceildiv_constrain_divisor(model, popsolver_add_constant(model, extent, NULL), split, NULL);
    return split;
}

/* Minimises cycles or bytes, depending on the options, within the limit of memory; without the limit, bytes. */
static bool search(struct costs *costs, const struct slice_constraints *constraints, size_t tiles, bool limited)
{
    popsolver_model *model = popsolver_model_create();
    popops_slice_plan *plan = &costs->plan;
    assert(plan->rows && plan->columns && plan->lookups && plan->column_grain);
    popsolver_variable splits[3] = {
        add_split(model, plan->rows, tiles, constraints->row_splits, "slicedDimSplit"),
        add_split(model, poplibs_ceil_div(plan->columns, plan->column_grain), tiles, constraints->column_splits,
                  "unslicedDimSplit"),
        add_split(model, plan->lookups, tiles, constraints->lookup_splits, "lookupSplit"),
    };
    popsolver_variables all = { 3, splits };
    popsolver_restrict(model, popsolver_product(model, all, "tiles"), 1, tiles);
    popsolver_variable cycles = popsolver_call(model, all, cycles_of_splits, costs, "cycles");
    popsolver_variable transient = popsolver_call(model, all, bytes_of_splits, costs, "transient bytes");
    popsolver_variable bytes = popsolver_call(model, all, all_bytes_of_splits, costs, "bytes");
    bool fast = limited && costs->options.target == MIN_CYCLES;
    if (limited) {
        popsolver_restrict(model, transient, 0, (uint64_t)(costs->options.proportion * costs->target->bytes_per_tile));
        popsolver_restrict(model, bytes, 0, costs->target->bytes_per_tile);
    }
    popsolver_solution solution =
        popsolver_minimize(model, fast ? POPSOLVER_VARIABLES(cycles, bytes) : POPSOLVER_VARIABLES(bytes, cycles));
    bool solved = solution.outcome == POPSOLVER_SOLVED;
    if (solved) {
        plan->row_splits = popsolver_value(solution, splits[0]);
        plan->column_splits = popsolver_value(solution, splits[1]);
        plan->lookup_splits = popsolver_value(solution, splits[2]);
        assert(plan->row_splits * plan->column_splits * plan->lookup_splits <= tiles);
    }
    popsolver_model_destroy(model);
    return solved;
}

static void log_plan(const struct costs *costs, bool fits)
{
    const popops_slice_plan *p = &costs->plan;
    if (!fits && costs->options.proportion > 0) /* a proportion of 0 means the smallest possible */
        POPLIBS_LOG(WARN,
                    "no plan of %zu lookups in %zu rows of %zu columns fits in availableMemoryProportion %g of %u "
                    "bytes of a tile: the smallest one is taken",
                    p->lookups, p->rows, p->columns, costs->options.proportion, costs->target->bytes_per_tile);
    POPLIBS_LOG(DEBUG,
                "plan of %zu lookups in %zu rows of %zu columns of %s: rows are split in %zu, columns in %zu (grain "
                "%zu), lookups in %zu",
                p->lookups, p->rows, p->columns, pop_type_name(p->type), p->row_splits, p->column_splits,
                p->column_grain, p->lookup_splits);
}

popops_slice_plan popops_embedding_plan_at(pop_where where, pop_graph *graph, pop_type type, size_t rows,
                                           size_t columns, pop_shape lookups, pop_options options)
{
    POPLIBS_CALL(graph, log_type(type), rows, columns, lookups, options);
    const popops_slice_plan none = { 0 };
    struct costs costs = { .plan = { .type = type, .rows = rows, .columns = columns } };
    struct slice_constraints constraints;
    if (!call_ready(call) || !parse(call, options, &costs.options) ||
        !parse_constraints(call, costs.options.constraints, &constraints))
        return none;
    if (!pop_type_is_supported(type)) {
        call_fail(call, POP_TYPE_ERROR, "a matrix cannot be of %s", pop_type_name(type));
        return none;
    }
    for (size_t i = 0; i < lookups.rank; ++i)
        costs.plan.lookups = poplibs_max(costs.plan.lookups, lookups.dims[i]);
    if (!rows || !columns || !costs.plan.lookups)
        return none;
    costs.target = pop_graph_target(graph);
    costs.plan.validate_indices = costs.options.validate;
    costs.plan.padding_index_used = costs.options.padding;
    costs.plan.column_grain = constraints.grain ? constraints.grain : store_atom(costs.target, type);
    size_t tiles = pop_target_num_tiles(costs.target);
    bool fits = search(&costs, &constraints, tiles, true);
    if (!fits && !search(&costs, &constraints, tiles, false)) {
        call_fail(call, POP_INVALID_OPTION, "no plan for %zu tiles has the constraints '%s'", tiles,
                  costs.options.constraints);
        return none;
    }
    log_plan(&costs, fits);
    return costs.plan;
}

popops_slice_plan slice_plan_default(const struct call *call, pop_type type, size_t rows, size_t columns,
                                     size_t lookups)
{
    return popops_embedding_plan(call->graph, type, rows, columns, POP_SHAPE(lookups), POP_NO_OPTIONS);
}

int popops_slice_plan_compare(const popops_slice_plan *a, const popops_slice_plan *b)
{
    const size_t left[] = { (size_t)a->type,      a->rows,         a->columns,
                            a->lookups,           a->row_splits,   a->column_splits,
                            a->lookup_splits,     a->column_grain, a->validate_indices,
                            a->padding_index_used };
    const size_t right[] = { (size_t)b->type,      b->rows,         b->columns,
                             b->lookups,           b->row_splits,   b->column_splits,
                             b->lookup_splits,     b->column_grain, b->validate_indices,
                             b->padding_index_used };
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); ++i)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}
