/* SPDX-License-Identifier: Apache-2.0 */
/* The outer search: transforms times vertices, each of which plan_search splits in the best way.  What was found so far
 * bounds what follows, so the order matters for time alone. */
#include "poplin/planner/plan.h"
#include "poplin/params/conv_params.h"
#include "poplin/planner/plan_params.h"
#include "poplin/planner/plan_rank.h"
#include "poplin/planner/plan_text.h"

#include "poplibs/log.h"
#include "poplin/params/params.h"
#include "poplin/planner/plan_blame.h"
#include "poplin/planner/plan_cache.h"
#include "poplin/planner/plan_search.h"
#include "poplin/planner/plan_work.h"

struct planning {
    const pop_target *target;
    const poplin_conv_params *params;
    const struct poplin_conv_options *options;
    struct plan_goal goal;
    enum poplin_method method; /* that is tried: the quickest first, with all transforms */
    bool joint, found;
    struct poplin_plan best;
    struct poplin_plan_cost cost;
};

static bool allows(unsigned constraint, unsigned value)
{
    return constraint == POPLIN_FREE || constraint == value;
}

/* ---- one vertex ---- */

/* Forward parameters of a fully connected layer as those of its other passes (1 backward, 2 update). */
static poplin_conv_params pass_params(const poplin_conv_params *forward, size_t pass)
{
    poplin_conv_params p = *forward;
    size_t *field = &p.input_field_shape[p.num_field_dims - 1], in = p.input_channels_per_conv_group;
    if (pass == 1) {
        p.input_channels_per_conv_group = *field;
        *field = in;
    } else if (pass == 2) {
        p.input_channels_per_conv_group = p.output_channels_per_conv_group;
        p.output_channels_per_conv_group = in;
    }
    return p;
}
static struct poplin_plan pass_plan(const struct poplin_plan *forward, size_t pass)
{
    struct poplin_plan plan = *forward;
    plan.partition = plan_joint_partition(&forward->partition, pass, forward->num_field_dims - 1);
    if (pass == 1)
        plan.tile_order = POPLIN_ORDER_FC_BWD_AS_CONV;
    if (pass == 2) {
        plan.tile_order = POPLIN_ORDER_FC_WU;
        plan.in_chans_per_group = forward->partial_chans_per_group;
        plan.partial_chans_per_group = forward->in_chans_per_group;
    }
    return plan;
}

/* Tries a vertex; plan has the transform and the vertex. */
static void try_vertex(struct planning *planning, const struct poplin_plan *vertex)
{
    const struct poplin_plan_constraints *fixed = planning->goal.constraints;
    if (!allows(fixed->conv_groups_per_group, vertex->conv_groups_per_group) ||
        !allows(fixed->in_chans_per_group, vertex->in_chans_per_group) ||
        !allows(fixed->partial_chans_per_group, vertex->partial_chans_per_group) ||
        ((vertex->method == POPLIN_AMP || vertex->method == POPLIN_SLIC) &&
         !allows(fixed->num_conv_units, vertex->num_conv_units)))
        return;
    struct poplin_plan plan = *vertex;
    struct poplin_partition *p = &plan.partition;
    size_t last = plan.num_field_dims - 1;
    for (size_t d = 0; d <= last; ++d)
        p->field_grain[d] = 1;
    if (planning->joint)
        p->field_grain[last] = plan.in_chans_per_group;
    else if (planning->params->output_type == POP_HALF && plan.partial_chans_per_group % 2 &&
             !plan.transform.swap_operands)
        p->field_grain[last] = 2;
    p->conv_group_grain = plan.conv_groups_per_group;
    p->in_chan_grain = plan.in_chans_per_group;
    p->out_chan_grain = plan.partial_chans_per_group;
    plan.is_joint = planning->joint;
    bool halves = planning->params->input_type == POP_HALF && planning->options->inter_tile_partials_type == POP_HALF;
    plan.sum_type = halves ? POP_HALF : plan.tile_partial_type;

    struct plan_candidate candidates[3];
    struct poplin_conv_options options[3];
    struct plan_passes passes = { { &candidates[0], &candidates[1], &candidates[2] }, planning->joint ? 3 : 1 };
    for (size_t i = 0; i < passes.count; ++i) {
        options[i] = *planning->options;
        options[i].pass += (int)i; /* forward, backward, update follow each other */
        poplin_conv_params params = pass_params(planning->params, i);
        struct poplin_plan of_pass = pass_plan(&plan, i);
        candidates[i] = plan_candidate_of(planning->target, &params, &options[i], i ? &of_pass : &plan);
    }
    struct poplin_plan_cost cost;
    bool hopeless = plan_rank_from_cycles(&planning->goal, plan_least_work(&candidates[0], planning->goal.tiles)) >=
                    planning->goal.best;
    if (!hopeless && plan_search(&passes, &planning->goal, p, &cost)) {
        struct plan_tile tile = plan_tile_of(&candidates[0], p);
        plan.is_1x1 = plan_is_1x1(&candidates[0], &tile);
        planning->found = true;
        planning->best = plan;
        planning->cost = cost;
        planning->goal.best = plan_rank(&planning->goal, &cost);
    }
    for (size_t i = 0; i < passes.count; ++i)
        plan_candidate_free(&candidates[i]);
}

