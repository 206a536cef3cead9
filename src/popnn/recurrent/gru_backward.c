/* SPDX-License-Identifier: Apache-2.0 */
/* A GRU's backward pass, and its weight update. */
#include "popnn/call_log.h"
#include "popnn/recurrent/gru_cell.h"
#include "popnn/recurrent/layer_backward.h"

#include <popops/expr.h>
#include <popops/reduce.h>
#include <poputil/tile_mapping.h>

/* Gradients of one step's sums: of x W for each gate, {batch, 3 output}, and of h U when they differ. */
struct sums {
    pop_tensor of_input, of_output;
};
/* The state of the backward loop; tensors may be null. */
struct gru_backward {
    pop_program before; /* runs before the loop */
    pop_tensor carried; /* the gradient of h' */
    pop_tensor used;    /* the same, 0 for sequences without the step; may be modified */
    pop_tensor input_gradient;
    pop_tensor attention_gradient; /* {steps, batch, 1} */
};

/* Backpropagates through the products when the reset comes before them: returns dz of r, adds to the gradients of x
 * and h. */
static pop_tensor through_reset_before(const struct gru *gru, const struct gru_backward *backward,
                                       const pop_tensor *kept, pop_tensor before, pop_tensor d_candidate,
                                       pop_tensor d_update, pop_tensor *dx, pop_program body)
{
    pop_tensor dh = backward->used;
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    size_t in = layer->input, all = layer->input + layer->output;
    pop_tensor from_c = layer_product_in_loop(
        layer, d_candidate, layer_transposed(layer, gru_both_weights(gru, gru_candidate)), backward->before, body);
    pop_tensor d_reset_h = pop_tensor_slice(from_c, in, all, 1);
    pop_tensor dr = layer_binary(layer, POPOPS_BINARY_MULTIPLY, before, d_reset_h, body, "resetGate");
    pop_tensor d_reset = layer_gradient(layer, gru->params->recurrent_activation, kept[R], dr, body, "resetGate");
    layer_add_to(layer, dh, layer_binary(layer, POPOPS_BINARY_MULTIPLY, kept[R], d_reset_h, body, "reset"), body,
                 "reset");
    pop_tensor from_gates =
        layer_product_in_loop(layer, pop_tensor_concat(POP_TENSORS(d_reset, d_update), 1),
                              layer_transposed(layer, gru_both_weights(gru, gru_gates)), backward->before, body);
    layer_add_to(layer, dh, pop_tensor_slice(from_gates, in, all, 1), body, "output");
    *dx = pop_tensor_slice(from_gates, 0, in, 1);
    layer_add_to(layer, *dx, pop_tensor_slice(from_c, 0, in, 1), body, "input");
    return d_reset;
}

static pop_tensor kept_of(const struct layer *layer, pop_tensor stack, size_t i)
{
    const struct call *call = layer->call;
    return pop_tensor_at(stack, i);
}

/* A constant 1, {batch, 1}. */
static pop_tensor ones(const struct layer *layer)
{
    const struct call *call = layer->call;
    const double one = 1;
    pop_tensor t = pop_graph_add_constant_fill(call->graph, layer->type, POP_SHAPE(layer->batch, 1), POP_DOUBLE, &one,
                                               call_path(call, call->name, "ones"));
    poputil_map_tensor_linearly(call->graph, t);
    return t;
}

/* The update gate before attention, and its gradient: *gate and *dz are those after it. Writes the gradient of the
 * attention, - sum of gate x dz. */
static void through_attention(const struct gru *gru, struct steps *steps, const struct gru_backward *backward,
                              pop_tensor *gate, pop_tensor *dz)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    pop_program body = steps->body;
    pop_tensor factor = steps_read(steps, gru->unattended);
    if (pop_tensor_valid(steps->lengths)) /* a score of 1 beyond a sequence's end must not divide by 0 */
        factor = steps_select(steps, factor, ones(layer));
    *gate = layer_binary(layer, POPOPS_BINARY_DIVIDE, *gate, factor, body, "attention");
    if (pop_tensor_valid(backward->attention_gradient)) {
        pop_tensor products = layer_binary(layer, POPOPS_BINARY_MULTIPLY, *gate, *dz, body, "attention");
        pop_tensor sum = popops_reduce(call->graph, products, POP_TYPE_NULL, POP_DIMS(1),
                                       (popops_reduce_params){ .op = POPOPS_ADD }, body, "attention", POP_NO_OPTIONS);
        sum = popops_map(call->graph, "-_1", POP_TENSORS(sum), body, "attention", POP_NO_OPTIONS);
        steps_write(steps, backward->attention_gradient, pop_tensor_reshape(sum, POP_SHAPE(layer->batch, 1)));
    }
    *dz = layer_binary(layer, POPOPS_BINARY_MULTIPLY, *dz, factor, body, "attention");
}

