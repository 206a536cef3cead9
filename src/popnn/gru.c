/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a step: of x and of h apart for all units where the reset comes after them; else one for both gates and, with the reset output, one for the
 * candidate.  What forward keeps of a step is r, z, c, then h U + b1 of the candidate where the reset comes after, then h' where the output is no sequence. */
#include "popnn/steps.h"
#include "popnn/units.h"

#include <popnn/gru.h>

enum { R = POPNN_GRU_RESET_GATE, Z = POPNN_GRU_UPDATE_GATE, C = POPNN_GRU_CANDIDATE, KEPT_FED = POPNN_GRU_UNITS, KEPT_MOST = KEPT_FED + 2 };

struct gru {
    struct units units;
    const popnn_gru_params *params;
    pop_tensor input_weights, output_weights; /* {input, 3 output}, {output, 3 output} */
};

static bool gru_open(struct gru *gru, pop_where where, pop_graph *graph, const popnn_gru_params *params, const char *api, const char *name,
                     pop_options options, poplin_planning_cache *cache)
{
    unsigned order[POPNN_GRU_UNITS];
    for (size_t i = 0; i < POPNN_GRU_UNITS; ++i)
        order[i] = params->cell_order[i];
    *gru = (struct gru){ .units = { .where = where,
                                    .graph = graph,
                                    .api = api,
                                    .name = name,
                                    .type = params->data_type,
                                    .batch = params->batch_size,
                                    .steps = params->time_steps,
                                    .input = params->input_size,
                                    .output = params->output_size,
                                    .count = POPNN_GRU_UNITS,
                                    .cache = cache },
                         .params = params };
    return units_open(&gru->units, "a GRU", order, options);
}

/* Biases of one of the two products; the only ones where there is one. */
static pop_tensor biases_of(const struct gru *gru, pop_tensor biases, size_t which)
{
    return gru->params->reset_after ? pop_tensor_at_at(gru->units.where, pop_tensor_dim_roll_at(gru->units.where, biases, 1, 0), which) : biases;
}

static bool take_weights(struct gru *gru, const popnn_gru_weights *weights)
{
    const struct units *units = &gru->units;
    if (gru->params->reset_after && !units_check(units, weights->biases, POP_SHAPE(POPNN_GRU_UNITS, 2, units->output), "the tensor of biases"))
        return false;
    if (!units_check_weights(units, weights->input_weights, weights->output_weights, biases_of(gru, weights->biases, 0)))
        return false;
    gru->input_weights = units_as_matrix(units, weights->input_weights);
    gru->output_weights = units_as_matrix(units, weights->output_weights);
    return true;
}
static bool check_forward(const struct units *units, pop_tensor initial, pop_tensor input)
{
    return units_check(units, input, POP_SHAPE(units->steps, units->batch, units->input), "the input") &&
           units_check(units, initial, POP_SHAPE(units->batch, units->output), "the initial state");
}

/* Weights of some units for [x h], {input + output, n output}. */
static pop_tensor both_weights(const struct gru *gru, const unsigned *list, size_t count)
{
    pop_tensor columns[2];
    const struct units *units = &gru->units;
    pop_tensor whole = pop_tensor_concat_at(units->where, POP_TENSORS(gru->input_weights, gru->output_weights), 0);
    for (size_t i = 0; i < count; ++i)
        columns[i] = units_columns(units, whole, list[i]);
    return pop_tensor_concat_at(units->where, (pop_tensors){ count, columns }, 1);
}
static const unsigned gates[] = { R, Z }, candidate[] = { C };

/* {batch, 3 output} of the gradients of each unit, in the order of weights. */
static pop_tensor in_order(const struct units *units, pop_tensor r, pop_tensor z, pop_tensor c)
{
    pop_tensor list[POPNN_GRU_UNITS];
    list[units->place[R]] = r;
    list[units->place[Z]] = z;
    list[units->place[C]] = c;
    return pop_tensor_concat_at(units->where, (pop_tensors){ POPNN_GRU_UNITS, list }, 1);
}

