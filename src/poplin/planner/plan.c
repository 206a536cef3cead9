/* SPDX-License-Identifier: Apache-2.0 */
/* The outer search: for each transform and each vertex type, plan_search finds the best partition.  The best plan so
 * far bounds the search, and is replaced only by a plan of lower rank.  Of plans with equal rank the first one is kept,
 * so the order of vertex types (plan_order) affects both the choice between them and the time. */
#include "poplin/planner/plan.h"
#include "poplin/planner/method.h"
#include "poplin/planner/plan_params.h"
#include "poplin/planner/planner.h"

#include "poplibs/log.h"
#include "poplin/conv_vertices/performance.h"
#include "poplin/params/params.h"
#include "poplin/planner/plan_cache.h"
#include "poplin/planner/plan_try.h"

#include <math.h>

/* ---- all vertex types of a transformed convolution ---- */

static void try_vertices(struct planning *planning, const struct plan_transform *transform,
                         const poplin_conv_params *transformed)
{
    struct conv_plan plan;
    memset(&plan, 0, sizeof(plan));
    plan.transform = *transform;
    plan.num_field_dims = (unsigned)transformed->num_field_dims;
    plan.conv_groups_per_group = 1;
    plan.tile_partial_type = plan_partial_type(planning->options, transformed->input_type);
    plan.result_type = transformed->output_type;
    struct plan_proposals proposals = { planning->target, planning->options, transformed, planning->joint, NULL, 0, 0 };
    for (unsigned i = 0; (plan.method = plan_methods[i]); ++i)
        if (conv_options_allow(planning->goal.constraints->method, i) &&
            (plan.method->takes_quarter || transformed->input_type != POP_QUARTER) &&
            (!planning->joint || plan.method->of_pass))
            plan.method->propose(&proposals, plan);
    plan_order(&proposals);
    for (size_t i = 0; i < proposals.count; ++i)
        plan_try(planning, transformed, &proposals.list[i]);
    free(proposals.list);
}

/* ---- all transforms ---- */

/* Dimensions whose kernel positions can be expanded to input channels. */
static unsigned worth_expanding(const poplin_conv_params *p)
{
    unsigned dims = 0;
    for (unsigned d = 0; d < p->num_field_dims; ++d)
        dims |=
            poplin_conv_truncated_kernel_size(p, d) > 1 && p->input_field_shape[d] >= p->kernel_shape[d] ? 1u << d : 0;
    return dims;
}
/* Dimensions whose field positions can be flattened to output channels: those whose kernel is at least as large as the
 * field. */
static unsigned worth_flattening(const poplin_conv_params *p)
{
    unsigned dims = 0;
    for (unsigned d = 0; d < p->num_field_dims; ++d)
        dims |= p->input_field_shape[d] > 1 && p->kernel_shape[d] >= p->input_field_shape[d] ? 1u << d : 0;
    return dims;
}
/* A constraint of dimensions without those that a transform leaves as they are. */
static unsigned without(unsigned constraint, unsigned unchanged)
{
    return constraint == POPLIN_FREE ? constraint : constraint & ~unchanged;
}
/* Dimensions that have one kernel position, or one field position: expanding or flattening them changes nothing. */
static unsigned with_one_position(const poplin_conv_params *p, bool field)
{
    unsigned dims = 0;
    for (unsigned d = 0; d < p->num_field_dims; ++d)
        dims |= (field ? p->input_field_shape[d] : poplin_conv_truncated_kernel_size(p, d)) <= 1 ? 1u << d : 0;
    return dims;
}
static unsigned max_combined(const struct planning *planning, const poplin_conv_params *p)
{
    size_t channels = p->input_channels_per_conv_group;
    if (channels < 1 || channels > 2 || p->num_conv_groups < 2 || planning->options->disable_transformations)
        return 1;
    return 4 * pop_target_vector_width(planning->target, p->input_type) / (unsigned)channels;
}
/* The factor of combined groups to try after this one: the next power of two; the planner of 2021 leaves out those with
 * which the channels do not fill a vector, and combines groups of two floats not at all. */
static unsigned next_combined(const struct planning *planning, const poplin_conv_params *p, unsigned factor)
{
    unsigned channels = (unsigned)p->input_channels_per_conv_group,
             vector = pop_target_vector_width(planning->target, p->input_type);
    if (planning->target->poplibs_release == POP_POPLIBS_1_2 || factor > 1)
        return 2 * factor;
    return channels == 1 || 2 * channels == vector ? vector / channels : UINT32_MAX;
}

