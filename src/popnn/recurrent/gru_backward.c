/* SPDX-License-Identifier: Apache-2.0 */
/* A GRU's backward pass, and its weight update. */
#include "popnn/call_log.h"
#include "popnn/recurrent/gru_cell.h"
#include "popnn/recurrent/units_backward.h"

#include <popops/expr.h>
#include <popops/reduce.h>
#include <poputil/tile_mapping.h>

/* Gradients of one step's sums: of x W for each unit, {batch, 3 output}, and of h U when they differ. */
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
    const struct units *units = &gru->units;
    const struct call *call = units->call;
    size_t in = units->input, all = units->input + units->output;
    pop_tensor from_c = units_product_in_loop(
        units, d_candidate, units_transposed(units, gru_both_weights(gru, gru_candidate)), backward->before, body);
    pop_tensor d_reset_h = pop_tensor_slice(from_c, in, all, 1);
    pop_tensor dr = units_binary(units, POPOPS_BINARY_MULTIPLY, before, d_reset_h, body, "resetGate");
    pop_tensor d_reset = units_gradient(units, gru->params->recurrent_activation, kept[R], dr, body, "resetGate");
    units_add_to(units, dh, units_binary(units, POPOPS_BINARY_MULTIPLY, kept[R], d_reset_h, body, "reset"), body,
                 "reset");
    pop_tensor from_gates =
        units_product_in_loop(units, pop_tensor_concat(POP_TENSORS(d_reset, d_update), 1),
                              units_transposed(units, gru_both_weights(gru, gru_gates)), backward->before, body);
    units_add_to(units, dh, pop_tensor_slice(from_gates, in, all, 1), body, "output");
    *dx = pop_tensor_slice(from_gates, 0, in, 1);
    units_add_to(units, *dx, pop_tensor_slice(from_c, 0, in, 1), body, "input");
    return d_reset;
}

static pop_tensor kept_of(const struct units *units, pop_tensor stack, size_t i)
{
    const struct call *call = units->call;
    return pop_tensor_at(stack, i);
}

/* The update gate before attention, and its gradient: *gate and *dz are those after it. Writes the gradient of the
 * attention, - sum of gate x dz. */
static void through_attention(const struct gru *gru, struct steps *steps, const struct gru_backward *backward,
                              pop_tensor *gate, pop_tensor *dz)
{
    const struct units *units = &gru->units;
    const struct call *call = units->call;
    pop_program body = steps->body;
    pop_tensor factor = steps_read(steps, gru->unattended);
    *gate = units_binary(units, POPOPS_BINARY_DIVIDE, *gate, factor, body, "attention");
    if (pop_tensor_valid(backward->attention_gradient)) {
        pop_tensor products = units_binary(units, POPOPS_BINARY_MULTIPLY, *gate, *dz, body, "attention");
        pop_tensor sum = popops_reduce(call->graph, products, POP_TYPE_NULL, POP_DIMS(1),
                                       (popops_reduce_params){ .op = POPOPS_ADD }, body, "attention", POP_NO_OPTIONS);
        sum = popops_map(call->graph, "-_1", POP_TENSORS(sum), body, "attention", POP_NO_OPTIONS);
        steps_write(steps, backward->attention_gradient, pop_tensor_reshape(sum, POP_SHAPE(units->batch, 1)));
    }
    *dz = units_binary(units, POPOPS_BINARY_MULTIPLY, *dz, factor, body, "attention");
}

/* One step: carried becomes the gradient of the previous output. */
static struct sums step_backward(const struct gru *gru, struct steps *steps, struct gru_backward *backward,
                                 pop_tensor stack, pop_tensor before)
{
    const struct units *units = &gru->units;
    const popnn_gru_params *p = gru->params;
    pop_program body = steps->body;
    pop_tensor kept[KEPT_MAX], dh = backward->used, dx = { 0 };
    for (size_t i = 0; i < POPNN_GRU_UNITS + (size_t)p->reset_after; ++i)
        kept[i] = kept_of(units, stack, i);
    pop_tensor difference = units_binary(units, POPOPS_BINARY_SUBTRACT, before, kept[C], body, "updateGate");
    pop_tensor from_output = units_times_each(units, POP_TENSORS(difference, kept[Z]), dh, body, "output");
    pop_tensor dz = units_part(units, from_output, 0), through = units_part(units, from_output, 1);
    pop_tensor dc = units_binary(units, POPOPS_BINARY_SUBTRACT, dh, through, body, "candidate");
    units_copy(units, through, dh, body);
    if (pop_tensor_valid(gru->unattended))
        through_attention(gru, steps, backward, &kept[Z], &dz);
    pop_tensor d_update = units_gradient(units, p->recurrent_activation, kept[Z], dz, body, "updateGate");
    pop_tensor d_candidate = units_gradient(units, p->activation, kept[C], dc, body, "candidate");
    struct sums sums;
    if (p->reset_after) {
        pop_tensor dr = units_binary(units, POPOPS_BINARY_MULTIPLY, d_candidate, kept[KEPT_FED], body, "resetGate");
        pop_tensor d_reset = units_gradient(units, p->recurrent_activation, kept[R], dr, body, "resetGate");
        pop_tensor fed = units_binary(units, POPOPS_BINARY_MULTIPLY, d_candidate, kept[R], body, "reset");
        sums.of_input = gru_in_order(units, d_reset, d_update, d_candidate);
        sums.of_output = gru_in_order(units, d_reset, d_update, fed);
        units_add_to(units, dh,
                     units_product_in_loop(units, sums.of_output, units_transposed(units, gru->output_weights),
                                           backward->before, body),
                     body, "output");
        if (pop_tensor_valid(backward->input_gradient))
            dx = units_product_in_loop(units, sums.of_input, units_transposed(units, gru->input_weights),
                                       backward->before, body);
    } else {
        pop_tensor d_reset = through_reset_before(gru, backward, kept, before, d_candidate, d_update, &dx, body);
        sums.of_input = sums.of_output = gru_in_order(units, d_reset, d_update, d_candidate);
    }
    if (pop_tensor_valid(backward->input_gradient))
        steps_write(steps, backward->input_gradient, dx);
    if (pop_tensor_valid(units->lengths))
        units_copy(units, steps_select(steps, dh, backward->carried), backward->carried, body);
    return sums;
}

