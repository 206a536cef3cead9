/* SPDX-License-Identifier: Apache-2.0 */
/* A GRU's forward pass, for inference and for training. */
#include "popnn/call_log.h"
#include "popnn/recurrent/gru_cell.h"

static void apply(const struct gru *gru, popnn_non_linearity_type type, pop_tensor t, pop_program body,
                  const char *name)
{
    const struct call *call = gru->layer.call;
    popnn_non_linearity_in_place(call->graph, type, t, body, name);
}

/* r, z and c with the reset before the product. */
static void layer_with_reset_before(const struct gru *gru, pop_tensor x, pop_tensor h, pop_tensor biases,
                                    pop_tensor *kept, pop_program body)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    pop_tensor b[POPNN_GRU_UNITS];
    for (unsigned gate = 0; gate < POPNN_GRU_UNITS; ++gate)
        b[gate] = pop_tensor_at(biases, layer->place[gate]);
    pop_tensor both = layer_product(layer, LAYER_FORWARD, pop_tensor_concat(POP_TENSORS(x, h), 1),
                                    gru_both_weights(gru, gru_gates), body);
    layer_add_to(layer, both, pop_tensor_concat(POP_TENSORS(b[R], b[Z]), 0), body, "addBias");
    apply(gru, gru->params->recurrent_activation, both, body, "gates");
    kept[R] = pop_tensor_slice(both, 0, layer->output, 1);
    kept[Z] = pop_tensor_slice(both, layer->output, 2 * layer->output, 1);
    pop_tensor reset = layer_binary(layer, POPOPS_BINARY_MULTIPLY, h, kept[R], body, "reset");
    kept[C] = layer_product(layer, LAYER_FORWARD, pop_tensor_concat(POP_TENSORS(x, reset), 1),
                            gru_both_weights(gru, gru_candidate), body);
    layer_add_to(layer, kept[C], b[C], body, "addBias");
}

/* The layer with the reset after the product; kept[KEPT_FED] is the factor of r. */
static void layer_with_reset_after(const struct gru *gru, pop_tensor x, pop_tensor h, pop_tensor biases,
                                   pop_tensor *kept, pop_program body)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    pop_tensor from_x = layer_product(layer, LAYER_FORWARD, x, gru->input_weights, body);
    pop_tensor from_h = layer_product(layer, LAYER_FORWARD, h, gru->output_weights, body);
    layer_add_to(layer, from_x, pop_tensor_flatten(gru_biases_of(gru, biases, 0)), body, "addBias");
    layer_add_to(layer, from_h, pop_tensor_flatten(gru_biases_of(gru, biases, 1)), body, "addBias");
    for (unsigned gate = 0; gate < POPNN_GRU_UNITS; ++gate)
        kept[gate] = layer_columns(layer, from_x, gate);
    kept[KEPT_FED] = layer_columns(layer, from_h, C);
    pop_tensor both = pop_tensor_concat(POP_TENSORS(kept[R], kept[Z]), 1);
    layer_add_to(layer, both,
                 pop_tensor_concat(POP_TENSORS(layer_columns(layer, from_h, R), layer_columns(layer, from_h, Z)), 1),
                 body, "gates");
    apply(gru, gru->params->recurrent_activation, both, body, "gates");
    layer_add_to(layer, kept[C], layer_binary(layer, POPOPS_BINARY_MULTIPLY, kept[KEPT_FED], kept[R], body, "reset"),
                 body, "reset");
}

static pop_tensor step_forward(const struct gru *gru, struct steps *steps, pop_tensor x, pop_tensor h,
                               pop_tensor biases, pop_tensor *kept)
{
    const struct layer *layer = &gru->layer;
    pop_program body = steps->body;
    (gru->params->reset_after ? layer_with_reset_after : layer_with_reset_before)(gru, x, h, biases, kept, body);
    if (pop_tensor_valid(gru->unattended))
        layer_binary_in_place(layer, POPOPS_BINARY_MULTIPLY, kept[Z], steps_read(steps, gru->unattended), body,
                              "attention");
    apply(gru, gru->params->activation, kept[C], body, "candidate");
    pop_tensor out = layer_binary(layer, POPOPS_BINARY_SUBTRACT, h, kept[C], body, "output");
    layer_binary_in_place(layer, POPOPS_BINARY_MULTIPLY, out, kept[Z], body, "output");
    layer_add_to(layer, out, kept[C], body, "output");
    if (!gru->params->output_full_sequence)
        kept[gru_count_kept(gru->params) - 1] = out;
    return out;
}

/* Both forward passes: attention may be null. */
static pop_tensor run_forward(const struct call *call, const popnn_gru_params *params, pop_tensor initial,
                              pop_tensor input, popnn_gru_weights weights, pop_tensor *intermediates, struct gru *gru)
{
    const struct layer *layer = &gru->layer;
    struct steps steps = steps_begin(call, params->time_steps, false, layer->lengths);
    pop_tensor h = pop_tensor_at(layer_new_stack(layer, 1, "output"), 0), kept[KEPT_MAX], outputs = h, none = { 0 };
    layer_copy(layer, initial, h, call->sequence);
    pop_tensor next = step_forward(gru, &steps, steps_read(&steps, input), h, weights.biases, kept);
    if (intermediates) {
        size_t count = gru_count_kept(params);
        *intermediates = steps_new(call, layer_new_stack(layer, count, "kept"), params->time_steps, "intermediates");
        steps_write(&steps, *intermediates, steps_stack(&steps, (pop_tensors){ count, kept }));
    }
    layer_copy(layer, steps_select(&steps, next, h), h, steps.body);
    if (params->output_full_sequence) {
        outputs = steps_new(call, h, params->time_steps, "outputs");
        steps_write(&steps, outputs, steps_select(&steps, h, none));
    }
    steps_end(&steps, call->sequence);
    return outputs;
}

pop_tensor popnn_gru_fwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, pop_tensor initial,
                            pop_tensor input, popnn_gru_weights weights, pop_tensor *intermediates,
                            pop_program sequence, const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_gru), initial, input, name, options);
    struct gru gru;
    if (!gru_open(call, &gru, params, cache) || !gru_take_weights(&gru, &weights) ||
        !gru_check_forward(&gru.layer, initial, input))
        return (pop_tensor){ 0 };
    return run_forward(call, params, initial, input, weights, intermediates, &gru);
}

pop_tensor popnn_au_gru_fwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, pop_tensor initial,
                               pop_tensor input, popnn_gru_weights weights, pop_tensor *intermediates,
                               pop_tensor attention, pop_program sequence, const char *name, pop_options options,
                               poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_gru), initial, input, attention, name, options);
    struct gru gru;
    if (!gru_open(call, &gru, params, cache) || !gru_take_weights(&gru, &weights) ||
        !gru_check_forward(&gru.layer, initial, input) || !gru_take_attention(&gru, attention, sequence))
        return (pop_tensor){ 0 };
    return run_forward(call, params, initial, input, weights, intermediates, &gru);
}
