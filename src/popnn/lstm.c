/* SPDX-License-Identifier: Apache-2.0 */
/* Forward: a product for all four units of a step, then their functions.  Backward: the same steps in reverse order, with one product for the gradients of
 * input and output together.  What forward keeps of a step is f, i, g, o, tanh(c'), c' and, where the output is not a sequence, h'. */
#include "popnn/steps.h"
#include "popnn/units.h"

#include <popnn/lstm.h>
#include <popops/fill.h>

enum { KEPT_TANH = POPNN_LSTM_UNITS, KEPT_CELL, KEPT_OUTPUT, KEPT_MOST };

/* A call's arguments, and what follows from them. */
struct lstm {
    struct units units;
    const popnn_lstm_params *params;
};

static bool lstm_open(struct lstm *lstm, pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *api, const char *name,
                      pop_options options, poplin_planning_cache *cache)
{
    unsigned order[POPNN_LSTM_UNITS];
    for (size_t i = 0; i < POPNN_LSTM_UNITS; ++i)
        order[i] = params->cell_order[i];
    *lstm = (struct lstm){ { .where = where,
                             .graph = graph,
                             .api = api,
                             .name = name,
                             .type = params->data_type,
                             .batch = params->batch_size,
                             .steps = params->time_steps,
                             .input = params->input_size,
                             .output = params->output_size,
                             .count = POPNN_LSTM_UNITS,
                             .cache = cache },
                           params };
    return units_open(&lstm->units, "an LSTM", order, options);
}

static bool check_forward(const struct lstm *lstm, popnn_lstm_state initial, pop_tensor input, popnn_lstm_weights weights)
{
    const struct units *units = &lstm->units;
    pop_shape state = POP_SHAPE(units->batch, units->output);
    return units_check(units, input, POP_SHAPE(units->steps, units->batch, units->input), "the input") &&
           units_check(units, initial.output, state, "the initial output") && units_check(units, initial.cell_state, state, "the initial cell state") &&
           units_check_weights(units, weights.input_weights, weights.output_weights, weights.biases);
}

/* Weights of input and output as one matrix {input + output, 4 output}. */
static pop_tensor whole_weights(const struct units *units, popnn_lstm_weights weights)
{
    return pop_tensor_concat_at(units->where, POP_TENSORS(units_as_matrix(units, weights.input_weights), units_as_matrix(units, weights.output_weights)), 0);
}

/* ---- parameters and tensors ---- */

popnn_lstm_params popnn_lstm_params_make(pop_type data_type, size_t batch_size, size_t time_steps, size_t input_size, size_t output_size)
{
    return (popnn_lstm_params){ data_type,
                                batch_size,
                                time_steps,
                                input_size,
                                output_size,
                                true,
                                true,
                                { POPNN_LSTM_FORGET_GATE, POPNN_LSTM_INPUT_GATE, POPNN_LSTM_CANDIDATE, POPNN_LSTM_OUTPUT_GATE },
                                POPNN_TANH,
                                POPNN_SIGMOID };
}

static uint64_t product_flops(const popnn_lstm_params *p)
{
    return (uint64_t)2 * p->batch_size * p->time_steps * (p->input_size + p->output_size) * POPNN_LSTM_UNITS * p->output_size;
}
uint64_t popnn_lstm_fwd_flops(const popnn_lstm_params *p)
{
    /* The product, a bias for each unit, two products and a sum for the cell, one for the output. */
    return product_flops(p) + (uint64_t)p->batch_size * p->time_steps * p->output_size * (POPNN_LSTM_UNITS + 4);
}
uint64_t popnn_lstm_bwd_flops(const popnn_lstm_params *p)
{
    return product_flops(p) + (uint64_t)p->batch_size * p->time_steps * p->output_size * 6;
}
uint64_t popnn_lstm_wu_flops(const popnn_lstm_params *p)
{
    return product_flops(p) + (uint64_t)p->batch_size * p->time_steps * p->output_size * POPNN_LSTM_UNITS;
}

size_t popnn_lstm_get_mat_mul_pre_plan_parameters(const popnn_lstm_params *p, bool inference_only,
                                                  poplin_mat_mul_params list[POPNN_LSTM_MOST_MAT_MULS])
{
    size_t both = p->input_size + p->output_size, all = POPNN_LSTM_UNITS * p->output_size, back = p->calc_input_gradients ? both : p->output_size;
    list[0] = units_product_params(p->data_type, p->batch_size, both, all);
    if (inference_only)
        return 1;
    list[1] = units_product_params(p->data_type, p->batch_size, all, back);
    list[2] = units_product_params(p->data_type, both, p->batch_size, all);
    return 3;
}

