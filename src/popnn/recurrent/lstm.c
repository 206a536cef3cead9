/* SPDX-License-Identifier: Apache-2.0 */
/* Forward: one product for all four layer of a step, of input and output together unless the input is weighted
 * before the loop; then the gates' functions. Backward: the same steps in reverse order, with one product for the
 * gradients of input and output together. For each step forward stores f, i, g, o, tanh(c'), c and, when the output
 * is not a sequence, h'. */
#include "popnn/call_log.h"
#include "popnn/recurrent/layer.h"
#include "popnn/recurrent/layer_backward.h"
#include "popnn/recurrent/steps.h"

#include <popnn/lstm.h>
#include <popops/fill.h>

enum { KEPT_TANH = POPNN_LSTM_UNITS, KEPT_CELL_BEFORE, KEPT_OUTPUT, KEPT_MAX };

/* A call's arguments, and values derived from them. */
struct lstm {
    struct layer layer;
    const popnn_lstm_params *params;
};

static bool lstm_open(const struct call *call, struct lstm *lstm, const popnn_lstm_params *params,
                      poplin_planning_cache *cache)
{
    unsigned order[POPNN_LSTM_UNITS];
    if (!layer_is_given(call, params, "the parameters are"))
        return false;
    for (size_t i = 0; i < POPNN_LSTM_UNITS; ++i)
        order[i] = params->cell_order[i];
    *lstm =
        (struct lstm){ LAYER_OF(params, .gates = POPNN_LSTM_UNITS, .recurrent_activation = params->recurrent_activation,
                                .lengths = params->var_time_steps),
                       params };
    return layer_open(&lstm->layer, "an LSTM", order, call->options);
}

static bool check_forward(const struct lstm *lstm, popnn_lstm_state initial, pop_tensor input,
                          popnn_lstm_weights weights)
{
    const struct layer *layer = &lstm->layer;
    pop_shape state = POP_SHAPE(layer->batch, layer->output);
    return layer_check(layer, input, POP_SHAPE(layer->steps, layer->batch, layer->input), "the input") &&
           layer_check(layer, initial.output, state, "the initial output") &&
           layer_check(layer, initial.cell_state, state, "the initial cell state") &&
           layer_check_weights(layer, weights.input_weights, weights.output_weights, weights.biases);
}

/* Weights of input and output as one matrix {input + output, 4 output}. */
static pop_tensor whole_weights(const struct layer *layer, popnn_lstm_weights weights)
{
    const struct call *call = layer->call;
    return pop_tensor_concat(
        POP_TENSORS(layer_as_matrix(layer, weights.input_weights), layer_as_matrix(layer, weights.output_weights)), 0);
}

/* ---- parameters and tensors ---- */

popnn_lstm_params popnn_lstm_params_make(pop_type data_type, size_t batch_size, size_t time_steps, size_t input_size,
                                         size_t output_size)
{
    return (popnn_lstm_params){
        data_type,   batch_size,
        time_steps,  input_size,
        output_size, true,
        true,        { POPNN_LSTM_FORGET_GATE, POPNN_LSTM_INPUT_GATE, POPNN_LSTM_CANDIDATE, POPNN_LSTM_OUTPUT_GATE },
        POPNN_TANH,  POPNN_SIGMOID,
        { 0 }
    };
}

static uint64_t product_flops(const popnn_lstm_params *p)
{
    return (uint64_t)2 * p->batch_size * p->time_steps * (p->input_size + p->output_size) * POPNN_LSTM_UNITS *
           p->output_size;
}
uint64_t popnn_lstm_fwd_flops(const popnn_lstm_params *p)
{
    /* The product, a bias for each gate, two products and a sum for the cell, one product for the output. */
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
                                                  bool pre_calc_weights,
                                                  poplin_fc_mat_mul list[POPNN_LSTM_MAX_MAT_MULS])
{
    size_t in = p->input_size, out = p->output_size, both = in + out, all = POPNN_LSTM_UNITS * out, count = 0;
    if (pre_calc_weights)
        list[count++] =
            layer_product_params(p->data_type, LAYER_FORWARD, inference_only, p->time_steps * p->batch_size, in, all);
    list[count++] = layer_product_params(p->data_type, LAYER_FORWARD, inference_only, p->batch_size,
                                         pre_calc_weights ? out : both, all);
    if (inference_only)
        return count;
    list[count++] = layer_product_params(p->data_type, LAYER_BACKWARD, false, p->batch_size, all,
                                         p->calc_input_gradients ? both : out);
    list[count++] = layer_product_params(p->data_type, LAYER_UPDATE, false, both, p->batch_size, all);
    return count;
}