/* ---- parameters and tensors ---- */

popnn_gru_params popnn_gru_params_make(pop_type data_type, size_t batch_size, size_t time_steps, size_t input_size, size_t output_size)
{
    return (popnn_gru_params){ data_type,
                               batch_size,
                               time_steps,
                               input_size,
                               output_size,
                               true,
                               true,
                               { POPNN_GRU_RESET_GATE, POPNN_GRU_UPDATE_GATE, POPNN_GRU_CANDIDATE },
                               false,
                               POPNN_TANH,
                               POPNN_SIGMOID };
}

static uint64_t flops(const popnn_gru_params *p, uint64_t others)
{
    uint64_t cells = (uint64_t)p->batch_size * p->time_steps * p->output_size;
    return 2 * cells * (p->input_size + p->output_size) * POPNN_GRU_UNITS + cells * others;
}
uint64_t popnn_gru_fwd_flops(const popnn_gru_params *params)
{
    return flops(params, POPNN_GRU_UNITS + 4); /* biases; the reset output; a difference, a product and a sum for the output */
}
uint64_t popnn_gru_bwd_flops(const popnn_gru_params *params)
{
    return flops(params, 8);
}
uint64_t popnn_gru_wu_flops(const popnn_gru_params *params)
{
    return flops(params, POPNN_GRU_UNITS);
}

/* Of x and h apart where the reset comes after them; else of both, for the gates and for the candidate. */
size_t popnn_gru_get_mat_mul_pre_plan_parameters(const popnn_gru_params *p, bool inference_only, poplin_fc_mat_mul list[POPNN_GRU_MOST_MAT_MULS])
{
    size_t in = p->input_size, out = p->output_size, batch = p->batch_size, count = 2;
    size_t depth[2] = { in + out, in + out }, columns[2] = { 2 * out, out };
    if (p->reset_after)
        depth[0] = in, depth[1] = out, columns[0] = columns[1] = POPNN_GRU_UNITS * out;
    for (size_t i = 0; i < 2; ++i)
        list[i] = units_product_params(p->data_type, UNITS_FORWARD, inference_only, batch, depth[i], columns[i]);
    if (inference_only)
        return count;
    for (size_t i = p->reset_after && !p->calc_input_gradients ? 1 : 0; i < 2; ++i)
        list[count++] = units_product_params(p->data_type, UNITS_BACKWARD, false, batch, columns[i], depth[i]);
    for (size_t i = 0; i < 2; ++i)
        list[count++] = units_product_params(p->data_type, UNITS_UPDATE, false, depth[i], batch, columns[i]);
    return count;
}