/* One step: carried becomes the gradient of the previous output. */
static struct sums step_backward(const struct gru *gru, struct steps *steps, struct gru_backward *backward,
                                 pop_tensor stack, pop_tensor before)
{
    const struct layer *layer = &gru->layer;
    const popnn_gru_params *p = gru->params;
    pop_program body = steps->body;
    pop_tensor kept[KEPT_MAX], dh = backward->used, dx = { 0 };
    for (size_t i = 0; i < POPNN_GRU_UNITS + (size_t)p->reset_after; ++i)
        kept[i] = kept_of(layer, stack, i);
    pop_tensor difference = layer_binary(layer, POPOPS_BINARY_SUBTRACT, before, kept[C], body, "updateGate");
    pop_tensor from_output = layer_times_each(layer, POP_TENSORS(difference, kept[Z]), dh, body, "output");
    pop_tensor dz = layer_part(layer, from_output, 0), through = layer_part(layer, from_output, 1);
    pop_tensor dc = layer_binary(layer, POPOPS_BINARY_SUBTRACT, dh, through, body, "candidate");
    layer_copy(layer, through, dh, body);
    if (pop_tensor_valid(gru->unattended))
        through_attention(gru, steps, backward, &kept[Z], &dz);
    pop_tensor d_update = layer_gradient(layer, p->recurrent_activation, kept[Z], dz, body, "updateGate");
    pop_tensor d_candidate = layer_gradient(layer, p->activation, kept[C], dc, body, "candidate");
    struct sums sums;
    if (p->reset_after) {
        pop_tensor dr = layer_binary(layer, POPOPS_BINARY_MULTIPLY, d_candidate, kept[KEPT_FED], body, "resetGate");
        pop_tensor d_reset = layer_gradient(layer, p->recurrent_activation, kept[R], dr, body, "resetGate");
        pop_tensor fed = layer_binary(layer, POPOPS_BINARY_MULTIPLY, d_candidate, kept[R], body, "reset");
        sums.of_input = gru_in_order(layer, d_reset, d_update, d_candidate);
        sums.of_output = gru_in_order(layer, d_reset, d_update, fed);
        layer_add_to(layer, dh,
                     layer_product_in_loop(layer, sums.of_output, layer_transposed(layer, gru->output_weights),
                                           backward->before, body),
                     body, "output");
        if (pop_tensor_valid(backward->input_gradient))
            dx = layer_product_in_loop(layer, sums.of_input, layer_transposed(layer, gru->input_weights),
                                       backward->before, body);
    } else {
        pop_tensor d_reset = through_reset_before(gru, backward, kept, before, d_candidate, d_update, &dx, body);
        sums.of_input = sums.of_output = gru_in_order(layer, d_reset, d_update, d_candidate);
    }
    if (pop_tensor_valid(backward->input_gradient))
        steps_write(steps, backward->input_gradient, dx);
    if (pop_tensor_valid(layer->lengths))
        layer_copy(layer, steps_select(steps, dh, backward->carried), backward->carried, body);
    return sums;
}