pop_tensor popnn_lstm_create_input_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *name, pop_options options,
                                      poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(&lstm, where, graph, params, "popnn_lstm_create_input", name, options, cache))
        return (pop_tensor){ 0 };
    pop_tensor step = pop_tensor_slice_at(where, units_left_operand(&lstm.units), 0, params->input_size, 1);
    return steps_new(where, graph, step, params->time_steps, name);
}

/* {batch, output}. */
static pop_tensor new_state(pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *api, const char *name, pop_options options,
                            poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(&lstm, where, graph, params, api, name, options, cache))
        return (pop_tensor){ 0 };
    return units_spread(&lstm.units, POP_SHAPE(params->batch_size, params->output_size), name);
}
popnn_lstm_state popnn_lstm_create_initial_state_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *name,
                                                    pop_options options, poplin_planning_cache *cache)
{
    popnn_lstm_state state;
    state.output = new_state(where, graph, params, "popnn_lstm_create_initial_state", name, options, cache);
    state.cell_state = new_state(where, graph, params, "popnn_lstm_create_initial_state", name, options, cache);
    return state;
}
pop_tensor popnn_lstm_create_initial_output_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *name,
                                               pop_options options, poplin_planning_cache *cache)
{
    return new_state(where, graph, params, "popnn_lstm_create_initial_output", name, options, cache);
}
pop_tensor popnn_lstm_create_initial_cell_state_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *name,
                                                   pop_options options, poplin_planning_cache *cache)
{
    return new_state(where, graph, params, "popnn_lstm_create_initial_cell_state", name, options, cache);
}

void popnn_lstm_zero_initial_state_at(pop_where where, pop_graph *graph, popnn_lstm_state state, pop_program sequence, const char *name)
{
    popops_zero_at(where, graph, state.output, sequence, name);
    popops_zero_at(where, graph, state.cell_state, sequence, name);
}

static popnn_lstm_weights new_weights(const struct units *units)
{
    popnn_lstm_weights weights = { { 0 }, { 0 }, { 0 } };
    pop_tensor whole = units_right_operand(units, units->input + units->output, POPNN_LSTM_UNITS * units->output);
    weights.input_weights = units_from_matrix(units, pop_tensor_slice_at(units->where, whole, 0, units->input, 0));
    weights.output_weights = units_from_matrix(units, pop_tensor_slice_at(units->where, whole, units->input, units->input + units->output, 0));
    return weights;
}
static pop_tensor new_biases(const struct units *units)
{
    pop_tensor all = units_column_operand(units, units->input + units->output, POPNN_LSTM_UNITS * units->output);
    return pop_tensor_reshape_at(units->where, all, POP_SHAPE(POPNN_LSTM_UNITS, units->output));
}
popnn_lstm_weights popnn_lstm_create_weights_kernel_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *name,
                                                       pop_options options, poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(&lstm, where, graph, params, "popnn_lstm_create_weights_kernel", name, options, cache))
        return (popnn_lstm_weights){ { 0 }, { 0 }, { 0 } };
    return new_weights(&lstm.units);
}
pop_tensor popnn_lstm_create_weights_biases_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *name, pop_options options,
                                               poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(&lstm, where, graph, params, "popnn_lstm_create_weights_biases", name, options, cache))
        return (pop_tensor){ 0 };
    return new_biases(&lstm.units);
}
popnn_lstm_weights popnn_lstm_create_weights_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, const char *name, pop_options options,
                                                poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(&lstm, where, graph, params, "popnn_lstm_create_weights", name, options, cache))
        return (popnn_lstm_weights){ { 0 }, { 0 }, { 0 } };
    popnn_lstm_weights weights = new_weights(&lstm.units);
    weights.biases = new_biases(&lstm.units);
    return weights;
}

/* ---- forward ---- */

/* What a step gives. */
struct cell {
    pop_tensor kept[KEPT_MOST]; /* by unit, then KEPT_TANH, ... */
};