pop_tensor popnn_gru_create_input_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, const char *name, pop_options options,
                                     poplin_planning_cache *cache)
{
    struct gru gru;
    if (!gru_open(&gru, where, graph, params, "popnn_gru_create_input", name, options, cache))
        return (pop_tensor){ 0 };
    size_t in = params->input_size, out = params->output_size;
    pop_tensor operand = params->reset_after ? units_left_operand(&gru.units, params->batch_size, in, POPNN_GRU_UNITS * out)
                                             : units_left_operand(&gru.units, params->batch_size, in + out, 2 * out);
    return steps_new(where, graph, pop_tensor_slice_at(where, operand, 0, in, 1), params->time_steps, name);
}
pop_tensor popnn_gru_create_initial_state_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, const char *name, pop_options options,
                                             poplin_planning_cache *cache)
{
    struct gru gru;
    if (!gru_open(&gru, where, graph, params, "popnn_gru_create_initial_state", name, options, cache))
        return (pop_tensor){ 0 };
    return units_spread(&gru.units, POP_SHAPE(params->batch_size, params->output_size), name);
}
/* Columns for two units, r and z, and for c, in the order of weights. */
static pop_tensor of_all_units(const struct units *units, pop_tensor both, pop_tensor c)
{
    pop_tensor r = pop_tensor_slice_at(units->where, both, 0, units->output, 1);
    pop_tensor z = pop_tensor_slice_at(units->where, both, units->output, 2 * units->output, 1), list[POPNN_GRU_UNITS];
    list[units->place[R]] = r;
    list[units->place[Z]] = z;
    list[units->place[C]] = c;
    return pop_tensor_concat_at(units->where, (pop_tensors){ POPNN_GRU_UNITS, list }, 1);
}
/* Laid out for the products that the layer has. */
static popnn_gru_weights new_weights(const struct gru *gru)
{
    const struct units *units = &gru->units;
    size_t in = units->input, out = units->output;
    pop_tensor from_input, from_output;
    if (gru->params->reset_after) {
        from_input = units_right_operand(units, units->batch, in, POPNN_GRU_UNITS * out);
        from_output = units_right_operand(units, units->batch, out, POPNN_GRU_UNITS * out);
    } else {
        pop_tensor whole = of_all_units(units, units_right_operand(units, units->batch, in + out, 2 * out), units_right_operand(units, units->batch, in + out, out));
        from_input = pop_tensor_slice_at(units->where, whole, 0, in, 0);
        from_output = pop_tensor_slice_at(units->where, whole, in, in + out, 0);
    }
    return (popnn_gru_weights){ units_from_matrix(units, from_input), units_from_matrix(units, from_output), { 0 } };
}
static pop_tensor new_biases(const struct gru *gru)
{
    size_t out = gru->units.output;
    return units_spread(&gru->units, gru->params->reset_after ? POP_SHAPE(POPNN_GRU_UNITS, 2, out) : POP_SHAPE(POPNN_GRU_UNITS, out), gru->units.name);
}
popnn_gru_weights popnn_gru_create_weights_kernel_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, const char *name,
                                                     pop_options options, poplin_planning_cache *cache)
{
    struct gru gru;
    if (!gru_open(&gru, where, graph, params, "popnn_gru_create_weights_kernel", name, options, cache))
        return (popnn_gru_weights){ { 0 }, { 0 }, { 0 } };
    return new_weights(&gru);
}
pop_tensor popnn_gru_create_weights_biases_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, const char *name, pop_options options,
                                              poplin_planning_cache *cache)
{
    struct gru gru;
    if (!gru_open(&gru, where, graph, params, "popnn_gru_create_weights_biases", name, options, cache))
        return (pop_tensor){ 0 };
    return new_biases(&gru);
}
popnn_gru_weights popnn_gru_create_weights_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, const char *name, pop_options options,
                                              poplin_planning_cache *cache)
{
    struct gru gru;
    if (!gru_open(&gru, where, graph, params, "popnn_gru_create_weights", name, options, cache))
        return (popnn_gru_weights){ { 0 }, { 0 }, { 0 } };
    popnn_gru_weights weights = new_weights(&gru);
    weights.biases = new_biases(&gru);
    return weights;
}

/* ---- forward ---- */

static void apply(const struct gru *gru, popnn_non_linearity_type type, pop_tensor t, pop_program body, const char *name)
{
    popnn_non_linearity_in_place_at(gru->units.where, gru->units.graph, type, t, body, name);
}
static void add_to(const struct units *units, pop_tensor a, pop_tensor b, pop_program body, const char *name)
{
    units_binary_in_place(units, POPOPS_BINARY_ADD, a, b, body, name);
}