static void try_flattened(struct planning *planning, struct plan_transform t, const poplin_conv_params *expanded)
{
    const struct plan_constraints *fixed = planning->goal.constraints;
    unsigned worth = planning->options->disable_transformations ? 0 : worth_flattening(expanded),
             wanted = without(fixed->out_chan_flatten_dims, with_one_position(expanded, true));
    for (unsigned dims = 0; dims <= worth; ++dims) {
        if ((dims & ~worth) || !conv_options_allow(wanted, dims))
            continue;
        t.out_chan_flatten_dims = dims;
        poplin_conv_params flat = params_flatten_out_chans(expanded, dims);
        t.flatten_dims = params_flattenable(&flat);
        poplin_conv_params combinable = params_flatten(&flat, t.flatten_dims);
        unsigned max = max_combined(planning, &flat);
        for (unsigned factor = 1; factor <= max; factor = next_combined(planning, &flat, factor)) {
            if (!conv_options_allow(fixed->combine_conv_groups_factor, factor) || factor > flat.num_conv_groups)
                continue;
            t.combine_conv_groups_factor = factor;
            poplin_conv_params transformed = params_combine_groups(&combinable, factor);
            try_vertices(planning, &t, &transformed);
        }
    }
}

/* The planner of 2021 exchanges the operands of products; swapped as a convolution's, the field would be a kernel. */
static bool is_worth_swapping(const struct planning *planning, const poplin_conv_params *p)
{
    if (planning->goal.constraints->swap_operands == 1 || !params_are_of_product(p))
        return true;
    int pass = planning->options->pass;
    return planning->target->poplibs_release == POP_POPLIBS_2021 &&
           (pass == POPLIN_PASS_NONE_MATMUL || pass_is_fully_connected(pass));
}

static void try_transforms(struct planning *planning)
{
    const struct plan_constraints *fixed = planning->goal.constraints;
    bool plain = planning->options->disable_transformations || planning->joint;
    struct plan_transform t = { .extra_field_dims = planning->params->num_field_dims < 2 ? 1 : 0,
                                .combine_conv_groups_factor = 1 };
    poplin_conv_params base = params_add_field_dims(planning->params, t.extra_field_dims);
    for (unsigned swap = 0; swap < (plain ? 1 : 2); ++swap) {
        if (!conv_options_allow(fixed->swap_operands, swap) || (swap && !is_worth_swapping(planning, &base)))
            continue;
        t.swap_operands = swap;
        poplin_conv_params swapped = !swap                          ? base
                                     : params_are_of_product(&base) ? params_exchange_operands(&base)
                                                                    : params_swap_operands(&base);
        unsigned worth = plain ? 0 : worth_expanding(&swapped),
                 wanted = without(fixed->expand_dims, with_one_position(&swapped, false));
        for (unsigned dims = 0; dims <= worth; ++dims) {
            if ((dims & ~worth) || !conv_options_allow(wanted, dims))
                continue;
            poplin_conv_params expanded = swapped;
            for (unsigned d = 0; d < expanded.num_field_dims; ++d)
                if (dims >> d & 1)
                    expanded = params_expand_dim(&expanded, d);
            t.expand_dims = dims;
            try_flattened(planning, t, &expanded);
        }
    }
}

static void try_all(struct planning *planning)
{
    for (unsigned a = 0; a < planning->options->alternatives; ++a) {
        planning->goal.constraints = &planning->options->constraints[a];
        try_transforms(planning);
    }
}

/* ---- one convolution ---- */

static struct planning begin(const pop_target *target, const poplin_conv_params *params,
                             const struct conv_options *options, bool joint)
{
    struct planning planning;
    memset(&planning, 0, sizeof(planning));
    planning.target = target;
    planning.params = params;
    planning.options = options;
    planning.joint = joint;
    double bytes = fmin(target->bytes_per_tile * options->available_memory_proportion, 0x1p62);
    planning.goal = (struct plan_goal){ options->share.objective, (uint64_t)bytes, options->tiles_per_ipu,
                                        options->constraints,     &options->share, UINT64_MAX };
    return planning;
}
/* Finds the best plan that fits in the memory limit, or, if there is none or the limit is 0, the smallest plan. */
static struct planning search(const pop_target *target, const poplin_conv_params *params,
                              const struct conv_options *options, bool joint)
{
    struct planning planning = begin(target, params, options, joint);
    if (planning.goal.max_bytes)
        try_all(&planning);
    if (!planning.found && !joint) {
        planning.goal.objective = POPLIN_MIN_MEMORY;
        planning.goal.max_bytes = UINT64_MAX;
        try_all(&planning);
    }
    return planning;
}