pop_tensor popnn_lstm_create_input_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                      const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_lstm), name, options);
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache))
        return (pop_tensor){ 0 };
    size_t in = params->input_size, out = params->output_size;
    if (lstm.layer.weight_before_loop) {
        pop_tensor rows =
            layer_left_operand(&lstm.layer, params->time_steps * params->batch_size, in, POPNN_LSTM_UNITS * out);
        return pop_tensor_reshape(rows, POP_SHAPE(params->time_steps, params->batch_size, in));
    }
    pop_tensor both = layer_left_operand(&lstm.layer, params->batch_size, in + out, POPNN_LSTM_UNITS * out);
    return steps_new(call, pop_tensor_slice(both, 0, in, 1), params->time_steps, name);
}

/* A new state, {batch, output}. */
static pop_tensor new_state(const struct call *call, const popnn_lstm_params *params, poplin_planning_cache *cache)
{
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache))
        return (pop_tensor){ 0 };
    return pop_tensor_at(layer_new_stack(&lstm.layer, 1, call->name), 0);
}
popnn_lstm_state popnn_lstm_create_initial_state_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                                    const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_lstm), name, options);
    popnn_lstm_state state;
    state.output = new_state(call, params, cache);
    state.cell_state = new_state(call, params, cache);
    return state;
}
pop_tensor popnn_lstm_create_initial_output_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                               const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_lstm), name, options);
    return new_state(call, params, cache);
}
pop_tensor popnn_lstm_create_initial_cell_state_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                                   const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_lstm), name, options);
    return new_state(call, params, cache);
}

void popnn_lstm_zero_initial_state_at(pop_where where, pop_graph *graph, popnn_lstm_state state, pop_program sequence,
                                      const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, name);
    popops_zero(graph, state.output, sequence, name);
    popops_zero(graph, state.cell_state, sequence, name);
}

static popnn_lstm_weights new_weights(const struct layer *layer)
{
    const struct call *call = layer->call;
    popnn_lstm_weights weights = { { 0 }, { 0 }, { 0 } };
    size_t in = layer->input, out = layer->output, all = POPNN_LSTM_UNITS * out;
    if (layer->weight_before_loop) {
        weights.input_weights =
            layer_from_matrix(layer, layer_right_operand(layer, layer->steps * layer->batch, in, all));
        weights.output_weights = layer_from_matrix(layer, layer_right_operand(layer, layer->batch, out, all));
        return weights;
    }
    pop_tensor whole = layer_right_operand(layer, layer->batch, in + out, all);
    weights.input_weights = layer_from_matrix(layer, pop_tensor_slice(whole, 0, in, 0));
    weights.output_weights = layer_from_matrix(layer, pop_tensor_slice(whole, in, in + out, 0));
    return weights;
}
static pop_tensor new_biases(const struct layer *layer)
{
    return layer_spread(layer, POP_SHAPE(POPNN_LSTM_UNITS, layer->output));
}
popnn_lstm_weights popnn_lstm_create_weights_kernel_at(pop_where where, pop_graph *graph,
                                                       const popnn_lstm_params *params, const char *name,
                                                       pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_lstm), name, options);
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache))
        return (popnn_lstm_weights){ { 0 }, { 0 }, { 0 } };
    return new_weights(&lstm.layer);
}
pop_tensor popnn_lstm_create_weights_biases_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                               const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_lstm), name, options);
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache))
        return (pop_tensor){ 0 };
    return new_biases(&lstm.layer);
}
popnn_lstm_weights popnn_lstm_create_weights_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                                const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_lstm), name, options);
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache))
        return (popnn_lstm_weights){ { 0 }, { 0 }, { 0 } };
    popnn_lstm_weights weights = new_weights(&lstm.layer);
    weights.biases = new_biases(&lstm.layer);
    return weights;
}

/* ---- forward ---- */