/* r, z and c with the reset before the product. */
static void units_with_reset_before(const struct gru *gru, pop_tensor x, pop_tensor h, pop_tensor biases, pop_tensor *kept, pop_program body)
{
    const struct units *units = &gru->units;
    pop_tensor b[POPNN_GRU_UNITS];
    for (unsigned unit = 0; unit < POPNN_GRU_UNITS; ++unit)
        b[unit] = pop_tensor_at_at(units->where, biases, units->place[unit]);
    pop_tensor both = units_product(units, UNITS_FORWARD, pop_tensor_concat_at(units->where, POP_TENSORS(x, h), 1), both_weights(gru, gates, 2), body);
    add_to(units, both, pop_tensor_concat_at(units->where, POP_TENSORS(b[R], b[Z]), 0), body, "addBias");
    apply(gru, gru->params->recurrent_activation, both, body, "gates");
    kept[R] = pop_tensor_slice_at(units->where, both, 0, units->output, 1);
    kept[Z] = pop_tensor_slice_at(units->where, both, units->output, 2 * units->output, 1);
    pop_tensor reset = units_binary(units, POPOPS_BINARY_MULTIPLY, h, kept[R], body, "reset");
    kept[C] = units_product(units, UNITS_FORWARD, pop_tensor_concat_at(units->where, POP_TENSORS(x, reset), 1), both_weights(gru, candidate, 1), body);
    add_to(units, kept[C], b[C], body, "addBias");
}

/* The same with the reset after it; kept[KEPT_FED] is what r is multiplied with. */
static void units_with_reset_after(const struct gru *gru, pop_tensor x, pop_tensor h, pop_tensor biases, pop_tensor *kept, pop_program body)
{
    const struct units *units = &gru->units;
    pop_tensor from_x = units_product(units, UNITS_FORWARD, x, gru->input_weights, body);
    pop_tensor from_h = units_product(units, UNITS_FORWARD, h, gru->output_weights, body);
    add_to(units, from_x, pop_tensor_flatten_at(units->where, biases_of(gru, biases, 0)), body, "addBias");
    add_to(units, from_h, pop_tensor_flatten_at(units->where, biases_of(gru, biases, 1)), body, "addBias");
    for (unsigned unit = 0; unit < POPNN_GRU_UNITS; ++unit)
        kept[unit] = units_columns(units, from_x, unit);
    kept[KEPT_FED] = units_columns(units, from_h, C);
    pop_tensor both = pop_tensor_concat_at(units->where, POP_TENSORS(kept[R], kept[Z]), 1);
    add_to(units, both, pop_tensor_concat_at(units->where, POP_TENSORS(units_columns(units, from_h, R), units_columns(units, from_h, Z)), 1), body, "gates");
    apply(gru, gru->params->recurrent_activation, both, body, "gates");
    add_to(units, kept[C], units_binary(units, POPOPS_BINARY_MULTIPLY, kept[KEPT_FED], kept[R], body, "reset"), body, "reset");
}

/* How many tensors a step keeps; the last is h' where it is one of them. */
static size_t count_kept(const popnn_gru_params *params)
{
    return POPNN_GRU_UNITS + (size_t)params->reset_after + (size_t)!params->output_full_sequence;
}

static pop_tensor step_forward(const struct gru *gru, pop_tensor x, pop_tensor h, pop_tensor biases, pop_tensor *kept, pop_program body)
{
    const struct units *units = &gru->units;
    (gru->params->reset_after ? units_with_reset_after : units_with_reset_before)(gru, x, h, biases, kept, body);
    apply(gru, gru->params->activation, kept[C], body, "candidate");
    pop_tensor out = units_binary(units, POPOPS_BINARY_SUBTRACT, h, kept[C], body, "output");
    units_binary_in_place(units, POPOPS_BINARY_MULTIPLY, out, kept[Z], body, "output");
    add_to(units, out, kept[C], body, "output");
    if (!gru->params->output_full_sequence)
        kept[count_kept(gru->params) - 1] = out;
    return out;
}

