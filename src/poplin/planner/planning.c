/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of the planner: reports, planning in advance, operation counts. */
#include "poplin/params/call_log.h"
#include "poplin/params/params.h"
#include "poplin/planner/plan.h"
#include "poplin/planner/planner.h"

#include <poplin/conv_util.h>
#include <poplin/planning.h>
#include <pthread.h>
#include <unistd.h>

/* ---- reports ---- */

static bool find(const struct call *call, const poplin_conv_params *params, pop_options given,
                 poplin_planning_cache *cache, struct conv_planned *planned)
{
    struct conv_options options;
    return call_ready(call) && params_valid(call, params) &&
           conv_options_parse(call, pop_graph_target(call->graph), given, &options) &&
           plan_get(call, params, &options, cache, planned);
}

static size_t report(const struct call *call, const poplin_conv_params *params, poplin_planning_cache *cache,
                     char *buffer, size_t size)
{
    struct conv_planned planned;
    if (size)
        *buffer = 0;
    return find(call, params, call->options, cache, &planned)
               ? plan_text(&planned.plan, &planned.cost, params, buffer, size)
               : 0;
}
size_t poplin_report_plan_info_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                  pop_options options, poplin_planning_cache *cache, char *buffer, size_t size)
{
    POPLIBS_CALL(graph, log_written(params, log_params), options, size);
    return report(call, params, cache, buffer, size);
}
size_t poplin_report_weight_update_plan_info_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                                pop_options options, poplin_planning_cache *cache, char *buffer,
                                                size_t size)
{
    POPLIBS_CALL(graph, log_written(params, log_params), options, size);
    if (!call_ready(call) || !params_valid(call, params))
        return report(call, params, cache, buffer, size);
    poplin_conv_params update = poplin_get_weight_update_params(params);
    return report(call, &update, cache, buffer, size);
}

poplin_plan_costs poplin_report_plan_estimated_costs_at(pop_where where, pop_graph *graph,
                                                        const poplin_conv_params *params, pop_options options,
                                                        poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_params), options);
    struct conv_planned planned;
    bool found = find(call, params, options, cache, &planned);
    return found ? (poplin_plan_costs){ planned.cost.cycles, planned.cost.bytes } : (poplin_plan_costs){ 0, 0 };
}
poplin_detailed_plan_costs poplin_report_detailed_plan_estimated_costs_at(pop_where where, pop_graph *graph,
                                                                          const poplin_conv_params *params,
                                                                          pop_options options,
                                                                          poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_params), options);
    struct conv_planned planned;
    bool found = find(call, params, options, cache, &planned);
    return found ? planned.cost.steps : (poplin_detailed_plan_costs){ 0 };
}

bool poplin_convolution_validate_options_at(pop_where where, pop_graph *graph, pop_options options)
{
    POPLIBS_CALL(graph, options);
    struct conv_options parsed;
    return call_ready(call) && conv_options_parse(call, pop_graph_target(graph), options, &parsed);
}

/* ---- planning in advance ---- */

struct planning_work {
    const struct call *call;
    const poplin_conv_plan_request *requests;
    size_t count, next;
    poplin_planning_cache *cache;
    pthread_mutex_t lock;
    size_t failed; /* index of the first request that failed */
    pop_status status;
    pop_error error;
};

static pop_status plan_one(const struct planning_work *work, const poplin_conv_plan_request *request, pop_error *error)
{
    struct conv_options options;
    struct conv_planned planned;
    pop_error found;
    struct call call = call_reporting(work->call, &found);
    if (!params_valid(&call, request->params) ||
        !conv_options_parse(&call, request->target, request->options, &options))
        return call_report(&call, error);
    return plan_find(work->call, request->target, request->params, &options, work->cache, &planned, error);
}
static void *plan_some(void *user)
{
    struct planning_work *work = user;
    for (;;) {
        pop_error error;
        pthread_mutex_lock(&work->lock);
        size_t i = work->next++;
        pthread_mutex_unlock(&work->lock);
        if (i >= work->count)
            return NULL;
        pop_status status = plan_one(work, &work->requests[i], &error);
        pthread_mutex_lock(&work->lock);
        if (status != POP_OK && i < work->failed) {
            work->failed = i;
            work->status = status;
            work->error = error;
        }
        pthread_mutex_unlock(&work->lock);
    }
}