/* ---- all vertices of a transformed convolution ---- */

/* Outputs in groups of the weights that a conv unit takes need no other layout for the next convolution; a fully
 * connected layer's are not regrouped. */
static void try_amp(struct planning *planning, const poplin_conv_params *p, struct poplin_plan plan)
{
    const pop_target *target = planning->target;
    unsigned all = pop_target_num_conv_units(target, p->input_type, plan.tile_partial_type);
    unsigned weights = pop_target_weights_per_conv_unit(target, p->input_type),
             element = pop_target_type_size(target, p->input_type);
    bool fully_connected = poplin_pass_is_fully_connected(planning->options->pass);
    /* the second half of 16 units would have nothing to do for so few outputs */
    bool idle = fully_connected && all == 16 && p->output_channels_per_conv_group <= 8,
         halve = planning->options->enable_amp_half_engines_plan || idle;
    for (unsigned units = all; units && units >= 4 && (units == all || halve) && 2 * units >= all; units /= 2)
        for (unsigned in = weights; in && in * element % 8 == 0; in /= 2)
            for (unsigned i = 0; i < 2; ++i) {
                unsigned out = i ? weights : units;
                if ((i && (weights == units || fully_connected)) || (planning->joint && in % units))
                    continue;
                plan.num_conv_units = units;
                plan.in_chans_per_group = in;
                plan.partial_chans_per_group = out;
                try_vertex(planning, &plan);
            }
}

/* A window of four positions along the last dimension, and four output channels, of one convolution or several. */
static void try_slic(struct planning *planning, const poplin_conv_params *p, struct poplin_plan plan)
{
    const struct poplin_plan_constraints *fixed = planning->goal.constraints;
    const poplin_output_transform *out = &p->output_transform;
    plan.num_conv_units = pop_target_num_conv_units(planning->target, p->input_type, plan.tile_partial_type);
    plan.slic_window_width = POPLIN_SLIC_WINDOW;
    if (p->input_type != POP_HALF || out->stride[p->num_field_dims - 1] > 2 ||
        poplin_pass_is_fully_connected(planning->options->pass) ||
        (plan.num_conv_units != 8 && plan.num_conv_units != 16) ||
        !allows(fixed->slic_window_width, plan.slic_window_width))
        return;
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (out->padding_lower[d] || out->padding_upper[d]) /* outputs that no place of the input is for */
            return;
    for (unsigned groups = 4; groups; groups /= 2) {
        plan.conv_groups_per_group = groups;
        plan.in_chans_per_group = plan.partial_chans_per_group = 4 / groups;
        try_vertex(planning, &plan);
    }
}

static void try_mac(struct planning *planning, const poplin_conv_params *p, struct poplin_plan plan)
{
    size_t grain = 8 / pop_target_type_size(planning->target, p->input_type),
           channels = p->input_channels_per_conv_group;
    size_t whole = poplibs_ceil_div(channels, grain) * grain, groups = SIZE_MAX;
    plan.partial_chans_per_group = plan.tile_partial_type == POP_FLOAT ? 1 : 2;
    for (size_t in = grain; in <= whole; in += grain) {
        if (poplibs_ceil_div(channels, in) == groups)
            continue;
        groups = poplibs_ceil_div(channels, in);
        plan.in_chans_per_group = (unsigned)in;
        try_vertex(planning, &plan);
    }
}

/* Each element of the input meets the one element of the kernel, and that is an element of the output: nothing is cut
 * off, put around or left out. */