pop_tensor popnn_gru_fwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, pop_tensor initial, pop_tensor input,
                            popnn_gru_weights weights, pop_tensor *intermediates, pop_program sequence, const char *name, pop_options options,
                            poplin_planning_cache *cache)
{
    struct gru gru;
    if (!gru_open(&gru, where, graph, params, "popnn_gru_fwd", name, options, cache) || !take_weights(&gru, &weights) ||
        !check_forward(&gru.units, initial, input))
        return (pop_tensor){ 0 };
    const struct units *units = &gru.units;
    struct steps steps = steps_begin(where, graph, params->time_steps, false, name);
    pop_tensor h = units_like(units, initial, "output"), kept[KEPT_MOST], outputs = h;
    units_copy(units, initial, h, sequence);
    pop_tensor next = step_forward(&gru, steps_read(&steps, input), h, weights.biases, kept, steps.body);
    if (params->output_full_sequence) {
        outputs = steps_new(where, graph, h, params->time_steps, "outputs");
        steps_write(&steps, outputs, next);
    }
    if (intermediates) {
        pop_tensor stack = units_stack(units, kept, count_kept(params));
        *intermediates = steps_new(where, graph, stack, params->time_steps, "intermediates");
        steps_write(&steps, *intermediates, stack);
    }
    units_copy(units, next, h, steps.body);
    steps_end(&steps, sequence);
    return outputs;
}

/* ---- backward ---- */

/* The gradients of one step's sums: of x W of each unit, {batch, 3 output}, and of h U where they differ. */
struct sums {
    pop_tensor of_input, of_output;
};
/* What the backward loop collects: sequences, or null. */
struct backward {
    pop_program before; /* the loop */
    pop_tensor carried; /* the gradient of h' */
    pop_tensor input_gradient;
    pop_tensor weights[2], biases[2]; /* {input, 3 output}, {output, 3 output}; {batch, 3 output} each */
};

static pop_tensor columns(const struct units *units, pop_tensor whole, const unsigned *list, size_t count)
{
    pop_tensor parts[2];
    for (size_t i = 0; i < count; ++i)
        parts[i] = units_columns(units, whole, list[i]);
    return pop_tensor_concat_at(units->where, (pop_tensors){ count, parts }, 1);
}
static pop_tensor transposed(const struct units *units, pop_tensor t)
{
    return pop_tensor_transpose_at(units->where, t);
}

/* Through the products with the reset before: gives dz of r, adds to the gradients of x and h. */
static pop_tensor through_reset_before(const struct gru *gru, const struct backward *backward, const pop_tensor *kept, pop_tensor before,
                                       pop_tensor d_candidate, pop_tensor d_update, pop_tensor *dx, pop_program body)
{
    pop_tensor dh = backward->carried;
    const struct units *units = &gru->units;
    size_t in = units->input, all = units->input + units->output;
    pop_tensor from_c = units_product_in_loop(units, d_candidate, transposed(units, both_weights(gru, candidate, 1)), backward->before, body);
    pop_tensor d_reset_h = pop_tensor_slice_at(units->where, from_c, in, all, 1);
    pop_tensor dr = units_binary(units, POPOPS_BINARY_MULTIPLY, before, d_reset_h, body, "resetGate");
    pop_tensor d_reset = units_gradient(units, gru->params->recurrent_activation, kept[R], dr, body, "resetGate");
    add_to(units, dh, units_binary(units, POPOPS_BINARY_MULTIPLY, kept[R], d_reset_h, body, "reset"), body, "reset");
    pop_tensor from_gates = units_product_in_loop(units, pop_tensor_concat_at(units->where, POP_TENSORS(d_reset, d_update), 1),
                                                  transposed(units, both_weights(gru, gates, 2)), backward->before, body);
    add_to(units, dh, pop_tensor_slice_at(units->where, from_gates, in, all, 1), body, "output");
    *dx = pop_tensor_slice_at(units->where, from_gates, 0, in, 1);
    add_to(units, *dx, pop_tensor_slice_at(units->where, from_c, 0, in, 1), body, "input");
    return d_reset;
}

static pop_tensor kept_of(const struct units *units, pop_tensor stack, size_t i)
{
    return pop_tensor_at_at(units->where, stack, i);
}