/* The parameters of the forward pass of a fully connected layer, from those of any pass. */
static poplin_conv_params forward_params(const poplin_conv_params *params, int pass)
{
    return pass == POPLIN_PASS_FC_TRAINING_FWD ? *params
                                               : plan_pass_params(params, pass == POPLIN_PASS_FC_TRAINING_BWD ? 1 : 2);
}
static bool trains_layer(const poplin_conv_params *p, int pass)
{
    if (pass < POPLIN_PASS_FC_TRAINING_FWD || p->input_type == POP_QUARTER || p->input_type != p->output_type ||
        p->num_field_dims != 1 || p->batch_size != 1 || p->kernel_shape[0] != 1)
        return false;
    return poplin_conv_transformed_input_size(p, 0) == p->input_field_shape[0] &&
           poplin_conv_output_size(p, 0) == p->input_field_shape[0];
}

enum { PASSES = 3 };

/* Plans the three passes of a layer: each by itself or, if they take no more cycles together, all by one plan. */
static bool plan_layer(const pop_target *target, const struct plan_cached *asked, struct plan_cached passes[PASSES])
{
    poplin_conv_params forward = forward_params(&asked->planned.params, asked->options.pass);
    struct conv_options options = asked->options;
    uint64_t separate = 0;
    options.pass = POPLIN_PASS_FC_TRAINING_FWD;
    struct planning joint = search(target, &forward, &options, true);
    for (size_t i = 0; i < PASSES; ++i) {
        passes[i] = *asked;
        passes[i].options.pass = POPLIN_PASS_FC_TRAINING_FWD + (int)i;
        poplin_conv_params params = plan_pass_params(&forward, i);
        if (passes[i].options.pass != asked->options.pass)
            passes[i].planned.params = poplin_conv_params_canonicalize(&params);
        struct planning alone = search(target, &params, &passes[i].options, false);
        if (!alone.found)
            return false;
        separate += alone.cost.cycles;
        passes[i].planned.plan = alone.best;
        passes[i].planned.cost = alone.cost;
    }
    for (size_t i = 0; i < PASSES && joint.found && joint.cost.cycles <= separate; ++i) {
        struct conv_planned *planned = &passes[i].planned;
        poplin_conv_params params = plan_pass_params(&forward, i);
        planned->plan = plan_pass_plan(&joint.best, &forward, &options, i);
        struct params_transformed transformed;
        params_transform(&planned->plan.transform, &params, &transformed);
        struct plan_candidate c = plan_candidate_of(target, &transformed.params, &passes[i].options, &planned->plan);
        planned->cost = plan_cost(&c, &planned->plan.partition);
        plan_candidate_free(&c);
    }
    return true;
}

/* Lets the method complete its vertex type, now that the partition is known. */
static void complete(const pop_target *target, const struct conv_options *options, struct conv_planned *planned)
{
    struct params_transformed transformed;
    struct conv_plan *plan = &planned->plan;
    if (!plan->method->complete)
        return;
    params_transform(&plan->transform, &planned->params, &transformed);
    struct plan_candidate candidate = plan_candidate_of(target, &transformed.params, options, plan);
    struct plan_tile tile = plan_tile_of(&candidate, &plan->partition);
    plan->method->complete(plan, &candidate, &tile);
    plan_candidate_free(&candidate);
}

/* Plans what is asked, and with it the other passes of a fully connected layer. Returns the number of plans, which are
 * in `passes`, and that of the asked one in *own; 0: there is no plan. */
static size_t find_passes(const pop_target *target, const struct plan_cached *asked, struct plan_cached passes[PASSES],
                          size_t *own)
{
    bool alone = asked->options.share.objective == POPLIN_ALONE && !asked->options.is_constrained;
    size_t count = 1;
    *own = 0;
    passes[0] = *asked;
    if (alone && trains_layer(&asked->planned.params, asked->options.pass)) {
        *own = (size_t)(asked->options.pass - POPLIN_PASS_FC_TRAINING_FWD);
        count = plan_layer(target, asked, passes) ? PASSES : 0;
    } else {
        struct planning planning = search(target, &asked->planned.params, &asked->options, false);
        passes[0].planned.plan = planning.best;
        passes[0].planned.cost = planning.cost;
        count = planning.found;
    }
    for (size_t i = 0; i < count; ++i)
        complete(target, &passes[i].options, &passes[i].planned);
    return count;
}

