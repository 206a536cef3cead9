/* SPDX-License-Identifier: Apache-2.0 */
/* Planning of convolutions and matrix products: the cache of plans, estimated costs, reports.
 *
 * An operation searches for a plan when it first needs it; with a cache a repeated search is free.  A cache may serve
 * several graphs and threads.  Options are those of poplin/convolution.h. */
#ifndef POPLIN_PLANNING_H
#define POPLIN_PLANNING_H

#include <poplin/conv_params.h>

typedef struct poplin_planning_cache poplin_planning_cache; /* owned by the caller */

/* Estimates of the planner. */
typedef struct poplin_plan_costs {
    uint64_t cycles; /* of the whole convolution */
    uint64_t memory; /* bytes on the fullest tile that are live only during the convolution */
} poplin_plan_costs;

/* Estimates for each step of a convolution. */
typedef struct poplin_detailed_plan_costs {
    uint64_t parallel_split, serial_split; /* tiles in use; repetitions of the steps from dynamic_slice on */
    /* each step of a convolution in the order in which they run, and their sum */
    poplin_plan_costs broadcast, rearrangement, dynamic_slice, transform, exchange, tile_level_transform, input_cast,
        compute, reduction, dynamic_update, add_in_place, output_cast, total;
} poplin_detailed_plan_costs;

/* One convolution to be planned. */
typedef struct poplin_conv_plan_request {
    const pop_target *target;         /* for which it is planned */
    const poplin_conv_params *params; /* the convolution */
    pop_options options;              /* those of the call that will use the plan */
} poplin_conv_plan_request;

POP_BEGIN_DECLS

POP_API poplin_planning_cache *poplin_planning_cache_create(void);             /* never NULL */
POP_API void poplin_planning_cache_destroy(poplin_planning_cache *cache);      /* may be NULL */
POP_API size_t poplin_planning_cache_size(const poplin_planning_cache *cache); /* number of plans */

/* Plans convolutions into the cache, on all processors of the host.  Fails with the first request's error. */
#define poplin_preplan_convolutions(...) poplin_preplan_convolutions_at(POP_HERE, __VA_ARGS__)
POP_API pop_status poplin_preplan_convolutions_at(pop_where where, const poplin_conv_plan_request *requests,
                                                  size_t count, poplin_planning_cache *cache, pop_error *error);

/* Writes the plan of a convolution as lines of text.  Returns the length of the whole text; the buffer is always
 * terminated; 0 after an error of the graph.  cache may be NULL. */
#define poplin_report_plan_info(...) poplin_report_plan_info_at(POP_HERE, __VA_ARGS__)
POP_API size_t poplin_report_plan_info_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                          pop_options options, poplin_planning_cache *cache, char *buffer, size_t size);
#define poplin_report_weight_update_plan_info(...) poplin_report_weight_update_plan_info_at(POP_HERE, __VA_ARGS__)
/* Writes the plan of the convolution that updates the weights of the forward convolution params, as
 * poplin_report_plan_info. */
POP_API size_t poplin_report_weight_update_plan_info_at(pop_where where, pop_graph *graph,
                                                        const poplin_conv_params *params, pop_options options,
                                                        poplin_planning_cache *cache, char *buffer, size_t size);
#define poplin_report_plan_estimated_costs(...) poplin_report_plan_estimated_costs_at(POP_HERE, __VA_ARGS__)
/* The costs of the plan of a convolution; zeros after an error of the graph. */
POP_API poplin_plan_costs poplin_report_plan_estimated_costs_at(pop_where where, pop_graph *graph,
                                                                const poplin_conv_params *params, pop_options options,
                                                                poplin_planning_cache *cache);
#define poplin_report_detailed_plan_estimated_costs(...)                                                               \
    poplin_report_detailed_plan_estimated_costs_at(POP_HERE, __VA_ARGS__)
/* The costs of each step of the plan of a convolution; zeros after an error of the graph. */
POP_API poplin_detailed_plan_costs poplin_report_detailed_plan_estimated_costs_at(pop_where where, pop_graph *graph,
                                                                                  const poplin_conv_params *params,
                                                                                  pop_options options,
                                                                                  poplin_planning_cache *cache);
/* Whether a convolution takes these options; otherwise the graph has an error. */
#define poplin_convolution_validate_options(...) poplin_convolution_validate_options_at(POP_HERE, __VA_ARGS__)
POP_API bool poplin_convolution_validate_options_at(pop_where where, pop_graph *graph, pop_options options);

/* The number of floating-point operations (an addition is one, a multiplication is one) on elements that are not
 * padding, of a forward convolution and of its gradients. */
POP_API uint64_t poplin_get_fwd_flops(const poplin_conv_params *params);
POP_API uint64_t poplin_get_bwd_flops(const poplin_conv_params *params);
POP_API uint64_t poplin_get_wu_flops(const poplin_conv_params *params);
/* The cycles that these take if every tile of the graph runs at its peak rate. */
POP_API double poplin_get_fwd_perfect_cycle_count(const pop_graph *graph, const poplin_conv_params *params);
POP_API double poplin_get_bwd_perfect_cycle_count(const pop_graph *graph, const poplin_conv_params *params);
POP_API double poplin_get_wu_perfect_cycle_count(const pop_graph *graph, const poplin_conv_params *params);

POP_END_DECLS
#endif