static void add_weights_gradient(const struct gru *gru, const struct units_weights_gradient *gradient,
                                 const struct sums *sums, pop_tensor x, pop_tensor before, pop_tensor reset_gate,
                                 pop_program body)
{
    const struct units *units = &gru->units;
    const struct call *call = units->call;
    units_accumulate(units, gradient->biases[0], sums->of_input, body, "biases");
    if (gru->params->reset_after) {
        units_add_product(units, units_input_rows(units, gradient->weights), x, sums->of_input, body);
        units_add_product(units, units_output_rows(units, gradient->weights), before, sums->of_output, body);
        units_accumulate(units, gradient->biases[1], sums->of_output, body, "biases");
        return;
    }
    pop_tensor reset = units_binary(units, POPOPS_BINARY_MULTIPLY, before, reset_gate, body, "reset");
    pop_tensor of_gates = pop_tensor_concat(POP_TENSORS(x, before), 1),
               of_candidate = pop_tensor_concat(POP_TENSORS(x, reset), 1);
    units_add_product(units, gru_columns(units, gradient->weights, gru_gates), of_gates,
                      gru_columns(units, sums->of_output, gru_gates), body);
    units_add_product(units, gru_columns(units, gradient->weights, gru_candidate), of_candidate,
                      gru_columns(units, sums->of_output, gru_candidate), body);
}

static struct units_weights_gradient begin_weights_gradient(const struct gru *gru, const struct sums *sums,
                                                            pop_program sequence)
{
    const struct units *units = &gru->units;
    const struct call *call = units->call;
    pop_tensor weights = pop_tensor_concat(POP_TENSORS(gru->input_weights, gru->output_weights), 0);
    const pop_tensor of[2] = { sums->of_input, sums->of_output };
    return units_begin_weights_gradient(units, weights, (pop_tensors){ 1 + (size_t)gru->params->reset_after, of },
                                        sequence);
}
static popnn_gru_weights end_weights_gradient(const struct gru *gru, const struct units_weights_gradient *gradient,
                                              pop_program sequence)
{
    const struct units *units = &gru->units;
    const struct call *call = units->call;
    pop_tensor biases[2];
    for (size_t i = 0; i < 1 + (size_t)gru->params->reset_after; ++i)
        biases[i] = units_biases_gradient(units, gradient, i, sequence);
    pop_tensor weights = units_accumulated(units, gradient->weights, sequence);
    pop_tensor both = gru->params->reset_after ? pop_tensor_dim_roll(units_stack(units, biases, 2), 0, 1) : biases[0];
    return (popnn_gru_weights){ units_from_matrix(units, units_input_rows(units, weights)),
                                units_from_matrix(units, units_output_rows(units, weights)), both };
}

static pop_tensor outputs_before(const struct gru *gru, const popnn_gru_forward *forward)
{
    return units_outputs_before(&gru->units, gru->params->output_full_sequence, forward->initial, forward->output,
                                forward->intermediates);
}

static bool check_backward(struct gru *gru, const popnn_gru_forward *forward)
{
    const struct units *units = &gru->units;
    if (!units_is_given(units->call, forward, "what forward gave is"))
        return false;
    pop_shape last = POP_SHAPE(units->batch, units->output), all = POP_SHAPE(units->steps, units->batch, units->output);
    return gru_take_weights(gru, &forward->weights) && gru_check_forward(units, forward->initial, forward->input) &&
           units_check(units, forward->output, gru->params->output_full_sequence ? all : last, "the output") &&
           units_check(units, forward->intermediates,
                       POP_SHAPE(units->steps, gru_count_kept(gru->params), units->batch, units->output),
                       "the tensor of intermediates");
}

