/* SPDX-License-Identifier: Apache-2.0 */
/* Creation, addition and update of biases. */
#include "poplin/convolution/conv_call.h"

#include "poplibs/log.h"

#include <poplin/convolution.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>
#include <poputil/tile_mapping.h>

static bool check_biases(pop_where where, pop_graph *graph, const char *api, pop_tensor activations, pop_tensor biases)
{
    if (!poplibs_is_operand(graph, where, api, "the tensor of activations", activations))
        return false;
    if (pop_tensor_rank(activations) < 2)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                            "activations have %zu dimensions; batch and channels are needed",
                            pop_tensor_rank(activations));
    size_t channels = pop_tensor_dim(activations, 1);
    return conv_check_tensor(where, graph, api, biases, "biases", pop_tensor_type(biases), &channels, 1);
}

pop_tensor poplin_create_biases_at(pop_where where, pop_graph *graph, pop_tensor activations, const char *name,
                                   pop_options options)
{
    POPLIBS_CALL(graph, activations, name, options);
    struct poplin_conv_options parsed;
    if (!poplibs_ready(graph) || !poplin_conv_options_parse(where, graph, "poplin_create_biases", options, &parsed))
        return (pop_tensor){ 0 };
    if (pop_tensor_rank(activations) < 2) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, "poplin_create_biases",
                     "activations have %zu dimensions; batch and channels are needed", pop_tensor_rank(activations));
        return (pop_tensor){ 0 };
    }
    return poputil_create_broadcast_operand_at(where, graph, activations, pop_tensor_type(activations), 1, true, name);
}

void poplin_add_bias_at(pop_where where, pop_graph *graph, pop_tensor activations, pop_tensor biases,
                        pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, activations, biases, name, options);
    struct poplin_conv_options parsed;
    if (!poplibs_ready(graph) || !poplin_conv_options_parse(where, graph, "poplin_add_bias", options, &parsed) ||
        !check_biases(where, graph, "poplin_add_bias", activations, biases))
        return;
    size_t dims[32] = { pop_tensor_dim(biases, 0) }, rank = poplibs_min(pop_tensor_rank(activations), 32) - 1;
    for (size_t d = 1; d < rank; ++d)
        dims[d] = 1;
    pop_tensor each = pop_tensor_reshape_at(where, biases, (pop_shape){ rank, dims });
    popops_binary_in_place_at(where, POPOPS_BINARY_ADD, graph, popops_operand_of_tensor(activations),
                              popops_operand_of_tensor(each), sequence, name);
}

static void update_biases(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases, pop_tensor scale,
                          pop_program sequence, const char *name, pop_options options)
{
    static const char api[] = "poplin_convolution_bias_update";
    struct poplin_conv_options parsed;
    unsigned dims[32], count = 0;
    if (!poplin_conv_options_parse(where, graph, api, options, &parsed) ||
        !check_biases(where, graph, api, deltas, biases) || !poplibs_is_scale(graph, where, api, "scale", scale))
        return;
    for (unsigned d = 0; d < pop_tensor_rank(deltas) && d < 32; ++d)
        if (d != 1)
            dims[count++] = d;
    popops_reduce_with_output_at(where, graph, deltas, biases, (pop_dims){ count, dims },
                                 (popops_reduce_params){ POPOPS_ADD, true, scale }, sequence, name, POP_NO_OPTIONS);
}
void poplin_convolution_bias_update_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases,
                                       pop_tensor scale, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, deltas, biases, scale, name, options);
    if (poplibs_ready(graph))
        update_biases(where, graph, deltas, biases, scale, sequence, name, options);
}
void poplin_convolution_bias_update_constant_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases,
                                                double scale, pop_program sequence, const char *name,
                                                pop_options options)
{
    POPLIBS_CALL(graph, deltas, biases, scale, name, options);
    if (!poplibs_ready(graph))
        return;
    pop_tensor factor = pop_graph_add_constant_float_at(where, graph, POP_FLOAT, POP_SHAPE(1), scale, "scale");
    pop_graph_set_tile_mapping_at(where, graph, factor, 0);
    update_biases(where, graph, deltas, biases, factor, sequence, name, options);
}