static struct cell step_forward(const struct lstm *lstm, pop_tensor x, popnn_lstm_state state, pop_tensor weights, pop_tensor biases, pop_program body)
{
    const struct units *units = &lstm->units;
    const popnn_lstm_params *p = lstm->params;
    struct cell cell;
    pop_tensor operand = pop_tensor_concat_at(units->where, POP_TENSORS(x, state.output), 1);
    pop_tensor z = units_product(units, operand, weights, body);
    units_binary_in_place(units, POPOPS_BINARY_ADD, z, pop_tensor_flatten_at(units->where, biases), body, "addBias");
    for (int unit = 0; unit < POPNN_LSTM_UNITS; ++unit)
        cell.kept[unit] = units_columns(units, z, (unsigned)unit);
    pop_tensor gates = pop_tensor_concat_at(
        units->where, POP_TENSORS(cell.kept[POPNN_LSTM_FORGET_GATE], cell.kept[POPNN_LSTM_INPUT_GATE], cell.kept[POPNN_LSTM_OUTPUT_GATE]), 1);
    popnn_non_linearity_in_place_at(units->where, units->graph, p->recurrent_activation, gates, body, "gates");
    popnn_non_linearity_in_place_at(units->where, units->graph, p->activation, cell.kept[POPNN_LSTM_CANDIDATE], body, "candidate");
    pop_tensor values = pop_tensor_concat_at(units->where, POP_TENSORS(state.cell_state, cell.kept[POPNN_LSTM_CANDIDATE]), 1);
    pop_tensor factors = pop_tensor_concat_at(units->where, POP_TENSORS(cell.kept[POPNN_LSTM_FORGET_GATE], cell.kept[POPNN_LSTM_INPUT_GATE]), 1);
    pop_tensor parts = units_binary(units, POPOPS_BINARY_MULTIPLY, values, factors, body, "forgetAndInput");
    cell.kept[KEPT_CELL] = pop_tensor_slice_at(units->where, parts, 0, units->output, 1);
    units_binary_in_place(units, POPOPS_BINARY_ADD, cell.kept[KEPT_CELL], pop_tensor_slice_at(units->where, parts, units->output, 2 * units->output, 1),
                          body, "cell");
    cell.kept[KEPT_TANH] = units_non_linearity(units, p->activation, cell.kept[KEPT_CELL], body, "cell");
    cell.kept[KEPT_OUTPUT] = units_binary(units, POPOPS_BINARY_MULTIPLY, cell.kept[KEPT_TANH], cell.kept[POPNN_LSTM_OUTPUT_GATE], body, "output");
    return cell;
}

pop_tensor popnn_lstm_fwd_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, popnn_lstm_state initial, pop_tensor input,
                             popnn_lstm_weights weights, pop_tensor *intermediates, pop_tensor *cell_state, pop_program sequence, const char *name,
                             pop_options options, poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(&lstm, where, graph, params, "popnn_lstm_fwd", name, options, cache) || !check_forward(&lstm, initial, input, weights))
        return (pop_tensor){ 0 };
    struct steps steps = steps_begin(where, graph, params->time_steps, false, name);
    popnn_lstm_state state = { units_like(&lstm.units, initial.output, "output"), units_like(&lstm.units, initial.cell_state, "cellState") };
    units_copy(&lstm.units, initial.output, state.output, sequence);
    units_copy(&lstm.units, initial.cell_state, state.cell_state, sequence);
    struct cell cell = step_forward(&lstm, steps_read(&steps, input), state, whole_weights(&lstm.units, weights), weights.biases, steps.body);
    pop_tensor outputs = { 0 };
    if (params->output_full_sequence) {
        outputs = steps_new(where, graph, state.output, params->time_steps, "outputs");
        steps_write(&steps, outputs, cell.kept[KEPT_OUTPUT]);
    }
    if (intermediates) {
        pop_tensor kept = units_stack(&lstm.units, cell.kept, params->output_full_sequence ? KEPT_OUTPUT : KEPT_MOST);
        *intermediates = steps_new(where, graph, kept, params->time_steps, "intermediates");
        steps_write(&steps, *intermediates, kept);
    }
    units_copy(&lstm.units, pop_tensor_concat_at(where, POP_TENSORS(cell.kept[KEPT_OUTPUT], cell.kept[KEPT_CELL]), 1),
               pop_tensor_concat_at(where, POP_TENSORS(state.output, state.cell_state), 1), steps.body);
    steps_end(&steps, sequence);
    if (cell_state)
        *cell_state = state.cell_state;
    return params->output_full_sequence ? outputs : state.output;
}

/* ---- backward ---- */