/* Copies the caller's state to one that the loop may modify. */
static popnn_lstm_state state_of_loop(const struct layer *layer, popnn_lstm_state initial)
{
    const struct call *call = layer->call;
    pop_tensor both = layer_new_stack(layer, 2, "state");
    popnn_lstm_state state = { pop_tensor_at(both, 0), pop_tensor_at(both, 1) };
    layer_copy(layer, initial.output, state.output, call->sequence);
    layer_copy(layer, initial.cell_state, state.cell_state, call->sequence);
    return state;
}

/* The results of a step. */
struct cell {
    pop_tensor kept[KEPT_MAX]; /* by gate, then KEPT_TANH, ... */
    pop_tensor state;          /* c' */
};

/* The gates' sums of a step without biases, {batch, 4 output}. */
static pop_tensor sums_of_step(const struct lstm *lstm, struct steps *steps, pop_tensor input, pop_tensor output,
                               popnn_lstm_weights weights, pop_program before)
{
    const struct layer *layer = &lstm->layer;
    const struct call *call = layer->call;
    size_t rows = layer->steps * layer->batch, all = POPNN_LSTM_UNITS * layer->output;
    if (!layer->weight_before_loop) {
        pop_tensor operand = pop_tensor_concat(POP_TENSORS(steps_read(steps, input), output), 1);
        return layer_product(layer, LAYER_FORWARD, operand, whole_weights(layer, weights), steps->body);
    }
    pop_tensor of_steps = pop_tensor_reshape(input, POP_SHAPE(rows, layer->input));
    pop_tensor weighted =
        layer_product(layer, LAYER_FORWARD, of_steps, layer_as_matrix(layer, weights.input_weights), before);
    pop_tensor z =
        layer_product(layer, LAYER_FORWARD, output, layer_as_matrix(layer, weights.output_weights), steps->body);
    weighted = pop_tensor_reshape(weighted, POP_SHAPE(layer->steps, layer->batch, all));
    layer_add_to(layer, z, steps_read(steps, weighted), steps->body, "addInput");
    return z;
}

static struct cell step_forward(const struct lstm *lstm, pop_tensor z, popnn_lstm_state state, pop_tensor biases,
                                pop_program body)
{
    const struct layer *layer = &lstm->layer;
    const struct call *call = layer->call;
    const popnn_lstm_params *p = lstm->params;
    struct cell cell;
    layer_add_to(layer, z, pop_tensor_flatten(biases), body, "addBias");
    for (int gate = 0; gate < POPNN_LSTM_UNITS; ++gate)
        cell.kept[gate] = layer_columns(layer, z, (unsigned)gate);
    pop_tensor gates =
        pop_tensor_concat(POP_TENSORS(cell.kept[POPNN_LSTM_FORGET_GATE], cell.kept[POPNN_LSTM_INPUT_GATE],
                                      cell.kept[POPNN_LSTM_OUTPUT_GATE]),
                          1);
    popnn_non_linearity_in_place(call->graph, p->recurrent_activation, gates, body, "gates");
    popnn_non_linearity_in_place(call->graph, p->activation, cell.kept[POPNN_LSTM_CANDIDATE], body, "candidate");
    pop_tensor values = pop_tensor_concat(POP_TENSORS(state.cell_state, cell.kept[POPNN_LSTM_CANDIDATE]), 1);
    pop_tensor factors =
        pop_tensor_concat(POP_TENSORS(cell.kept[POPNN_LSTM_FORGET_GATE], cell.kept[POPNN_LSTM_INPUT_GATE]), 1);
    pop_tensor parts = layer_binary(layer, POPOPS_BINARY_MULTIPLY, values, factors, body, "forgetAndInput");
    cell.state = pop_tensor_slice(parts, 0, layer->output, 1);
    layer_add_to(layer, cell.state, pop_tensor_slice(parts, layer->output, 2 * layer->output, 1), body, "cell");
    cell.kept[KEPT_CELL_BEFORE] = state.cell_state;
    cell.kept[KEPT_TANH] = layer_non_linearity(layer, p->activation, cell.state, body, "cell");
    cell.kept[KEPT_OUTPUT] = layer_binary(layer, POPOPS_BINARY_MULTIPLY, cell.kept[KEPT_TANH],
                                          cell.kept[POPNN_LSTM_OUTPUT_GATE], body, "output");
    return cell;
}