static bool find(const pop_target *target, struct plan_cached *asked)
{
    struct plan_cached passes[PASSES];
    size_t own, count = find_passes(target, asked, passes, &own);
    if (count)
        *asked = passes[own];
    return count > 0;
}

/* ---- one convolution ---- */

/* Sets the first tile: that of the convolution's share of tiles, or a hash, so that convolutions do not all use the
 * same tiles. */
static void place(const struct conv_options *options, const poplin_conv_params *params, struct conv_plan *plan)
{
    plan->start_tile = options->share.first_tile;
    if (options->share.objective != POPLIN_ALONE ||
        (!options->enable_conv_dithering && !options->start_tile_multiplier))
        return;
    uint64_t hash = poplin_conv_params_hash(params),
             step = options->start_tile_multiplier ? options->start_tile_multiplier : 1;
    plan->start_tile = (unsigned)(hash % options->tiles_per_ipu * step % options->tiles_per_ipu) / 2 * 2;
    plan->reversed = hash >> 40 & 1;
}

/* Replaces sizes of 0 by 1: a convolution without elements is planned like a small one.  Its cost is zero.  True if
 * there was one. */
static bool fill_up(poplin_conv_params *params)
{
    size_t *const sizes[] = { &params->batch_size, &params->input_channels_per_conv_group,
                              &params->output_channels_per_conv_group, &params->num_conv_groups };
    bool empty = false;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        empty |= !*sizes[i];
        *sizes[i] = poplibs_max(*sizes[i], 1);
    }
    return empty;
}

/* Logs what is planned, with the words that programs search for. */
static void log_search(const struct plan_cached *asked)
{
    uint64_t limit = begin(&asked->target, &asked->planned.params, &asked->options, false).goal.max_bytes;
    if (limit)
        POPLIBS_LOG(INFO, "Planning convolution with a per-tile memory limit of %llu bytes across %u tiles",
                    (unsigned long long)limit, asked->options.tiles_per_ipu);
    else
        POPLIBS_LOG(INFO, "Planning convolution that uses the least memory across %u tiles",
                    asked->options.tiles_per_ipu);
    POPLIBS_LOG(DEBUG, "options of the convolution: availableMemoryProportion: %g, enableConvDithering: %s",
                asked->options.available_memory_proportion, asked->options.enable_conv_dithering ? "true" : "false");
}

/* Logs the plan, and a warning if it exceeds the memory limit. */
static void log_plan(const struct plan_cached *found)
{
    uint64_t budget = begin(&found->target, &found->planned.params, &found->options, false).goal.max_bytes;
    char text[4096];
    if (budget && found->planned.cost.bytes > budget && pop_log_on(POPLIBS_LIBRARY, POP_LOG_WARN)) {
        conv_params_text(&found->planned.params, text, sizeof(text));
        POPLIBS_LOG(WARN,
                    "no plan of the convolution %s fits in %llu bytes of a tile (availableMemoryProportion %g of %u): "
                    "the smallest one needs %llu bytes",
                    text, (unsigned long long)budget, found->options.available_memory_proportion,
                    found->target.bytes_per_tile, (unsigned long long)found->planned.cost.bytes);
    }
    if (pop_log_on(POPLIBS_LIBRARY, POP_LOG_DEBUG)) {
        plan_text(&found->planned.plan, &found->planned.cost, &found->planned.params, text, sizeof(text));
        POPLIBS_LOG(DEBUG, "plan of a convolution\n%s", text);
    }
}

static pop_status write_constraints(const struct call *call, const struct conv_options *options,
                                    const struct conv_plan *plan, pop_error *error)
{
    char text[800];
    if (!*options->constraints_output || plan_write_constraints(plan, options->constraints_output))
        return POP_OK;
    snprintf(text, sizeof(text), "planConstraintsOutputFilename: '%s' cannot be written", options->constraints_output);
    return call_set_error(call, error, POP_FILE_LOAD_ERROR, text);
}

