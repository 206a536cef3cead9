/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/pooling/pooling.h"
#include "popnn/support.h"

#include <poplin/convolution.h>
#include <poputil/tile_mapping.h>

bool pool_is_convolution(const popnn_pool_params *params)
{
    if (params->type == POPNN_POOL_MAX)
        return false;
    for (unsigned i = 0; i < params->dims; ++i) {
        int lower = params->padding_lower[i], upper = params->padding_upper[i];
        if (lower < 0 || upper < 0 || (params->type == POPNN_POOL_AVG && (lower || upper)))
            return false;
    }
    return true;
}

static poplin_conv_params convolution_of(const popnn_pool_params *params)
{
    poplin_conv_params conv = poplin_conv_params_make(
        params->data_type, params->data_type, params->batch, (pop_shape){ params->dims, params->input_field },
        (pop_shape){ params->dims, params->kernel }, 1, 1, params->channels);
    for (unsigned i = 0; i < params->dims; ++i) {
        conv.input_transform.padding_lower[i] = (unsigned)params->padding_lower[i];
        conv.input_transform.padding_upper[i] = (unsigned)params->padding_upper[i];
        conv.output_transform.stride[i] = params->stride[i];
    }
    return conv;
}

static pop_tensor weights_of(const struct call *call, const popnn_pool_params *params, const char *name)
{
    size_t shape[3 + POPNN_MAX_FIELD_DIMS] = { params->channels, 1, 1 }, window = 1;
    for (unsigned i = 0; i < params->dims; ++i) {
        shape[3 + i] = params->kernel[i];
        window *= params->kernel[i];
    }
    pop_tensor weights =
        pop_graph_add_constant_float(call->graph, params->data_type, (pop_shape){ 3 + params->dims, shape },
                                     params->type == POPNN_POOL_AVG ? 1.0 / (double)window : 1, name);
    poputil_map_tensor_linearly(call->graph, weights);
    return weights;
}

pop_tensor pool_convolve(const struct call *call, const popnn_pool_params *params, pop_tensor in, uint64_t cycles)
{
    pop_tensor out = { 0 };
    const poplin_conv_params conv = convolution_of(params);
    const pop_options options = POP_OPTIONS({ "partialsType", params->data_type == POP_HALF ? "half" : "float" });
    poplin_planning_cache *cache = poplin_planning_cache_create();
    poplin_plan_costs costs = poplin_report_plan_estimated_costs(call->graph, &conv, options, cache);
    if (call_ready(call) && costs.cycles < cycles) {
        const char *path = call_path(call, call->name, params->type == POPNN_POOL_AVG ? "AvgPoolConv" : "SumPoolConv");
        out = poplin_convolution(call->graph, in, weights_of(call, params, path), &conv, false, call->sequence, path,
                                 options, cache);
    }
    poplin_planning_cache_destroy(cache);
    return out;
}
