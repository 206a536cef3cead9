/* SPDX-License-Identifier: Apache-2.0 */
/* GRU: parameters, and tensors laid out for its products. */
#include "popnn/call_log.h"
#include "popnn/recurrent/gru_cell.h"

popnn_gru_params popnn_gru_params_make(pop_type data_type, size_t batch_size, size_t time_steps, size_t input_size,
                                       size_t output_size)
{
    return (popnn_gru_params){
        data_type,   batch_size, time_steps,    input_size,
        output_size, true,       true,          { POPNN_GRU_RESET_GATE, POPNN_GRU_UPDATE_GATE, POPNN_GRU_CANDIDATE },
        false,       POPNN_TANH, POPNN_SIGMOID, { 0 }
    };
}

static uint64_t flops(const popnn_gru_params *p, uint64_t others)
{
    uint64_t cells = (uint64_t)p->batch_size * p->time_steps * p->output_size;
    return 2 * cells * (p->input_size + p->output_size) * POPNN_GRU_UNITS + cells * others;
}
uint64_t popnn_gru_fwd_flops(const popnn_gru_params *params)
{
    return flops(params,
                 POPNN_GRU_UNITS + 4); /* biases; the reset output; a difference, a product and a sum for the output */
}
uint64_t popnn_gru_bwd_flops(const popnn_gru_params *params)
{
    return flops(params, 8);
}
uint64_t popnn_gru_wu_flops(const popnn_gru_params *params)
{
    return flops(params, POPNN_GRU_UNITS);
}

/* Separate products of x and h when the reset comes after them; otherwise products of both, for the gates and for
 * the candidate. */
size_t popnn_gru_get_mat_mul_pre_plan_parameters(const popnn_gru_params *p, bool inference_only,
                                                 poplin_fc_mat_mul list[POPNN_GRU_MAX_MAT_MULS])
{
    size_t in = p->input_size, out = p->output_size, batch = p->batch_size, count = 2;
    size_t depth[2] = { in + out, in + out }, columns[2] = { 2 * out, out };
    if (p->reset_after)
        depth[0] = in, depth[1] = out, columns[0] = columns[1] = POPNN_GRU_UNITS * out;
    for (size_t i = 0; i < 2; ++i)
        list[i] = layer_product_params(p->data_type, LAYER_FORWARD, inference_only, batch, depth[i], columns[i]);
    if (inference_only)
        return count;
    for (size_t i = p->reset_after && !p->calc_input_gradients ? 1 : 0; i < 2; ++i)
        list[count++] = layer_product_params(p->data_type, LAYER_BACKWARD, false, batch, columns[i], depth[i]);
    for (size_t i = 0; i < 2; ++i)
        list[count++] = layer_product_params(p->data_type, LAYER_UPDATE, false, depth[i], batch, columns[i]);
    return count;
}

pop_tensor popnn_gru_create_input_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                     const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_gru), name, options);
    struct gru gru;
    if (!gru_open(call, &gru, params, cache))
        return (pop_tensor){ 0 };
    size_t in = params->input_size, out = params->output_size;
    pop_tensor operand = params->reset_after
                             ? layer_left_operand(&gru.layer, params->batch_size, in, POPNN_GRU_UNITS * out)
                             : layer_left_operand(&gru.layer, params->batch_size, in + out, 2 * out);
    return steps_new(call, pop_tensor_slice(operand, 0, in, 1), params->time_steps, name);
}
pop_tensor popnn_gru_create_initial_state_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                             const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_gru), name, options);
    struct gru gru;
    if (!gru_open(call, &gru, params, cache))
        return (pop_tensor){ 0 };
    return pop_tensor_at(layer_new_stack(&gru.layer, 1, name), 0);
}
/* The columns of layer r and z (`both`) and c, in the order of the weights. */
static pop_tensor of_all_gates(const struct layer *layer, pop_tensor both, pop_tensor c)
{
    const struct call *call = layer->call;
    pop_tensor r = pop_tensor_slice(both, 0, layer->output, 1);
    return gru_in_order(layer, r, pop_tensor_slice(both, layer->output, 2 * layer->output, 1), c);
}
/* Creates weights with the layout of the layer's products. */
static popnn_gru_weights new_weights(const struct gru *gru)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    size_t in = layer->input, out = layer->output;
    pop_tensor from_input, from_output;
    if (gru->params->reset_after) {
        from_input = layer_right_operand(layer, layer->batch, in, POPNN_GRU_UNITS * out);
        from_output = layer_right_operand(layer, layer->batch, out, POPNN_GRU_UNITS * out);
    } else {
        pop_tensor whole = of_all_gates(layer, layer_right_operand(layer, layer->batch, in + out, 2 * out),
                                        layer_right_operand(layer, layer->batch, in + out, out));
        from_input = pop_tensor_slice(whole, 0, in, 0);
        from_output = pop_tensor_slice(whole, in, in + out, 0);
    }
    return (popnn_gru_weights){ layer_from_matrix(layer, from_input), layer_from_matrix(layer, from_output), { 0 } };
}
static pop_tensor new_biases(const struct gru *gru)
{
    size_t out = gru->layer.output;
    return layer_spread(&gru->layer, gru->params->reset_after ? POP_SHAPE(POPNN_GRU_UNITS, 2, out)
                                                              : POP_SHAPE(POPNN_GRU_UNITS, out));
}
popnn_gru_weights popnn_gru_create_weights_kernel_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                                     const char *name, pop_options options,
                                                     poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_gru), name, options);
    struct gru gru;
    if (!gru_open(call, &gru, params, cache))
        return (popnn_gru_weights){ { 0 }, { 0 }, { 0 } };
    return new_weights(&gru);
}
pop_tensor popnn_gru_create_weights_biases_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                              const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_gru), name, options);
    struct gru gru;
    if (!gru_open(call, &gru, params, cache))
        return (pop_tensor){ 0 };
    return new_biases(&gru);
}
popnn_gru_weights popnn_gru_create_weights_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                              const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_gru), name, options);
    struct gru gru;
    if (!gru_open(call, &gru, params, cache))
        return (popnn_gru_weights){ { 0 }, { 0 }, { 0 } };
    popnn_gru_weights weights = new_weights(&gru);
    weights.biases = new_biases(&gru);
    return weights;
}