static void add_weights_gradient(const struct gru *gru, const struct layer_weights_gradient *gradient,
                                 const struct sums *sums, pop_tensor x, pop_tensor before, pop_tensor reset_gate,
                                 pop_program body)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    layer_add_to_gradient_sum(layer, gradient->biases[0], sums->of_input, body, "biases");
    if (gru->params->reset_after) {
        layer_add_product(layer, layer_input_rows(layer, gradient->weights), x, sums->of_input, body);
        layer_add_product(layer, layer_output_rows(layer, gradient->weights), before, sums->of_output, body);
        layer_add_to_gradient_sum(layer, gradient->biases[1], sums->of_output, body, "biases");
        return;
    }
    pop_tensor reset = layer_binary(layer, POPOPS_BINARY_MULTIPLY, before, reset_gate, body, "reset");
    pop_tensor of_gates = pop_tensor_concat(POP_TENSORS(x, before), 1),
               of_candidate = pop_tensor_concat(POP_TENSORS(x, reset), 1);
    layer_add_product(layer, gru_columns(layer, gradient->weights, gru_gates), of_gates,
                      gru_columns(layer, sums->of_output, gru_gates), body);
    layer_add_product(layer, gru_columns(layer, gradient->weights, gru_candidate), of_candidate,
                      gru_columns(layer, sums->of_output, gru_candidate), body);
}

static struct layer_weights_gradient begin_weights_gradient(const struct gru *gru, const struct sums *sums,
                                                            pop_program sequence)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    pop_tensor weights = pop_tensor_concat(POP_TENSORS(gru->input_weights, gru->output_weights), 0);
    const pop_tensor of[2] = { sums->of_input, sums->of_output };
    return layer_begin_weights_gradient(layer, weights, (pop_tensors){ 1 + (size_t)gru->params->reset_after, of },
                                        sequence);
}
static popnn_gru_weights end_weights_gradient(const struct gru *gru, const struct layer_weights_gradient *gradient,
                                              pop_program sequence)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    pop_tensor biases[2];
    for (size_t i = 0; i < 1 + (size_t)gru->params->reset_after; ++i)
        biases[i] = layer_biases_gradient(layer, gradient, i, sequence);
    pop_tensor weights = layer_gradient_of_sum(layer, gradient->weights, sequence);
    pop_tensor both = gru->params->reset_after ? pop_tensor_dim_roll(layer_stack(layer, biases, 2), 0, 1) : biases[0];
    return (popnn_gru_weights){ layer_from_matrix(layer, layer_input_rows(layer, weights)),
                                layer_from_matrix(layer, layer_output_rows(layer, weights)), both };
}

static pop_tensor outputs_before(const struct gru *gru, const popnn_gru_forward *forward)
{
    return layer_outputs_before(&gru->layer, gru->params->output_full_sequence, forward->initial, forward->output,
                                forward->intermediates);
}

static bool check_backward(struct gru *gru, const popnn_gru_forward *forward)
{
    const struct layer *layer = &gru->layer;
    if (!layer_is_given(layer->call, forward, "what forward gave is"))
        return false;
    pop_shape last = POP_SHAPE(layer->batch, layer->output), all = POP_SHAPE(layer->steps, layer->batch, layer->output);
    return gru_take_weights(gru, &forward->weights) && gru_check_forward(layer, forward->initial, forward->input) &&
           layer_check(layer, forward->output, gru->params->output_full_sequence ? all : last, "the output") &&
           layer_check(layer, forward->intermediates,
                       POP_SHAPE(layer->steps, gru_count_kept(gru->params), layer->batch, layer->output),
                       "the tensor of intermediates");
}

/* A new sequence {steps, batch, 1}. */
static pop_tensor new_attention(const struct layer *layer)
{
    const struct call *call = layer->call;
    pop_tensor t = pop_graph_add_variable(call->graph, layer->type, POP_SHAPE(layer->steps, layer->batch, 1),
                                          call_path(call, call->name, "attention"));
    poputil_map_tensor_linearly(call->graph, t);
    return t;
}

/* What a backward pass sets, each unless NULL. */
struct gru_results {
    pop_tensor *input_gradient, *attention_gradient, *kept;
    popnn_gru_weights *weights;
};