pop_status poplin_preplan_convolutions_at(pop_where where, const poplin_conv_plan_request *requests, size_t count,
                                          poplin_planning_cache *cache, pop_error *error)
{
    POPLIBS_CALL(NULL, count);
    enum { MAX_THREADS = 64 };
    pthread_t threads[MAX_THREADS];
    struct planning_work work = { call, requests, count, 0, cache, PTHREAD_MUTEX_INITIALIZER, SIZE_MAX, POP_OK, { 0 } };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = poplibs_min(poplibs_min(count, MAX_THREADS), processors > 1 ? (size_t)processors : 1), started = 0;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, plan_some, &work) == 0)
        ++started;
    plan_some(&work);
    for (size_t i = 0; i < started; ++i)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&work.lock);
    if (work.status != POP_OK && error)
        *error = work.error;
    return work.status;
}

/* ---- operation counts ---- */

/* The number of pairs of an output and a kernel element along a dimension that multiply an input element. */
static uint64_t pairs(const poplin_conv_params *p, unsigned d)
{
    uint64_t count = 0;
    size_t outputs = poplin_conv_output_size(p, d);
    for (size_t o = 0; o < outputs; ++o)
        for (size_t k = 0; k < p->kernel_shape[d]; ++k)
            count += poplin_get_input_index(d, (unsigned)o, (unsigned)k, p) != POPLIN_NO_INDEX;
    return count;
}
/* The sum of n products takes n - 1 additions. */
uint64_t poplin_get_fwd_flops(const poplin_conv_params *p)
{
    uint64_t met = 1, outputs = 1;
    for (unsigned d = 0; d < params_dims(p); ++d) {
        met *= pairs(p, d);
        outputs *= poplin_conv_output_size(p, d);
    }
    uint64_t planes = p->batch_size * p->num_conv_groups * p->output_channels_per_conv_group;
    uint64_t products = met * p->input_channels_per_conv_group;
    return products ? planes * (2 * products - outputs) : 0;
}
/* The gradients multiply the same pairs. */
static uint64_t products(const poplin_conv_params *p)
{
    uint64_t met =
        p->batch_size * p->num_conv_groups * p->output_channels_per_conv_group * p->input_channels_per_conv_group;
    for (unsigned d = 0; d < params_dims(p); ++d)
        met *= pairs(p, d);
    return met;
}
static uint64_t elements(const size_t *shape, size_t dims)
{
    uint64_t count = 1;
    for (size_t d = 0; d < dims; ++d)
        count *= shape[d];
    return count;
}
static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : a;
}
uint64_t poplin_get_bwd_flops(const poplin_conv_params *p)
{
    uint64_t planes = p->batch_size * p->num_conv_groups * p->input_channels_per_conv_group;
    return less(2 * products(p), planes * elements(p->input_field_shape, params_dims(p)));
}
uint64_t poplin_get_wu_flops(const poplin_conv_params *p)
{
    uint64_t planes = p->num_conv_groups * p->input_channels_per_conv_group * p->output_channels_per_conv_group;
    return less(2 * products(p), planes * elements(p->kernel_shape, params_dims(p)));
}

/* Cycles if the conv units of all tiles multiply at their full rate. */
static double perfect(const pop_graph *graph, const poplin_conv_params *p, uint64_t flops)
{
    const pop_target *target = pop_graph_target(graph);
    double tiles = pop_target_num_tiles(target), units;
    if (p->input_type == POP_FLOAT)
        units = (double)target->fp32_in_fp32_out_conv_units * target->fp32_conv_unit_input_load_elems_per_cycle;
    else
        units = (double)(target->fp16_in_fp16_out_conv_units > target->fp16_in_fp32_out_conv_units
                             ? target->fp16_in_fp16_out_conv_units
                             : target->fp16_in_fp32_out_conv_units) *
                target->fp16_conv_unit_input_load_elems_per_cycle;
    if (units < 1)
        units = pop_target_vector_width(target, p->input_type);
    return (double)flops / (2 * units * tiles);
}
double poplin_get_fwd_perfect_cycle_count(const pop_graph *graph, const poplin_conv_params *p)
{
    return perfect(graph, p, poplin_get_fwd_flops(p));
}
double poplin_get_bwd_perfect_cycle_count(const pop_graph *graph, const poplin_conv_params *p)
{
    return perfect(graph, p, poplin_get_bwd_flops(p));
}
double poplin_get_wu_perfect_cycle_count(const pop_graph *graph, const poplin_conv_params *p)
{
    return perfect(graph, p, poplin_get_wu_flops(p));
}