pop_tensor popnn_lstm_fwd_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                             popnn_lstm_state initial, pop_tensor input, popnn_lstm_weights weights,
                             pop_tensor *intermediates, pop_tensor *cell_state, pop_program sequence, const char *name,
                             pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_lstm), input, name, options);
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache) || !check_forward(&lstm, initial, input, weights))
        return (pop_tensor){ 0 };
    struct steps steps = steps_begin(call, params->time_steps, false, lstm.layer.lengths);
    popnn_lstm_state state = state_of_loop(&lstm.layer, initial);
    pop_tensor z = sums_of_step(&lstm, &steps, input, state.output, weights, sequence);
    struct cell cell = step_forward(&lstm, z, state, weights.biases, steps.body);
    if (intermediates) {
        size_t count = params->output_full_sequence ? KEPT_OUTPUT : KEPT_MAX;
        *intermediates =
            steps_new(call, layer_new_stack(&lstm.layer, count, "kept"), params->time_steps, "intermediates");
        steps_write(&steps, *intermediates, steps_stack(&steps, (pop_tensors){ count, cell.kept }));
    }
    if (cell_state)
        *cell_state = state.cell_state;
    pop_tensor outputs = { 0 }, none = { 0 }, next = steps_select(&steps, cell.kept[KEPT_OUTPUT], state.output);
    layer_copy(&lstm.layer, pop_tensor_concat(POP_TENSORS(next, steps_select(&steps, cell.state, state.cell_state)), 1),
               pop_tensor_concat(POP_TENSORS(state.output, state.cell_state), 1), steps.body);
    if (params->output_full_sequence) {
        outputs = steps_new(call, state.output, params->time_steps, "outputs");
        steps_write(&steps, outputs, steps_select(&steps, state.output, none));
    }
    steps_end(&steps, sequence);
    return params->output_full_sequence ? outputs : state.output;
}

/* ---- backward ---- */

/* State that the backward loop passes from a step to the previous one, and the sequences that it writes. */
struct lstm_backward {
    popnn_lstm_state carried;  /* gradients of the state after the step */
    popnn_lstm_state used;     /* the same, 0 for sequences without the step */
    pop_tensor input_gradient; /* a sequence, or null */
};

/* The gradients of the gates' sums, {batch, 4 output}, and of the cell state before the step. */
struct gradients {
    pop_tensor sums, cell_before;
};
static struct gradients step_gradients(const struct lstm *lstm, const struct lstm_backward *backward, pop_tensor kept,
                                       pop_program body)
{
    const struct layer *layer = &lstm->layer;
    const struct call *call = layer->call;
    const popnn_lstm_params *p = lstm->params;
    pop_tensor of[KEPT_MAX], sums[POPNN_LSTM_UNITS], ordered[POPNN_LSTM_UNITS], dc = backward->used.cell_state;
    for (size_t i = 0; i < KEPT_OUTPUT; ++i)
        of[i] = pop_tensor_at(kept, i);
    const pop_tensor of_output[] = { of[KEPT_TANH], of[POPNN_LSTM_OUTPUT_GATE] };
    const pop_tensor of_cell[] = { of[KEPT_CELL_BEFORE], of[POPNN_LSTM_CANDIDATE], of[POPNN_LSTM_INPUT_GATE],
                                   of[POPNN_LSTM_FORGET_GATE] };
    pop_tensor from_output =
        layer_times_each(layer, (pop_tensors){ 2, of_output }, backward->used.output, body, "output");
    sums[POPNN_LSTM_OUTPUT_GATE] = layer_gradient(layer, p->recurrent_activation, of[POPNN_LSTM_OUTPUT_GATE],
                                                  layer_part(layer, from_output, 0), body, "outputGate");
    layer_add_to(layer, dc,
                 layer_gradient(layer, p->activation, of[KEPT_TANH], layer_part(layer, from_output, 1), body, "cell"),
                 body, "cell");
    pop_tensor from_cell = layer_times_each(layer, (pop_tensors){ 4, of_cell }, dc, body, "cell");
    sums[POPNN_LSTM_FORGET_GATE] = layer_gradient(layer, p->recurrent_activation, of[POPNN_LSTM_FORGET_GATE],
                                                  layer_part(layer, from_cell, 0), body, "forgetGate");
    sums[POPNN_LSTM_INPUT_GATE] = layer_gradient(layer, p->recurrent_activation, of[POPNN_LSTM_INPUT_GATE],
                                                 layer_part(layer, from_cell, 1), body, "inputGate");
    sums[POPNN_LSTM_CANDIDATE] = layer_gradient(layer, p->activation, of[POPNN_LSTM_CANDIDATE],
                                                layer_part(layer, from_cell, 2), body, "candidate");
    for (int gate = 0; gate < POPNN_LSTM_UNITS; ++gate)
        ordered[layer->place[gate]] = sums[gate];
    return (struct gradients){ pop_tensor_concat((pop_tensors){ POPNN_LSTM_UNITS, ordered }, 1),
                               layer_part(layer, from_cell, 3) };
}