/* What the backward loop carries from a step to the one before it, and what it collects. */
struct backward {
    popnn_lstm_state carried;              /* gradients of the state after the step */
    pop_tensor input_gradient, kept;       /* sequences, or null */
    pop_tensor weights_gradient, z_sum;    /* {input + output, 4 output} and {batch, 4 output}, or null */
};

/* The gradient of the units' sums, {batch, 4 output}; the carried cell gradient becomes that of the step before. */
static pop_tensor step_gradients(const struct lstm *lstm, struct backward *backward, pop_tensor kept, pop_tensor cell_before, pop_program body)
{
    const struct units *units = &lstm->units;
    const popnn_lstm_params *p = lstm->params;
    pop_tensor of[KEPT_MOST], dz[POPNN_LSTM_UNITS], ordered[POPNN_LSTM_UNITS];
    for (size_t i = 0; i < KEPT_OUTPUT; ++i)
        of[i] = pop_tensor_at_at(units->where, kept, i);
    pop_tensor dh = backward->carried.output, dc = backward->carried.cell_state;
    const popops_binary_op times = POPOPS_BINARY_MULTIPLY;
    pop_tensor d_out = units_binary(units, times, dh, of[KEPT_TANH], body, "outputGate");
    pop_tensor d_tanh = units_binary(units, times, dh, of[POPNN_LSTM_OUTPUT_GATE], body, "tanh");
    units_binary_in_place(units, POPOPS_BINARY_ADD, dc, units_gradient(units, p->activation, of[KEPT_TANH], d_tanh, body, "cell"), body, "cell");
    pop_tensor d_forget = units_binary(units, times, dc, cell_before, body, "forgetGate");
    pop_tensor d_input = units_binary(units, times, dc, of[POPNN_LSTM_CANDIDATE], body, "inputGate");
    pop_tensor d_candidate = units_binary(units, times, dc, of[POPNN_LSTM_INPUT_GATE], body, "candidate");
    dz[POPNN_LSTM_FORGET_GATE] = units_gradient(units, p->recurrent_activation, of[POPNN_LSTM_FORGET_GATE], d_forget, body, "forgetGate");
    dz[POPNN_LSTM_INPUT_GATE] = units_gradient(units, p->recurrent_activation, of[POPNN_LSTM_INPUT_GATE], d_input, body, "inputGate");
    dz[POPNN_LSTM_OUTPUT_GATE] = units_gradient(units, p->recurrent_activation, of[POPNN_LSTM_OUTPUT_GATE], d_out, body, "outputGate");
    dz[POPNN_LSTM_CANDIDATE] = units_gradient(units, p->activation, of[POPNN_LSTM_CANDIDATE], d_candidate, body, "candidate");
    units_binary_in_place(units, times, dc, of[POPNN_LSTM_FORGET_GATE], body, "cellBefore");
    for (int unit = 0; unit < POPNN_LSTM_UNITS; ++unit)
        ordered[units->place[unit]] = dz[unit];
    return pop_tensor_concat_at(units->where, (pop_tensors){ POPNN_LSTM_UNITS, ordered }, 1);
}

/* Gradients of the step's input and of the output before it, by one product. */
static void through_weights(const struct lstm *lstm, struct steps *steps, struct backward *backward, pop_tensor dz, pop_tensor weights,
                            pop_program before)
{
    const struct units *units = &lstm->units;
    const popnn_lstm_params *p = lstm->params;
    size_t in = pop_tensor_valid(backward->input_gradient) ? p->input_size : 0;
    pop_tensor used = in ? weights : pop_tensor_slice_at(units->where, weights, p->input_size, p->input_size + p->output_size, 0);
    pop_tensor both = units_product_in_loop(units, dz, pop_tensor_transpose_at(units->where, used), before, steps->body);
    if (in)
        steps_write(steps, backward->input_gradient, pop_tensor_slice_at(units->where, both, 0, in, 1));
    units_copy(units, pop_tensor_slice_at(units->where, both, in, in + p->output_size, 1), backward->carried.output, steps->body);
}

/* The weights' gradient grows by [x h]^T dz. */
static void add_weights_gradient(const struct units *units, const struct backward *backward, pop_tensor x, pop_tensor output_before, pop_tensor dz,
                                 pop_program body)
{
    pop_tensor operand = pop_tensor_concat_at(units->where, POP_TENSORS(x, output_before), 1);
    units_add_product(units, backward->weights_gradient, operand, dz, body);
    units_binary_in_place(units, POPOPS_BINARY_ADD, backward->z_sum, dz, body, "biases");
}