/* One step back: carried becomes the gradient of the output before. */
static struct sums step_backward(const struct gru *gru, struct steps *steps, struct backward *backward, pop_tensor stack, pop_tensor before)
{
    const struct units *units = &gru->units;
    const popnn_gru_params *p = gru->params;
    pop_program body = steps->body;
    pop_tensor kept[KEPT_MOST], dh = backward->carried, dx = { 0 };
    for (size_t i = 0; i < POPNN_GRU_UNITS + (size_t)p->reset_after; ++i)
        kept[i] = kept_of(units, stack, i);
    pop_tensor dz = units_binary(units, POPOPS_BINARY_SUBTRACT, before, kept[C], body, "updateGate");
    units_binary_in_place(units, POPOPS_BINARY_MULTIPLY, dz, dh, body, "updateGate");
    pop_tensor through = units_binary(units, POPOPS_BINARY_MULTIPLY, dh, kept[Z], body, "update");
    pop_tensor dc = units_binary(units, POPOPS_BINARY_SUBTRACT, dh, through, body, "candidate");
    units_copy(units, through, dh, body);
    pop_tensor d_update = units_gradient(units, p->recurrent_activation, kept[Z], dz, body, "updateGate");
    pop_tensor d_candidate = units_gradient(units, p->activation, kept[C], dc, body, "candidate");
    struct sums sums;
    if (p->reset_after) {
        pop_tensor dr = units_binary(units, POPOPS_BINARY_MULTIPLY, d_candidate, kept[KEPT_FED], body, "resetGate");
        pop_tensor d_reset = units_gradient(units, p->recurrent_activation, kept[R], dr, body, "resetGate");
        pop_tensor fed = units_binary(units, POPOPS_BINARY_MULTIPLY, d_candidate, kept[R], body, "reset");
        sums.of_input = in_order(units, d_reset, d_update, d_candidate);
        sums.of_output = in_order(units, d_reset, d_update, fed);
        add_to(units, dh, units_product_in_loop(units, sums.of_output, transposed(units, gru->output_weights), backward->before, body), body, "output");
        if (pop_tensor_valid(backward->input_gradient))
            dx = units_product_in_loop(units, sums.of_input, transposed(units, gru->input_weights), backward->before, body);
    } else {
        pop_tensor d_reset = through_reset_before(gru, backward, kept, before, d_candidate, d_update, &dx, body);
        sums.of_input = sums.of_output = in_order(units, d_reset, d_update, d_candidate);
    }
    if (pop_tensor_valid(backward->input_gradient))
        steps_write(steps, backward->input_gradient, dx);
    return sums;
}

static void add_weights_gradient(const struct gru *gru, const struct backward *backward, const struct sums *sums, pop_tensor x, pop_tensor before,
                                 pop_tensor reset_gate, pop_program body)
{
    const struct units *units = &gru->units;
    add_to(units, backward->biases[0], sums->of_input, body, "biases");
    if (gru->params->reset_after) {
        units_add_product(units, backward->weights[0], x, sums->of_input, body);
        units_add_product(units, backward->weights[1], before, sums->of_output, body);
        add_to(units, backward->biases[1], sums->of_output, body, "biases");
        return;
    }
    pop_tensor reset = units_binary(units, POPOPS_BINARY_MULTIPLY, before, reset_gate, body, "reset");
    pop_tensor whole = pop_tensor_concat_at(units->where, POP_TENSORS(backward->weights[0], backward->weights[1]), 0);
    pop_tensor of_gates = pop_tensor_concat_at(units->where, POP_TENSORS(x, before), 1), of_candidate = pop_tensor_concat_at(units->where, POP_TENSORS(x, reset), 1);
    units_add_product(units, columns(units, whole, gates, 2), of_gates, columns(units, sums->of_output, gates, 2), body);
    units_add_product(units, columns(units, whole, candidate, 1), of_candidate, columns(units, sums->of_output, candidate, 1), body);
}