/* Gradients of the step's input and of the previous output, from one product. */
static void through_weights(const struct lstm *lstm, struct steps *steps, struct lstm_backward *backward,
                            const struct gradients *gradients, pop_tensor weights, pop_program before)
{
    const struct layer *layer = &lstm->layer;
    const struct call *call = layer->call;
    const popnn_lstm_params *p = lstm->params;
    size_t in = pop_tensor_valid(backward->input_gradient) ? p->input_size : 0;
    pop_tensor used = in ? weights : pop_tensor_slice(weights, p->input_size, p->input_size + p->output_size, 0);
    pop_tensor both = layer_product_in_loop(layer, gradients->sums, layer_transposed(layer, used), before, steps->body);
    if (in)
        steps_write(steps, backward->input_gradient, pop_tensor_slice(both, 0, in, 1));
    pop_tensor output_before = pop_tensor_slice(both, in, in + p->output_size, 1);
    layer_copy(layer,
               pop_tensor_concat(POP_TENSORS(steps_select(steps, output_before, backward->carried.output),
                                             steps_select(steps, gradients->cell_before, backward->carried.cell_state)),
                                 1),
               pop_tensor_concat(POP_TENSORS(backward->carried.output, backward->carried.cell_state), 1), steps->body);
}

/* Adds [x h]^T dz to the weights' gradient. */
static void add_weights_gradient(const struct layer *layer, const struct layer_weights_gradient *gradient, pop_tensor x,
                                 pop_tensor output_before, pop_tensor dz, pop_program body)
{
    const struct call *call = layer->call;
    pop_tensor operand = pop_tensor_concat(POP_TENSORS(x, output_before), 1);
    layer_add_product(layer, gradient->weights, operand, dz, body);
    layer_add_to_gradient_sum(layer, gradient->biases[0], dz, body, "biases");
}

static pop_tensor outputs_before(const struct lstm *lstm, const popnn_lstm_forward *forward)
{
    return layer_outputs_before(&lstm->layer, lstm->params->output_full_sequence, forward->initial.output,
                                forward->output, forward->intermediates);
}

static struct layer_weights_gradient begin_weights_gradient(const struct layer *layer, popnn_lstm_weights weights,
                                                            pop_tensor dz, pop_program sequence)
{
    return layer_begin_weights_gradient(layer, whole_weights(layer, weights), POP_TENSORS(dz), sequence);
}
static popnn_lstm_weights end_weights_gradient(const struct layer *layer, const struct layer_weights_gradient *gradient,
                                               pop_program sequence)
{
    pop_tensor whole = layer_gradient_of_sum(layer, gradient->weights, sequence);
    return (popnn_lstm_weights){ layer_from_matrix(layer, layer_input_rows(layer, whole)),
                                 layer_from_matrix(layer, layer_output_rows(layer, whole)),
                                 layer_biases_gradient(layer, gradient, 0, sequence) };
}