static bool is_plain(const poplin_conv_params *p, size_t d)
{
    const poplin_input_transform *in = &p->input_transform, *kernel = &p->kernel_transform;
    return p->kernel_shape[d] == 1 && poplin_conv_transformed_kernel_size(p, d) == 1 &&
           kernel->truncation_lower[d] + kernel->truncation_upper[d] == 0 &&
           poplin_conv_transformed_input_size(p, d) == p->input_field_shape[d] &&
           in->truncation_lower[d] + in->truncation_upper[d] == 0 && p->output_transform.stride[d] == 1 &&
           poplin_conv_output_size(p, d) == p->input_field_shape[d] && p->output_transform.padding_lower[d] == 0;
}
static void try_outer_product(struct planning *planning, const poplin_conv_params *p, struct poplin_plan plan)
{
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (!is_plain(p, d))
            return;
    if (p->input_channels_per_conv_group != 1 || p->batch_size != 1)
        return;
    plan.tile_partial_type = p->input_type;
    plan.in_chans_per_group = 1;
    plan.partial_chans_per_group = pop_target_vector_width(planning->target, p->input_type);
    try_vertex(planning, &plan);
}

static void try_vertices(struct planning *planning, const struct poplin_transform *transform,
                         const poplin_conv_params *transformed)
{
    const struct poplin_conv_options *options = planning->options;
    struct poplin_plan plan;
    memset(&plan, 0, sizeof(plan));
    plan.transform = *transform;
    plan.num_field_dims = (unsigned)transformed->num_field_dims;
    plan.conv_groups_per_group = 1;
    plan.tile_partial_type = transformed->input_type == POP_FLOAT ? POP_FLOAT : options->partials_type;
    plan.result_type = transformed->output_type;
    plan.method = planning->method;
    if (plan.method == POPLIN_AMP)
        try_amp(planning, transformed, plan);
    else if (plan.method == POPLIN_SLIC)
        try_slic(planning, transformed, plan);
    else if (plan.method == POPLIN_MAC)
        try_mac(planning, transformed, plan);
    else if (plan.method == POPLIN_OUTER_PRODUCT)
        try_outer_product(planning, transformed, plan);
}

/* ---- all transforms ---- */

/* Dimensions whose kernel positions are worth being input channels. */
static unsigned worth_expanding(const poplin_conv_params *p)
{
    unsigned dims = 0;
    for (unsigned d = 0; d < p->num_field_dims; ++d)
        dims |=
            poplin_conv_truncated_kernel_size(p, d) > 1 && p->input_field_shape[d] >= p->kernel_shape[d] ? 1u << d : 0;
    return dims;
}
/* Dimensions whose field positions are worth being output channels: such that the kernel is not the smaller of the two.
 */
static unsigned worth_flattening(const poplin_conv_params *p)
{
    unsigned dims = 0;
    for (unsigned d = 0; d < p->num_field_dims; ++d)
        dims |= p->input_field_shape[d] > 1 && p->kernel_shape[d] >= p->input_field_shape[d] ? 1u << d : 0;
    return dims;
}
static unsigned most_combined(const struct planning *planning, const poplin_conv_params *p)
{
    size_t channels = p->input_channels_per_conv_group;
    if (channels < 1 || channels > 2 || p->num_conv_groups < 2 || planning->options->disable_transformations)
        return 1;
    return (p->input_type == POP_HALF ? 16u : 8u) / (unsigned)channels;
}

static void try_flattened(struct planning *planning, struct poplin_transform t, const poplin_conv_params *expanded)
{
    const struct poplin_plan_constraints *fixed = planning->goal.constraints;
    unsigned worth = planning->options->disable_transformations ? 0 : worth_flattening(expanded);
    for (unsigned dims = 0; dims <= worth; ++dims) {
        if ((dims & ~worth) || !allows(fixed->out_chan_flatten_dims, dims))
            continue;
        t.out_chan_flatten_dims = dims;
        poplin_conv_params flat = poplin_params_flatten_out_chans(expanded, dims);
        t.flatten_dims = poplin_params_flattenable(&flat);
        unsigned most = most_combined(planning, &flat);
        for (unsigned factor = 1; factor <= most; factor *= 2) {
            if (!allows(fixed->combine_conv_groups_factor, factor) || factor > flat.num_conv_groups)
                continue;
            t.combine_conv_groups_factor = factor;
            poplin_conv_params transformed = poplin_plan_apply(&t, planning->params);
            try_vertices(planning, &t, &transformed);
        }
    }
}