/* The outputs before each step, {steps, batch, output}. */
static pop_tensor outputs_before(const struct lstm *lstm, const popnn_lstm_forward *forward)
{
    const struct units *units = &lstm->units;
    pop_tensor outputs = forward->output;
    if (!lstm->params->output_full_sequence)
        outputs = pop_tensor_squeeze_at(units->where, pop_tensor_slice_at(units->where, forward->intermediates, KEPT_OUTPUT, KEPT_MOST, 1), POP_DIMS(1));
    return steps_before(units->where, forward->initial.output, outputs);
}
static pop_tensor cells_before(const struct units *units, const popnn_lstm_forward *forward)
{
    pop_tensor cells = pop_tensor_squeeze_at(units->where, pop_tensor_slice_at(units->where, forward->intermediates, KEPT_CELL, KEPT_CELL + 1, 1), POP_DIMS(1));
    return steps_before(units->where, forward->initial.cell_state, cells);
}

/* Sums to collect in, set to zero. */
static void begin_weights_gradient(const struct units *units, struct backward *backward, popnn_lstm_weights weights, pop_program sequence)
{
    backward->weights_gradient = units_like(units, whole_weights(units, weights), "weightsGradient");
    backward->z_sum = units_spread(units, POP_SHAPE(units->batch, POPNN_LSTM_UNITS * units->output), "biasSum");
    units_zero(units, backward->weights_gradient, sequence);
    units_zero(units, backward->z_sum, sequence);
}
static popnn_lstm_weights end_weights_gradient(const struct units *units, const struct backward *backward, pop_program sequence)
{
    popnn_lstm_weights gradients;
    pop_tensor whole = backward->weights_gradient;
    gradients.input_weights = units_from_matrix(units, pop_tensor_slice_at(units->where, whole, 0, units->input, 0));
    gradients.output_weights = units_from_matrix(units, pop_tensor_slice_at(units->where, whole, units->input, units->input + units->output, 0));
    pop_tensor biases = units_sum(units, backward->z_sum, sequence);
    gradients.biases = pop_tensor_reshape_at(units->where, biases, POP_SHAPE(POPNN_LSTM_UNITS, units->output));
    return gradients;
}

static bool check_backward(const struct lstm *lstm, const popnn_lstm_forward *forward, pop_tensor output_gradient, const pop_tensor *last_cell_gradient)
{
    const struct units *units = &lstm->units;
    const popnn_lstm_params *p = lstm->params;
    size_t kept = p->output_full_sequence ? KEPT_OUTPUT : KEPT_MOST;
    pop_shape state = POP_SHAPE(p->batch_size, p->output_size), sequence = POP_SHAPE(p->time_steps, p->batch_size, p->output_size);
    pop_shape output = p->output_full_sequence ? sequence : state;
    return check_forward(lstm, forward->initial, forward->input, forward->weights) && units_check(units, forward->output, output, "the output") &&
           units_check(units, forward->intermediates, POP_SHAPE(p->time_steps, kept, p->batch_size, p->output_size), "the tensor of intermediates") &&
           units_check(units, output_gradient, output, "the output's gradient") &&
           (!last_cell_gradient || units_check(units, *last_cell_gradient, state, "the last cell state's gradient"));
}

/* The gradients that the last step begins with. */
static void begin_carried(const struct lstm *lstm, struct backward *backward, const popnn_lstm_forward *forward, pop_tensor output_gradient,
                          const pop_tensor *last_cell_gradient, pop_program sequence)
{
    const struct units *units = &lstm->units;
    backward->carried.output = units_like(units, forward->initial.output, "outputGradient");
    backward->carried.cell_state = units_like(units, forward->initial.cell_state, "cellGradient");
    if (lstm->params->output_full_sequence)
        units_zero(units, backward->carried.output, sequence);
    else
        units_copy(units, output_gradient, backward->carried.output, sequence);
    if (last_cell_gradient)
        units_copy(units, *last_cell_gradient, backward->carried.cell_state, sequence);
    else
        units_zero(units, backward->carried.cell_state, sequence);
}