/* What the forward pass used and gave. */
static bool check_given(const struct lstm *lstm, const popnn_lstm_forward *forward)
{
    const struct layer *layer = &lstm->layer;
    const popnn_lstm_params *p = lstm->params;
    if (!layer_is_given(layer->call, forward, "what forward gave is"))
        return false;
    size_t kept = p->output_full_sequence ? KEPT_OUTPUT : KEPT_MAX;
    pop_shape last = POP_SHAPE(p->batch_size, p->output_size),
              sequence = POP_SHAPE(p->time_steps, p->batch_size, p->output_size);
    return check_forward(lstm, forward->initial, forward->input, forward->weights) &&
           layer_check(layer, forward->output, p->output_full_sequence ? sequence : last, "the output") &&
           layer_check(layer, forward->intermediates, POP_SHAPE(p->time_steps, kept, p->batch_size, p->output_size),
                       "the tensor of intermediates");
}

static bool check_backward(const struct lstm *lstm, const popnn_lstm_forward *forward, pop_tensor output_gradient,
                           const popnn_lstm_state *last_gradient)
{
    const struct layer *layer = &lstm->layer;
    const popnn_lstm_params *p = lstm->params;
    pop_shape state = POP_SHAPE(p->batch_size, p->output_size),
              sequence = POP_SHAPE(p->time_steps, p->batch_size, p->output_size);
    return check_given(lstm, forward) &&
           layer_check(layer, output_gradient, p->output_full_sequence ? sequence : state, "the output's gradient") &&
           (!last_gradient || !pop_tensor_valid(last_gradient->output) ||
            layer_check(layer, last_gradient->output, state, "the last output's gradient")) &&
           (!last_gradient || !pop_tensor_valid(last_gradient->cell_state) ||
            layer_check(layer, last_gradient->cell_state, state, "the last cell state's gradient"));
}

/* Initialises the gradients for the last step. */
static void begin_carried(const struct lstm *lstm, struct lstm_backward *backward, pop_tensor output_gradient,
                          const popnn_lstm_state *last_gradient, pop_program sequence)
{
    const struct layer *layer = &lstm->layer;
    const struct call *call = layer->call;
    pop_tensor both = layer_new_stack(layer, 2, "stateGradient");
    if (last_gradient && pop_tensor_valid(layer->lengths)) {
        POPLIBS_LOG(WARN, "%s: the gradient of the last state is ignored: sequences have variable time steps",
                    call->api);
        last_gradient = NULL;
    }
    backward->carried = (popnn_lstm_state){ pop_tensor_at(both, 0), pop_tensor_at(both, 1) };
    layer_carry_output_gradient(layer, lstm->params->output_full_sequence, output_gradient, backward->carried.output,
                                sequence);
    if (last_gradient && pop_tensor_valid(last_gradient->output))
        layer_add_to(layer, backward->carried.output, last_gradient->output, sequence, "lastOutputGradient");
    if (last_gradient && pop_tensor_valid(last_gradient->cell_state))
        layer_copy(layer, last_gradient->cell_state, backward->carried.cell_state, sequence);
    else
        layer_zero(layer, backward->carried.cell_state, sequence);
}

/* Both backward passes: weights (may be NULL) receives their gradients, kept (may be NULL) the input of
 * popnn_lstm_wu. */
static popnn_lstm_state run_backward(const struct lstm *lstm, pop_program sequence, const popnn_lstm_forward *forward,
                                     pop_tensor output_gradient, const popnn_lstm_state *last_gradient,
                                     pop_tensor *input_gradient, popnn_lstm_weights *weights, pop_tensor *kept)
{
    const struct layer *layer = &lstm->layer;
    const popnn_lstm_params *p = lstm->params;
    struct lstm_backward backward = { .input_gradient = { 0 } };
    struct steps steps = steps_begin(layer->call, p->time_steps, true, layer->lengths);
    begin_carried(lstm, &backward, output_gradient, last_gradient, sequence);
    if (input_gradient && p->calc_input_gradients)
        *input_gradient = backward.input_gradient = layer_new_input_gradient(layer, forward->input);
    if (p->output_full_sequence)
        layer_add_output_gradient(layer, &steps, output_gradient, backward.carried.output);
    backward.used.output = steps_select(&steps, backward.carried.output, (pop_tensor){ 0 });
    backward.used.cell_state = steps_select(&steps, backward.carried.cell_state, (pop_tensor){ 0 });
    struct gradients gradients =
        step_gradients(lstm, &backward, steps_read(&steps, forward->intermediates), steps.body);
    if (kept) {
        *kept =
            steps_new(layer->call, layer_new_stack(layer, POPNN_LSTM_UNITS, "gradients"), p->time_steps, "gradients");
        steps_write(&steps, *kept, layer_from_matrix(layer, gradients.sums));
    }
    struct layer_weights_gradient of_weights = { .weights = { 0 } };
    if (weights) {
        of_weights = begin_weights_gradient(layer, forward->weights, gradients.sums, sequence);
        add_weights_gradient(layer, &of_weights, steps_read(&steps, forward->input),
                             steps_read(&steps, outputs_before(lstm, forward)), gradients.sums, steps.body);
    }
    through_weights(lstm, &steps, &backward, &gradients, whole_weights(layer, forward->weights), sequence);
    steps_end(&steps, sequence);
    if (weights)
        *weights = end_weights_gradient(layer, &of_weights, sequence);
    return backward.carried;
}