static void try_transforms(struct planning *planning)
{
    const struct poplin_plan_constraints *fixed = planning->goal.constraints;
    bool plain = planning->options->disable_transformations || planning->joint;
    struct poplin_transform t = { .extra_field_dims = planning->params->num_field_dims < 2 ? 1 : 0,
                                  .combine_conv_groups_factor = 1 };
    poplin_conv_params base = poplin_params_add_field_dims(planning->params, t.extra_field_dims);
    for (unsigned swap = 0; swap < (plain ? 1 : 2); ++swap) {
        if (!allows(fixed->swap_operands, swap))
            continue;
        t.swap_operands = swap;
        poplin_conv_params swapped = swap ? poplin_params_swap_operands(&base) : base;
        unsigned worth = plain ? 0 : worth_expanding(&swapped);
        for (unsigned dims = 0; dims <= worth; ++dims) {
            if ((dims & ~worth) || !allows(fixed->expand_dims, dims))
                continue;
            poplin_conv_params expanded = swapped;
            for (unsigned d = 0; d < expanded.num_field_dims; ++d)
                if (dims >> d & 1)
                    expanded = poplin_params_expand_dim(&expanded, d);
            t.expand_dims = dims;
            try_flattened(planning, t, &expanded);
        }
    }
}

static void try_all(struct planning *planning)
{
    static const enum poplin_method methods[] = { POPLIN_AMP, POPLIN_SLIC, POPLIN_OUTER_PRODUCT, POPLIN_MAC };
    for (unsigned a = 0; a < planning->options->alternatives; ++a) {
        planning->goal.constraints = &planning->options->constraints[a];
        for (size_t i = 0; i < (planning->joint ? 1 : sizeof(methods) / sizeof(*methods)); ++i)
            if (allows(planning->goal.constraints->method, methods[i])) {
                planning->method = methods[i];
                try_transforms(planning);
            }
    }
}

/* ---- one convolution ---- */

static struct planning begin(const pop_target *target, const poplin_conv_params *params,
                             const struct poplin_conv_options *options, bool joint)
{
    struct planning planning;
    memset(&planning, 0, sizeof(planning));
    planning.target = target;
    planning.params = params;
    planning.options = options;
    planning.joint = joint;
    planning.goal = (struct plan_goal){
        options->share.objective, (uint64_t)(target->bytes_per_tile * options->available_memory_proportion),
        options->tiles_per_ipu,   options->constraints,
        &options->share,          UINT64_MAX
    };
    return planning;
}
/* The best plan that fits; where none does, and where no memory is allowed, the smallest. */
static struct planning search(const pop_target *target, const poplin_conv_params *params,
                              const struct poplin_conv_options *options, bool joint)
{
    struct planning planning = begin(target, params, options, joint);
    if (planning.goal.most_bytes)
        try_all(&planning);
    if (!planning.found && !joint) {
        planning.goal.objective = POPLIN_LEAST_MEMORY;
        planning.goal.most_bytes = UINT64_MAX;
        try_all(&planning);
    }
    return planning;
}

/* Passes of a fully connected layer: the forward pass' parameters from those of any. */
static poplin_conv_params forward_params(const poplin_conv_params *params, int pass)
{
    return pass == POPLIN_PASS_FC_TRAINING_FWD ? *params
                                               : pass_params(params, pass == POPLIN_PASS_FC_TRAINING_BWD ? 1 : 2);
}
static bool trains_layer(const poplin_conv_params *p, int pass)
{
    if (pass < POPLIN_PASS_FC_TRAINING_FWD || p->num_field_dims != 1 || p->batch_size != 1 || p->kernel_shape[0] != 1)
        return false;
    return poplin_conv_transformed_input_size(p, 0) == p->input_field_shape[0] &&
           poplin_conv_output_size(p, 0) == p->input_field_shape[0];
}

static bool plan_layer(const pop_target *target, const struct plan_cached *asked, struct poplin_plan *plan,
                       struct poplin_plan_cost *cost)
{
    struct poplin_conv_options options = asked->options;
    poplin_conv_params forward = forward_params(&asked->params, asked->options.pass), params[3];
    size_t pass = (size_t)(asked->options.pass - POPLIN_PASS_FC_TRAINING_FWD);
    uint64_t separate = 0;
    struct planning own = { 0 };
    options.pass = POPLIN_PASS_FC_TRAINING_FWD;
    struct planning joint = search(target, &forward, &options, true);
    for (size_t i = 0; i < 3; ++i) {
        params[i] = pass_params(&forward, i);
        options.pass = POPLIN_PASS_FC_TRAINING_FWD + (int)i;
        struct planning alone = search(target, &params[i], &options, false);
        if (!alone.found)
            return false;
        separate += alone.cost.cycles;
        if (i == pass)
            own = alone;
    }
    *plan = own.best;
    *cost = own.cost;
    if (joint.found && joint.cost.cycles <= separate) {
        *plan = pass_plan(&joint.best, pass);
        struct plan_candidate c = plan_candidate_of(target, &params[pass], &asked->options, plan);
        struct plan_tile tile = plan_tile_of(&c, &plan->partition);
        plan->is_1x1 = plan_is_1x1(&c, &tile);
        *cost = plan_cost(&c, &plan->partition);
        plan_candidate_free(&c);
    }
    return true;
}

