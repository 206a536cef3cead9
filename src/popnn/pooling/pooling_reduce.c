/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/pooling/pooling.h"
#include "popnn/support.h"

#include <popops/reduce.h>

bool pool_is_global(const struct pool *pool)
{
    const pop_target *target = pop_graph_target(pool->call->graph);
    const popnn_pool_params *params = pool->params;
    if (target->type == POP_TARGET_CPU || target->poplibs_release == POP_POPLIBS_1_2)
        return false;
    for (unsigned i = 0; i < params->dims; ++i)
        if (params->kernel[i] != params->input_field[i] || params->padding_lower[i] || params->padding_upper[i])
            return false;
    return true;
}

pop_tensor pool_reduce(const struct call *call, const popnn_pool_params *params, pop_tensor in, const char *step)
{
    popops_reduce_params reduction = { .op = params->type == POPNN_POOL_MAX ? POPOPS_MAX : POPOPS_ADD };
    const char *path = call_path(call, call->name, step);
    unsigned dims[POPNN_MAX_FIELD_DIMS];
    size_t shape[2 + POPNN_MAX_FIELD_DIMS] = { params->batch, params->channels };
    double elements = 1;
    for (unsigned i = 0; i < params->dims; ++i) {
        dims[i] = 2 + i;
        shape[2 + i] = 1;
        elements *= (double)params->input_field[i];
    }
    if (params->type == POPNN_POOL_AVG) {
        reduction.scale = pop_graph_add_constant_float(call->graph, POP_FLOAT, POP_SHAPE(), 1 / elements, path);
        pop_graph_set_tile_mapping(call->graph, reduction.scale, 0);
    }
    pop_tensor out = popops_reduce(call->graph, in, params->data_type, ((pop_dims){ params->dims, dims }), reduction,
                                   call->sequence, path, POP_NO_OPTIONS);
    return call_ready(call) ? pop_tensor_reshape(out, (pop_shape){ 2 + params->dims, shape }) : (pop_tensor){ 0 };
}