/* Plans a convolution whose operands have the parameters' type. */
static pop_status find_typed(const struct call *call, const pop_target *target, const poplin_conv_params *params,
                             const struct conv_options *options, poplin_planning_cache *cache,
                             struct conv_planned *planned, pop_error *error)
{
    char text[800];
    struct plan_cached asked;
    memset(&asked, 0, sizeof(asked));
    asked.target = *target;
    poplin_conv_params with_field = params->num_field_dims ? *params : params_with_field(params);
    asked.planned.params = poplin_conv_params_canonicalize(&with_field);
    asked.options = *options;
    bool empty = fill_up(&asked.planned.params);
    if (!plan_cache_find(cache, &asked)) {
        struct plan_cached passes[PASSES];
        size_t own, count;
        log_search(&asked);
        count = find_passes(target, &asked, passes, &own);
        if (!count) {
            if (options->is_constrained)
                plan_blame(target, &asked, find, text, sizeof(text));
            else
                snprintf(text, sizeof(text), "the convolution has no plan on %u tiles", options->tiles_per_ipu);
            return call_set_error(call, error, options->is_constrained ? POP_INVALID_OPTION : POP_POPLAR_ERROR, text);
        }
        for (size_t i = 0; i < count; ++i)
            place(&passes[i].options, &passes[i].planned.params, &passes[i].planned.plan);
        asked = passes[own];
        pop_status status = write_constraints(call, options, &asked.planned.plan, error);
        if (status != POP_OK)
            return status;
        log_plan(&asked);
        for (size_t i = 0; i < count; ++i)
            plan_cache_insert(cache, &passes[i]);
    }
    *planned = asked.planned;
    if (empty)
        planned->cost = (struct plan_cost){ 0 };
    return POP_OK;
}

/* ---- operands of QUARTER ---- */

bool plan_can_keep_quarter(const pop_target *target)
{
    return pop_target_num_conv_units(target, POP_QUARTER, POP_HALF) && target->poplibs_release == POP_POPLIBS_2021;
}

/* Cycles in which all tiles cast their share of the operands. */
static uint64_t cast_cycles(const pop_target *target, const poplin_conv_params *params, unsigned tiles)
{
    uint64_t inputs = params->num_conv_groups * params->batch_size * params->input_channels_per_conv_group,
             weights = params->num_conv_groups * params->input_channels_per_conv_group *
                       params->output_channels_per_conv_group;
    for (size_t d = 0; d < params->num_field_dims; ++d) {
        inputs *= params->input_field_shape[d];
        weights *= params->kernel_shape[d];
    }
    return cycles_cast(target->num_worker_contexts, poplibs_ceil_div(inputs + weights, poplibs_max(tiles, 1)), false,
                       false);
}

/* Plans the operands as they are, and as HALF, once each; takes the faster plan. */
static pop_status find_quarter(const struct call *call, const pop_target *target, const poplin_conv_params *params,
                               const struct conv_options *options, poplin_planning_cache *cache,
                               struct conv_planned *planned, pop_error *error)
{
    struct conv_planned cast;
    poplin_conv_params halves = *params;
    struct conv_options keeping = *options, casting = *options;
    halves.input_type = POP_HALF;
    keeping.keeps_quarter = true;
    keeping.constraints_output[0] = casting.constraints_output[0] = '\0'; /* only those of the plan that is taken */
    bool kept =
        plan_can_keep_quarter(target) && find_typed(call, target, params, &keeping, cache, planned, NULL) == POP_OK;
    pop_status status = find_typed(call, target, &halves, &casting, cache, &cast, kept ? NULL : error);
    if (!kept && status != POP_OK)
        return status;
    if (!kept || (status == POP_OK &&
                  planned->cost.cycles > cast.cost.cycles + cast_cycles(target, params, options->tiles_per_ipu)))
        *planned = cast;
    return write_constraints(call, options, &planned->plan, error);
}

/* ---- interface ---- */

pop_status plan_find(const struct call *call, const pop_target *target, const poplin_conv_params *params,
                     const struct conv_options *options, poplin_planning_cache *cache, struct conv_planned *planned,
                     pop_error *error)
{
    if (params->input_type != POP_QUARTER)
        return find_typed(call, target, params, options, cache, planned, error);
    struct conv_options own = *options;
    conv_options_for_quarter(&own);
    return (own.keeps_quarter ? find_typed : find_quarter)(call, target, params, &own, cache, planned, error);
}

bool plan_get(const struct call *call, const poplin_conv_params *params, const struct conv_options *options,
              poplin_planning_cache *cache, struct conv_planned *planned)
{
    pop_error error;
    pop_status status = plan_find(call, pop_graph_target(call->graph), params, options, cache, planned, &error);
    return status == POP_OK || pop_graph_fail(call->graph, status, call->where, call->api, error.text);
}