static void begin_weights_gradient(const struct gru *gru, struct backward *backward, const struct sums *sums, pop_program sequence)
{
    const struct units *units = &gru->units;
    size_t in = units->input, out = units->output;
    pop_tensor whole = units_like(units, pop_tensor_concat_at(units->where, POP_TENSORS(gru->input_weights, gru->output_weights), 0), "weightsGradient");
    backward->weights[0] = pop_tensor_slice_at(units->where, whole, 0, in, 0);
    backward->weights[1] = pop_tensor_slice_at(units->where, whole, in, in + out, 0);
    units_zero(units, whole, sequence);
    for (size_t i = 0; i < 1 + (size_t)gru->params->reset_after; ++i) {
        backward->biases[i] = units_like(units, i ? sums->of_output : sums->of_input, "biasSum");
        units_zero(units, backward->biases[i], sequence);
    }
}
static popnn_gru_weights end_weights_gradient(const struct gru *gru, const struct backward *backward, pop_program sequence)
{
    const struct units *units = &gru->units;
    pop_tensor biases[2];
    for (size_t i = 0; i < 1 + (size_t)gru->params->reset_after; ++i)
        biases[i] = pop_tensor_reshape_at(units->where, units_sum(units, backward->biases[i], sequence), POP_SHAPE(POPNN_GRU_UNITS, units->output));
    pop_tensor both = gru->params->reset_after ? pop_tensor_dim_roll_at(units->where, units_stack(units, biases, 2), 0, 1) : biases[0];
    return (popnn_gru_weights){ units_from_matrix(units, backward->weights[0]), units_from_matrix(units, backward->weights[1]), both };
}

static pop_tensor outputs_before(const struct gru *gru, const popnn_gru_forward *forward)
{
    const struct units *units = &gru->units;
    size_t last = count_kept(gru->params);
    pop_tensor outputs = gru->params->output_full_sequence
                             ? forward->output
                             : pop_tensor_squeeze_at(units->where, pop_tensor_slice_at(units->where, forward->intermediates, last - 1, last, 1), POP_DIMS(1));
    return steps_before(units->where, forward->initial, outputs);
}

static bool check_backward(struct gru *gru, const popnn_gru_forward *forward)
{
    const struct units *units = &gru->units;
    pop_shape last = POP_SHAPE(units->batch, units->output), all = POP_SHAPE(units->steps, units->batch, units->output);
    return take_weights(gru, &forward->weights) && check_forward(units, forward->initial, forward->input) &&
           units_check(units, forward->output, gru->params->output_full_sequence ? all : last, "the output") &&
           units_check(units, forward->intermediates, POP_SHAPE(units->steps, count_kept(gru->params), units->batch, units->output),
                       "the tensor of intermediates");
}

static pop_tensor run_backward(const struct gru *gru, pop_program sequence, const popnn_gru_forward *forward, pop_tensor output_gradient,
                               pop_tensor *input_gradient, popnn_gru_weights *weights, pop_tensor *kept)
{
    const struct units *units = &gru->units;
    const popnn_gru_params *p = gru->params;
    pop_shape last = POP_SHAPE(units->batch, units->output), all = POP_SHAPE(units->steps, units->batch, units->output);
    if (!units_check(units, output_gradient, p->output_full_sequence ? all : last, "the output's gradient"))
        return (pop_tensor){ 0 };
    struct steps steps = steps_begin(units->where, units->graph, units->steps, true, units->name);
    struct backward backward = { .before = sequence, .carried = units_like(units, forward->initial, "outputGradient") };
    if (p->output_full_sequence)
        units_zero(units, backward.carried, sequence);
    else
        units_copy(units, output_gradient, backward.carried, sequence);
    if (input_gradient && p->calc_input_gradients)
        *input_gradient = backward.input_gradient =
            steps_new(units->where, units->graph, pop_tensor_at_at(units->where, forward->input, 0), units->steps, "inputGradient");
    if (p->output_full_sequence)
        add_to(units, backward.carried, steps_read(&steps, output_gradient), steps.body, "outputGradient");
    pop_tensor stack = steps_read(&steps, forward->intermediates), before = steps_read(&steps, outputs_before(gru, forward));
    struct sums sums = step_backward(gru, &steps, &backward, stack, before);
    if (kept) {
        pop_tensor both[2] = { units_from_matrix(units, sums.of_input), units_from_matrix(units, sums.of_output) };
        pop_tensor step = pop_tensor_concat_at(units->where, (pop_tensors){ p->reset_after ? 2 : 1, both }, 0);
        *kept = steps_new(units->where, units->graph, step, units->steps, "gradients");
        steps_write(&steps, *kept, step);
    }
    if (weights) {
        begin_weights_gradient(gru, &backward, &sums, sequence);
        add_weights_gradient(gru, &backward, &sums, steps_read(&steps, forward->input), before, kept_of(units, stack, R), steps.body);
    }
    steps_end(&steps, sequence);
    if (weights)
        *weights = end_weights_gradient(gru, &backward, sequence);
    return backward.carried;
}

