/* SPDX-License-Identifier: Apache-2.0 */
/* Creation, addition and update of biases. */
#include "poplin/convolution/conv_call.h"

#include "poplibs/elements.h"
#include "poplibs/log.h"

#include <poplin/convolution.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>
#include <poputil/tile_mapping.h>

static bool check_biases(const struct call *call, pop_tensor activations, pop_tensor biases)
{
    if (!call_takes(call, "the tensor of activations", activations))
        return false;
    if (pop_tensor_rank(activations) < 2)
        return call_fail(call, POP_POPLAR_ERROR, "activations have %zu dimensions; batch and channels are needed",
                         pop_tensor_rank(activations));
    size_t channels = pop_tensor_dim(activations, 1);
    return call_takes_shape(call, "biases", biases, pop_tensor_type(biases), POP_SHAPE(channels));
}

pop_tensor poplin_create_biases_at(pop_where where, pop_graph *graph, pop_tensor activations, const char *name,
                                   pop_options options)
{
    POPLIBS_CALL(graph, activations, name, options);
    struct conv_options parsed;
    if (!call_ready(call) || !conv_options_parse(call, pop_graph_target(graph), options, &parsed))
        return (pop_tensor){ 0 };
    if (pop_tensor_rank(activations) < 2) {
        call_fail(call, POP_POPLAR_ERROR, "activations have %zu dimensions; batch and channels are needed",
                  pop_tensor_rank(activations));
        return (pop_tensor){ 0 };
    }
    return poputil_create_broadcast_operand(graph, activations, pop_tensor_type(activations), 1, true, name);
}

void poplin_add_bias_at(pop_where where, pop_graph *graph, pop_tensor activations, pop_tensor biases,
                        pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, activations, biases, name, options);
    struct conv_options parsed;
    if (!call_ready(call) || !conv_options_parse(call, pop_graph_target(graph), options, &parsed) ||
        !check_biases(call, activations, biases))
        return;
    size_t dims[32] = { pop_tensor_dim(biases, 0) }, rank = poplibs_min(pop_tensor_rank(activations), 32) - 1;
    for (size_t d = 1; d < rank; ++d)
        dims[d] = 1;
    pop_tensor each = pop_tensor_reshape(biases, (pop_shape){ rank, dims });
    call_binary_in_place(call, POPOPS_BINARY_ADD, activations, each, name);
}

static void update_biases(const struct call *call, pop_tensor deltas, pop_tensor biases, pop_tensor scale)
{
    struct conv_options parsed;
    unsigned dims[32], count = 0;
    if (!conv_options_parse(call, pop_graph_target(call->graph), call->options, &parsed) ||
        !check_biases(call, deltas, biases) || !call_takes_scale(call, "scale", scale))
        return;
    for (unsigned d = 0; d < pop_tensor_rank(deltas) && d < 32; ++d)
        if (d != 1)
            dims[count++] = d;
    popops_reduce_with_output(call->graph, deltas, biases, (pop_dims){ count, dims },
                              (popops_reduce_params){ POPOPS_ADD, true, scale }, call->sequence, call->name,
                              POP_NO_OPTIONS);
}
void poplin_convolution_bias_update_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases,
                                       pop_tensor scale, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, deltas, biases, scale, name, options);
    if (call_ready(call))
        update_biases(call, deltas, biases, scale);
}
void poplin_convolution_bias_update_constant_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases,
                                                double scale, pop_program sequence, const char *name,
                                                pop_options options)
{
    POPLIBS_CALL_AS("poplin_convolution_bias_update", sequence, graph, deltas, biases, scale, name, options);
    if (!call_ready(call))
        return;
    pop_tensor factor = pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(1), scale, "scale");
    pop_graph_set_tile_mapping(graph, factor, 0);
    update_biases(call, deltas, biases, factor);
}
