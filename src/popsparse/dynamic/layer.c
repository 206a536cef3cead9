/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/dynamic/dynamic.h"

bool sparse_layer_request(const struct call *call, const popsparse_dynamic_fully_connected_params *params,
                          pop_type type, popsparse_planning_cache *cache, struct sparse_request *request)
{
    if (!params)
        return call_ready(call) && call_fail(call, POP_POPLAR_ERROR, "params is NULL");
    struct sparse_question asked = { .shape = sparse_shape_of_fully_connected(params, type),
                                     .ratio = params->nz_ratio,
                                     .set = SPARSE_OF_FULLY_CONNECTED,
                                     .cache = cache };
    return sparse_request_make(call, &asked, request);
}

bool sparse_layer_planned_for(const struct call *call, bool planned, const char *option)
{
    return planned || call_fail(call, POP_POPLAR_ERROR,
                                "option '%s' is not set: set it to true in all calls of the layer and in its "
                                "partitioner, whose plan is then for this pass too",
                                option);
}