pop_tensor popnn_gru_bwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, pop_program sequence, const popnn_gru_forward *forward,
                            pop_tensor output_gradient, pop_tensor *input_gradient, pop_tensor *intermediates, const char *name, pop_options options,
                            poplin_planning_cache *cache)
{
    struct gru gru;
    if (!gru_open(&gru, where, graph, params, "popnn_gru_bwd", name, options, cache) || !check_backward(&gru, forward))
        return (pop_tensor){ 0 };
    return run_backward(&gru, sequence, forward, output_gradient, input_gradient, NULL, intermediates);
}

pop_tensor popnn_gru_bwd_with_wu_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, pop_program sequence,
                                    const popnn_gru_forward *forward, pop_tensor output_gradient, pop_tensor *input_gradient,
                                    popnn_gru_weights *weights_gradient, const char *name, pop_options options, poplin_planning_cache *cache)
{
    struct gru gru;
    if (!gru_open(&gru, where, graph, params, "popnn_gru_bwd_with_wu", name, options, cache) || !check_backward(&gru, forward))
        return (pop_tensor){ 0 };
    return run_backward(&gru, sequence, forward, output_gradient, input_gradient, weights_gradient, NULL);
}

popnn_gru_weights popnn_gru_wu_at(pop_where where, pop_graph *graph, const popnn_gru_params *params, pop_program sequence,
                                  const popnn_gru_forward *forward, pop_tensor bwd_intermediates, const char *name, pop_options options,
                                  poplin_planning_cache *cache)
{
    struct gru gru;
    popnn_gru_weights none = { { 0 }, { 0 }, { 0 } };
    if (!gru_open(&gru, where, graph, params, "popnn_gru_wu", name, options, cache) || !check_backward(&gru, forward))
        return none;
    const struct units *units = &gru.units;
    size_t sums_of_units = POPNN_GRU_UNITS * (1 + (size_t)params->reset_after);
    if (!units_check(units, bwd_intermediates, POP_SHAPE(units->steps, sums_of_units, units->batch, units->output), "the tensor of backward intermediates"))
        return none;
    struct backward backward = { .carried = { 0 } };
    struct steps steps = steps_begin(where, graph, params->time_steps, false, name);
    pop_tensor step = steps_read(&steps, bwd_intermediates), stack = steps_read(&steps, forward->intermediates);
    struct sums sums;
    sums.of_input = units_as_matrix(units, pop_tensor_slice_at(where, step, 0, POPNN_GRU_UNITS, 0));
    sums.of_output = units_as_matrix(units, pop_tensor_slice_at(where, step, sums_of_units - POPNN_GRU_UNITS, sums_of_units, 0));
    begin_weights_gradient(&gru, &backward, &sums, sequence);
    add_weights_gradient(&gru, &backward, &sums, steps_read(&steps, forward->input), steps_read(&steps, outputs_before(&gru, forward)),
                         kept_of(units, stack, R), steps.body);
    steps_end(&steps, sequence);
    return end_weights_gradient(&gru, &backward, sequence);
}