popnn_lstm_state popnn_lstm_bwd_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                   pop_program sequence, const popnn_lstm_forward *forward, pop_tensor output_gradient,
                                   const popnn_lstm_state *last_gradient, pop_tensor *input_gradient,
                                   pop_tensor *intermediates, const char *name, pop_options options,
                                   poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_lstm), output_gradient,
                    log_tensor(last_gradient ? &last_gradient->cell_state : NULL), name, options);
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache) || !check_backward(&lstm, forward, output_gradient, last_gradient))
        return (popnn_lstm_state){ { 0 }, { 0 } };
    return run_backward(&lstm, sequence, forward, output_gradient, last_gradient, input_gradient, NULL, intermediates);
}

/* Accumulates the weights' gradients in a separate loop. */
static popnn_lstm_weights run_update(const struct lstm *lstm, pop_program sequence, const popnn_lstm_forward *forward,
                                     pop_tensor bwd_intermediates)
{
    const struct layer *layer = &lstm->layer;
    struct steps steps = steps_begin(layer->call, layer->steps, false, layer->lengths);
    pop_tensor dz = layer_as_matrix(layer, steps_read(&steps, bwd_intermediates));
    struct layer_weights_gradient of_weights = begin_weights_gradient(layer, forward->weights, dz, sequence);
    add_weights_gradient(layer, &of_weights, steps_read(&steps, forward->input),
                         steps_read(&steps, outputs_before(lstm, forward)), dz, steps.body);
    steps_end(&steps, sequence);
    return end_weights_gradient(layer, &of_weights, sequence);
}

popnn_lstm_state popnn_lstm_bwd_with_wu_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                           pop_program sequence, const popnn_lstm_forward *forward,
                                           pop_tensor output_gradient, const popnn_lstm_state *last_gradient,
                                           pop_tensor *input_gradient, popnn_lstm_weights *weights_gradient,
                                           const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_lstm), output_gradient,
                    log_tensor(last_gradient ? &last_gradient->cell_state : NULL), name, options);
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache) || !check_backward(&lstm, forward, output_gradient, last_gradient))
        return (popnn_lstm_state){ { 0 }, { 0 } };
    if (!weights_gradient || layer_update_in_loop(&lstm.layer))
        return run_backward(&lstm, sequence, forward, output_gradient, last_gradient, input_gradient, weights_gradient,
                            NULL);
    pop_tensor kept = { 0 };
    popnn_lstm_state gradients =
        run_backward(&lstm, sequence, forward, output_gradient, last_gradient, input_gradient, NULL, &kept);
    if (call_ready(call))
        *weights_gradient = run_update(&lstm, sequence, forward, kept);
    return gradients;
}

popnn_lstm_weights popnn_lstm_wu_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                    pop_program sequence, const popnn_lstm_forward *forward,
                                    pop_tensor bwd_intermediates, const char *name, pop_options options,
                                    poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_lstm), bwd_intermediates, name, options);
    struct lstm lstm;
    if (!lstm_open(call, &lstm, params, cache) || !check_given(&lstm, forward) ||
        !layer_check(&lstm.layer, bwd_intermediates,
                     POP_SHAPE(params->time_steps, POPNN_LSTM_UNITS, params->batch_size, params->output_size),
                     "the tensor of backward intermediates"))
        return (popnn_lstm_weights){ { 0 }, { 0 }, { 0 } };
    return run_update(&lstm, sequence, forward, bwd_intermediates);
}