static pop_tensor run_backward(const struct gru *gru, pop_program sequence, const popnn_gru_forward *forward,
                               pop_tensor output_gradient, const struct gru_results *results)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    const popnn_gru_params *p = gru->params;
    pop_shape last = POP_SHAPE(layer->batch, layer->output), all = POP_SHAPE(layer->steps, layer->batch, layer->output);
    if (!layer_check(layer, output_gradient, p->output_full_sequence ? all : last, "the output's gradient"))
        return (pop_tensor){ 0 };
    struct steps steps = steps_begin(call, layer->steps, true, layer->lengths);
    struct gru_backward backward = { .before = sequence,
                                     .carried = pop_tensor_at(layer_new_stack(layer, 1, "outputGradient"), 0) };
    layer_carry_output_gradient(layer, p->output_full_sequence, output_gradient, backward.carried, sequence);
    if (results->input_gradient && p->calc_input_gradients)
        *results->input_gradient = backward.input_gradient = layer_new_input_gradient(layer, forward->input);
    if (results->attention_gradient) {
        backward.attention_gradient = new_attention(layer);
        *results->attention_gradient = pop_tensor_transpose(
            pop_tensor_reshape(backward.attention_gradient, POP_SHAPE(layer->steps, layer->batch)));
    }
    if (p->output_full_sequence)
        layer_add_output_gradient(layer, &steps, output_gradient, backward.carried);
    backward.used = steps_select(&steps, backward.carried, (pop_tensor){ 0 });
    pop_tensor stack = steps_read(&steps, forward->intermediates),
               before = steps_read(&steps, outputs_before(gru, forward));
    struct sums sums = step_backward(gru, &steps, &backward, stack, before);
    if (results->kept) {
        pop_tensor both[2] = { layer_from_matrix(layer, sums.of_input), layer_from_matrix(layer, sums.of_output) };
        pop_tensor step = pop_tensor_concat((pop_tensors){ p->reset_after ? 2 : 1, both }, 0);
        *results->kept =
            steps_new(call, layer_new_stack(layer, pop_tensor_dim(step, 0), "gradients"), layer->steps, "gradients");
        steps_write(&steps, *results->kept, step);
    }
    struct layer_weights_gradient gradient = { .weights = { 0 } };
    if (results->weights) {
        gradient = begin_weights_gradient(gru, &sums, sequence);
        add_weights_gradient(gru, &gradient, &sums, steps_read(&steps, forward->input), before,
                             kept_of(layer, stack, R), steps.body);
    }
    steps_end(&steps, sequence);
    if (results->weights)
        *results->weights = end_weights_gradient(gru, &gradient, sequence);
    return backward.carried;
}

/* Accumulates the weights' gradients in a separate loop. */
static popnn_gru_weights run_update(const struct gru *gru, pop_program sequence, const popnn_gru_forward *forward,
                                    pop_tensor bwd_intermediates)
{
    const struct layer *layer = &gru->layer;
    const struct call *call = layer->call;
    struct steps steps = steps_begin(call, layer->steps, false, layer->lengths);
    pop_tensor step = steps_read(&steps, bwd_intermediates), stack = steps_read(&steps, forward->intermediates);
    size_t count = pop_tensor_dim(step, 0);
    struct sums sums;
    sums.of_input = layer_as_matrix(layer, pop_tensor_slice(step, 0, POPNN_GRU_UNITS, 0));
    sums.of_output = layer_as_matrix(layer, pop_tensor_slice(step, count - POPNN_GRU_UNITS, count, 0));
    struct layer_weights_gradient gradient = begin_weights_gradient(gru, &sums, sequence);
    add_weights_gradient(gru, &gradient, &sums, steps_read(&steps, forward->input),
                         steps_read(&steps, outputs_before(gru, forward)), kept_of(layer, stack, R), steps.body);
    steps_end(&steps, sequence);
    return end_weights_gradient(gru, &gradient, sequence);
}

pop_tensor popnn_gru_create_attention_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                         const char *name, pop_options options)
{
    POPLIBS_CALL(graph, log_written(params, log_gru), name, options);
    struct gru gru;
    if (!gru_open(call, &gru, params, NULL))
        return (pop_tensor){ 0 };
    return pop_tensor_transpose(
        pop_tensor_reshape(new_attention(&gru.layer), POP_SHAPE(gru.layer.steps, gru.layer.batch)));
}