static bool find(const pop_target *target, struct plan_cached *asked)
{
    bool alone = asked->options.share.objective == POPLIN_ALONE && !asked->options.is_constrained;
    if (alone && trains_layer(&asked->params, asked->options.pass))
        return plan_layer(target, asked, &asked->plan, &asked->cost);
    struct planning planning = search(target, &asked->params, &asked->options, false);
    asked->plan = planning.best;
    asked->cost = planning.cost;
    return planning.found;
}

/* ---- what others call ---- */

/* Where convolutions begin: with their share of the tiles, or so that not all use the same ones. */
static void place(const struct poplin_conv_options *options, const poplin_conv_params *params, struct poplin_plan *plan)
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

/* Sizes of 0 become 1: a convolution without elements is planned as one of a few, and costs nothing.  True where there
 * was one. */
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

/* What was planned, and a budget that it does not keep. */
static void log_plan(const struct plan_cached *found)
{
    uint64_t budget = begin(&found->target, &found->params, &found->options, false).goal.most_bytes;
    char text[4096];
    if (budget && found->cost.bytes > budget && pop_log_on(POPLIBS_LIBRARY, POP_LOG_WARN)) {
        poplin_conv_params_text(&found->params, text, sizeof(text));
        POPLIBS_LOG(WARN,
                    "no plan of the convolution %s keeps to %llu bytes of a tile (availableMemoryProportion %g of %u): "
                    "the smallest one takes %llu bytes",
                    text, (unsigned long long)budget, found->options.available_memory_proportion,
                    found->target.bytes_per_tile, (unsigned long long)found->cost.bytes);
    }
    if (pop_log_on(POPLIBS_LIBRARY, POP_LOG_DEBUG)) {
        poplin_plan_text(&found->plan, &found->cost, &found->params, text, sizeof(text));
        POPLIBS_LOG(DEBUG, "plan of a convolution\n%s", text);
    }
}

pop_status poplin_plan_find(pop_where where, const pop_target *target, const char *api,
                            const poplin_conv_params *params, const struct poplin_conv_options *options,
                            poplin_planning_cache *cache, struct poplin_plan *plan, struct poplin_plan_cost *cost,
                            pop_error *error)
{
    char text[800];
    struct plan_cached asked;
    memset(&asked, 0, sizeof(asked));
    asked.target = *target;
    poplin_conv_params with_field = params->num_field_dims ? *params : poplin_params_with_field(params);
    asked.params = poplin_conv_params_canonicalize(&with_field);
    asked.options = *options;
    bool empty = fill_up(&asked.params);
    if (!plan_cache_find(cache, &asked)) {
        if (!find(target, &asked)) {
            if (options->is_constrained)
                plan_blame(target, &asked, find, text, sizeof(text));
            else
                snprintf(text, sizeof(text), "the convolution has no plan on %u tiles", options->tiles_per_ipu);
            return poplin_fail(error, options->is_constrained ? POP_INVALID_OPTION : POP_POPLAR_ERROR, where, api,
                               text);
        }
        place(options, &asked.params, &asked.plan);
        if (*options->constraints_output && !poplin_plan_write_constraints(&asked.plan, options->constraints_output)) {
            snprintf(text, sizeof(text), "planConstraintsOutputFilename: '%s' cannot be written",
                     options->constraints_output);
            return poplin_fail(error, POP_FILE_LOAD_ERROR, where, api, text);
        }
        log_plan(&asked);
        plan_cache_insert(cache, &asked);
    }
    *plan = asked.plan;
    if (cost)
        *cost = empty ? (struct poplin_plan_cost){ 0 } : asked.cost;
    return POP_OK;
}

bool poplin_plan_get(pop_where where, pop_graph *graph, const char *api, const poplin_conv_params *params,
                     const struct poplin_conv_options *options, poplin_planning_cache *cache, struct poplin_plan *plan,
                     struct poplin_plan_cost *cost)
{
    pop_error error;
    pop_status status =
        poplin_plan_find(where, pop_graph_target(graph), api, params, options, cache, plan, cost, &error);
    return status == POP_OK || pop_graph_fail(graph, status, where, api, error.text);
}