/* Both passes: with weights (may be NULL) their gradients, with kept (may be NULL) what popnn_lstm_wu needs. */
static popnn_lstm_state run_backward(const struct lstm *lstm, pop_program sequence, const popnn_lstm_forward *forward, pop_tensor output_gradient,
                                     const pop_tensor *last_cell_gradient, pop_tensor *input_gradient, popnn_lstm_weights *weights, pop_tensor *kept)
{
    const struct units *units = &lstm->units;
    const popnn_lstm_params *p = lstm->params;
    struct backward backward = { .input_gradient = { 0 } };
    struct steps steps = steps_begin(units->where, units->graph, p->time_steps, true, units->name);
    begin_carried(lstm, &backward, forward, output_gradient, last_cell_gradient, sequence);
    if (weights)
        begin_weights_gradient(units, &backward, forward->weights, sequence);
    if (input_gradient && p->calc_input_gradients)
        *input_gradient = backward.input_gradient =
            steps_new(units->where, units->graph, pop_tensor_at_at(units->where, forward->input, 0), p->time_steps, "inputGradient");
    if (p->output_full_sequence)
        units_binary_in_place(units, POPOPS_BINARY_ADD, backward.carried.output, steps_read(&steps, output_gradient), steps.body, "outputGradient");
    pop_tensor dz = step_gradients(lstm, &backward, steps_read(&steps, forward->intermediates), steps_read(&steps, cells_before(units, forward)), steps.body);
    if (kept) {
        pop_tensor of_units = units_from_matrix(units, dz);
        *kept = steps_new(units->where, units->graph, of_units, p->time_steps, "gradients");
        steps_write(&steps, *kept, of_units);
    }
    if (weights)
        add_weights_gradient(units, &backward, steps_read(&steps, forward->input), steps_read(&steps, outputs_before(lstm, forward)), dz, steps.body);
    through_weights(lstm, &steps, &backward, dz, whole_weights(units, forward->weights), sequence);
    steps_end(&steps, sequence);
    if (weights)
        *weights = end_weights_gradient(units, &backward, sequence);
    return backward.carried;
}

popnn_lstm_state popnn_lstm_bwd_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, pop_program sequence,
                                   const popnn_lstm_forward *forward, pop_tensor output_gradient, const pop_tensor *last_cell_gradient,
                                   pop_tensor *input_gradient, pop_tensor *intermediates, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(&lstm, where, graph, params, "popnn_lstm_bwd", name, options, cache) ||
        !check_backward(&lstm, forward, output_gradient, last_cell_gradient))
        return (popnn_lstm_state){ { 0 }, { 0 } };
    return run_backward(&lstm, sequence, forward, output_gradient, last_cell_gradient, input_gradient, NULL, intermediates);
}

popnn_lstm_state popnn_lstm_bwd_with_wu_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, pop_program sequence,
                                           const popnn_lstm_forward *forward, pop_tensor output_gradient, const pop_tensor *last_cell_gradient,
                                           pop_tensor *input_gradient, popnn_lstm_weights *weights_gradient, const char *name, pop_options options,
                                           poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(&lstm, where, graph, params, "popnn_lstm_bwd_with_wu", name, options, cache) ||
        !check_backward(&lstm, forward, output_gradient, last_cell_gradient))
        return (popnn_lstm_state){ { 0 }, { 0 } };
    return run_backward(&lstm, sequence, forward, output_gradient, last_cell_gradient, input_gradient, weights_gradient, NULL);
}

popnn_lstm_weights popnn_lstm_wu_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params, pop_program sequence,
                                    const popnn_lstm_forward *forward, pop_tensor bwd_intermediates, const char *name, pop_options options,
                                    poplin_planning_cache *cache)
{
    struct lstm lstm;
    struct backward backward = { .input_gradient = { 0 } };
    if (!lstm_open(&lstm, where, graph, params, "popnn_lstm_wu", name, options, cache) ||
        !check_forward(&lstm, forward->initial, forward->input, forward->weights) ||
        !units_check(&lstm.units, bwd_intermediates, POP_SHAPE(params->time_steps, POPNN_LSTM_UNITS, params->batch_size, params->output_size),
                     "the tensor of backward intermediates"))
        return (popnn_lstm_weights){ { 0 }, { 0 }, { 0 } };
    struct steps steps = steps_begin(where, graph, params->time_steps, false, name);
    begin_weights_gradient(&lstm.units, &backward, forward->weights, sequence);
    pop_tensor dz = units_as_matrix(&lstm.units, steps_read(&steps, bwd_intermediates));
    add_weights_gradient(&lstm.units, &backward, steps_read(&steps, forward->input), steps_read(&steps, outputs_before(&lstm, forward)), dz, steps.body);
    steps_end(&steps, sequence);
    return end_weights_gradient(&lstm.units, &backward, sequence);
}