/* A new sequence {steps, batch, 1}. */
static pop_tensor new_attention(const struct units *units)
{
    const struct call *call = units->call;
    pop_tensor t = pop_graph_add_variable(call->graph, units->type, POP_SHAPE(units->steps, units->batch, 1),
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
    const struct units *units = &gru->units;
    const struct call *call = units->call;
    const popnn_gru_params *p = gru->params;
    pop_shape last = POP_SHAPE(units->batch, units->output), all = POP_SHAPE(units->steps, units->batch, units->output);
    if (!units_check(units, output_gradient, p->output_full_sequence ? all : last, "the output's gradient"))
        return (pop_tensor){ 0 };
    struct steps steps = steps_begin(call, units->steps, true);
    steps_limit(&steps, units->lengths);
    struct gru_backward backward = { .before = sequence,
                                     .carried = pop_tensor_at(units_new_stack(units, 1, "outputGradient"), 0) };
    units_carry_output_gradient(units, p->output_full_sequence, output_gradient, backward.carried, sequence);
    if (results->input_gradient && p->calc_input_gradients)
        *results->input_gradient = backward.input_gradient = units_new_input_gradient(units, forward->input);
    if (results->attention_gradient) {
        backward.attention_gradient = new_attention(units);
        *results->attention_gradient = pop_tensor_transpose(
            pop_tensor_reshape(backward.attention_gradient, POP_SHAPE(units->steps, units->batch)));
    }
    if (p->output_full_sequence)
        units_add_output_gradient(units, &steps, output_gradient, backward.carried);
    backward.used = steps_select(&steps, backward.carried, (pop_tensor){ 0 });
    pop_tensor stack = steps_read(&steps, forward->intermediates),
               before = steps_read(&steps, outputs_before(gru, forward));
    struct sums sums = step_backward(gru, &steps, &backward, stack, before);
    if (results->kept) {
        pop_tensor both[2] = { units_from_matrix(units, sums.of_input), units_from_matrix(units, sums.of_output) };
        pop_tensor step = pop_tensor_concat((pop_tensors){ p->reset_after ? 2 : 1, both }, 0);
        *results->kept =
            steps_new(call, units_new_stack(units, pop_tensor_dim(step, 0), "gradients"), units->steps, "gradients");
        steps_write(&steps, *results->kept, step);
    }
    struct units_weights_gradient gradient = { .weights = { 0 } };
    if (results->weights) {
        gradient = begin_weights_gradient(gru, &sums, sequence);
        add_weights_gradient(gru, &gradient, &sums, steps_read(&steps, forward->input), before,
                             kept_of(units, stack, R), steps.body);
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
    const struct units *units = &gru->units;
    const struct call *call = units->call;
    struct steps steps = steps_begin(call, units->steps, false);
    pop_tensor step = steps_read(&steps, bwd_intermediates), stack = steps_read(&steps, forward->intermediates);
    size_t count = pop_tensor_dim(step, 0);
    struct sums sums;
    sums.of_input = units_as_matrix(units, pop_tensor_slice(step, 0, POPNN_GRU_UNITS, 0));
    sums.of_output = units_as_matrix(units, pop_tensor_slice(step, count - POPNN_GRU_UNITS, count, 0));
    struct units_weights_gradient gradient = begin_weights_gradient(gru, &sums, sequence);
    add_weights_gradient(gru, &gradient, &sums, steps_read(&steps, forward->input),
                         steps_read(&steps, outputs_before(gru, forward)), kept_of(units, stack, R), steps.body);
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
        pop_tensor_reshape(new_attention(&gru.units), POP_SHAPE(gru.units.steps, gru.units.batch)));
}

/* Backward and weight update, in one loop or in two. */
static pop_tensor run_both(const struct gru *gru, pop_program sequence, const popnn_gru_forward *forward,
                           pop_tensor output_gradient, const struct gru_results *results)
{
    if (!results->weights || units_update_in_loop(&gru->units))
        return run_backward(gru, sequence, forward, output_gradient, results);
    pop_tensor kept = { 0 };
    struct gru_results apart = *results;
    apart.weights = NULL;
    apart.kept = &kept;
    pop_tensor state_gradient = run_backward(gru, sequence, forward, output_gradient, &apart);
    if (call_ready(gru->units.call))
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
    const struct units *units = &gru.units;
    size_t sums_of_units = POPNN_GRU_UNITS * (1 + (size_t)params->reset_after);
    if (!units_check(units, bwd_intermediates, POP_SHAPE(units->steps, sums_of_units, units->batch, units->output),
                     "the tensor of backward intermediates"))
        return none;
    return run_update(&gru, sequence, forward, bwd_intermediates);
}
