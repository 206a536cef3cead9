/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/recurrent/gru_cell.h"

#include <popops/expr.h>

bool gru_open(const struct call *call, struct gru *gru, const popnn_gru_params *params, poplin_planning_cache *cache)
{
    unsigned order[POPNN_GRU_UNITS];
    if (!layer_is_given(call, params, "the parameters are"))
        return false;
    for (size_t i = 0; i < POPNN_GRU_UNITS; ++i)
        order[i] = params->cell_order[i];
    *gru =
        (struct gru){ .layer = LAYER_OF(params, .gates = POPNN_GRU_UNITS, .lengths = params->var_time_steps,
                                        .recurrent_activation = params->recurrent_activation, .inference_only = true),
                      .params = params };
    return layer_open(&gru->layer, "a GRU", order, call->options);
}

bool gru_take_attention(struct gru *gru, pop_tensor attention, pop_program sequence)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    if (!layer_check(layer, attention, POP_SHAPE(layer->batch, layer->steps), "the tensor of attention scores"))
        return false;
    pop_tensor rest = popops_map(call->graph, "1 - _1", POP_TENSORS(attention), sequence, call->name, POP_NO_OPTIONS);
    gru->unattended = pop_tensor_reshape(pop_tensor_transpose(rest), POP_SHAPE(layer->steps, layer->batch, 1));
    return call_ready(call);
}

pop_tensor gru_biases_of(const struct gru *gru, pop_tensor biases, size_t which)
{
    const struct call *call = gru->layer.call;
    return gru->params->reset_after ? pop_tensor_at(pop_tensor_dim_roll(biases, 1, 0), which) : biases;
}

bool gru_take_weights(struct gru *gru, const popnn_gru_weights *weights)
{
    const struct layer *layer = &gru->layer;
    if (gru->params->reset_after &&
        !layer_check(layer, weights->biases, POP_SHAPE(POPNN_GRU_UNITS, 2, layer->output), "the tensor of biases"))
        return false;
    if (!layer_check_weights(layer, weights->input_weights, weights->output_weights,
                             gru_biases_of(gru, weights->biases, 0)))
        return false;
    gru->input_weights = layer_as_matrix(layer, weights->input_weights);
    gru->output_weights = layer_as_matrix(layer, weights->output_weights);
    return true;
}
bool gru_check_forward(const struct layer *layer, pop_tensor initial, pop_tensor input)
{
    return layer_check(layer, input, POP_SHAPE(layer->steps, layer->batch, layer->input), "the input") &&
           layer_check(layer, initial, POP_SHAPE(layer->batch, layer->output), "the initial state");
}

const struct gru_product gru_gates = { 2, { R, Z } }, gru_candidate = { 1, { C } };

pop_tensor gru_columns(const struct layer *layer, pop_tensor whole, struct gru_product product)
{
    const struct call *call = layer->call;
    pop_tensor columns[2];
    for (size_t i = 0; i < product.count; ++i)
        columns[i] = layer_columns(layer, whole, product.gates[i]);
    return pop_tensor_concat((pop_tensors){ product.count, columns }, 1);
}
pop_tensor gru_both_weights(const struct gru *gru, struct gru_product product)
{
    const struct call *call = gru->layer.call;
    return gru_columns(&gru->layer, pop_tensor_concat(POP_TENSORS(gru->input_weights, gru->output_weights), 0),
                       product);
}

pop_tensor gru_in_order(const struct layer *layer, pop_tensor r, pop_tensor z, pop_tensor c)
{
    const struct call *call = layer->call;
    pop_tensor list[POPNN_GRU_UNITS];
    list[layer->place[R]] = r;
    list[layer->place[Z]] = z;
    list[layer->place[C]] = c;
    return pop_tensor_concat((pop_tensors){ POPNN_GRU_UNITS, list }, 1);
}

size_t gru_count_kept(const popnn_gru_params *params)
{
    return POPNN_GRU_UNITS + (size_t)params->reset_after + (size_t)!params->output_full_sequence;
}