/* Backward and weight update, in one loop or in two. */
static pop_tensor run_both(const struct gru *gru, pop_program sequence, const popnn_gru_forward *forward,
                           pop_tensor output_gradient, const struct gru_results *results)
{
    if (!results->weights || layer_update_in_loop(&gru->layer))
        return run_backward(gru, sequence, forward, output_gradient, results);
    pop_tensor kept = { 0 };
    struct gru_results apart = *results;
    apart.weights = NULL;
    apart.kept = &kept;
    pop_tensor state_gradient = run_backward(gru, sequence, forward, output_gradient, &apart);
    if (call_ready(gru->layer.call))
        *results->weights = run_update(gru, sequence, forward, kept);
    return state_gradient;
}

pop_tensor popnn_gru_bwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, pop_program sequence,
                            const popnn_gru_forward *forward, pop_tensor output_gradient, pop_tensor *input_gradient,
                            pop_tensor *intermediates, const char *name, pop_options options,
                            poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_gru), output_gradient, name, options);
    struct gru gru;
    const struct gru_results results = { .input_gradient = input_gradient, .kept = intermediates };
    if (!gru_open(call, &gru, params, cache) || !check_backward(&gru, forward))
        return (pop_tensor){ 0 };
    return run_backward(&gru, sequence, forward, output_gradient, &results);
}

pop_tensor popnn_au_gru_bwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, pop_program sequence,
                               const popnn_gru_forward *forward, pop_tensor output_gradient, pop_tensor *input_gradient,
                               pop_tensor *intermediates, pop_tensor attention, pop_tensor *attention_gradient,
                               const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_gru), output_gradient, attention, name, options);
    struct gru gru;
    const struct gru_results results = { .input_gradient = input_gradient,
                                         .attention_gradient = attention_gradient,
                                         .kept = intermediates };
    if (!gru_open(call, &gru, params, cache) || !check_backward(&gru, forward) ||
        !gru_take_attention(&gru, attention, sequence))
        return (pop_tensor){ 0 };
    return run_backward(&gru, sequence, forward, output_gradient, &results);
}

pop_tensor popnn_gru_bwd_with_wu_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                    pop_program sequence, const popnn_gru_forward *forward, pop_tensor output_gradient,
                                    pop_tensor *input_gradient, popnn_gru_weights *weights_gradient, const char *name,
                                    pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_gru), output_gradient, name, options);
    struct gru gru;
    const struct gru_results results = { .input_gradient = input_gradient, .weights = weights_gradient };
    if (!gru_open(call, &gru, params, cache) || !check_backward(&gru, forward))
        return (pop_tensor){ 0 };
    return run_both(&gru, sequence, forward, output_gradient, &results);
}

pop_tensor popnn_au_gru_bwd_with_wu_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                       pop_program sequence, const popnn_gru_forward *forward,
                                       pop_tensor output_gradient, pop_tensor *input_gradient,
                                       popnn_gru_weights *weights_gradient, pop_tensor attention,
                                       pop_tensor *attention_gradient, const char *name, pop_options options,
                                       poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_gru), output_gradient, attention, name, options);
    struct gru gru;
    const struct gru_results results = { .input_gradient = input_gradient,
                                         .attention_gradient = attention_gradient,
                                         .weights = weights_gradient };
    if (!gru_open(call, &gru, params, cache) || !check_backward(&gru, forward) ||
        !gru_take_attention(&gru, attention, sequence))
        return (pop_tensor){ 0 };
    return run_both(&gru, sequence, forward, output_gradient, &results);
}

popnn_gru_weights popnn_gru_wu_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                  pop_program sequence, const popnn_gru_forward *forward, pop_tensor bwd_intermediates,
                                  const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_gru), bwd_intermediates, name, options);
    struct gru gru;
    popnn_gru_weights none = { { 0 }, { 0 }, { 0 } };
    if (!gru_open(call, &gru, params, cache) || !check_backward(&gru, forward))
        return none;
    const struct layer *layer = &gru.layer;
    size_t sums_of_gates = POPNN_GRU_UNITS * (1 + (size_t)params->reset_after);
    if (!layer_check(layer, bwd_intermediates, POP_SHAPE(layer->steps, sums_of_gates, layer->batch, layer->output),
                     "the tensor of backward intermediates"))
        return none;
    return run_update(&gru, sequence, forward, bwd_intermediates);
}
