/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of all steps are weighted by one product; the loop only has the product of the feedback. */
#include "popnn/call_log.h"
#include "popnn/recurrent/layer.h"
#include "popnn/recurrent/steps.h"

#include <popnn/recurrent.h>

struct rnn {
    struct layer layer;
    const popnn_rnn_params *params;
};

static bool rnn_open(const struct call *call, struct rnn *rnn, const popnn_rnn_params *params,
                     poplin_planning_cache *cache)
{
    if (!layer_is_given(call, params, "the parameters are"))
        return false;
    *rnn = (struct rnn){ .layer = LAYER_OF(params, .gates = 1, .recurrent_activation = params->activation),
                         .params = params };
    return layer_open(&rnn->layer, "an RNN", (const unsigned[]){ 0 },
                      POP_OPTIONS({ "partialsType", pop_type_name(params->partials_type) },
                                  { "inferenceOnly", params->inference_only ? "true" : "false" }));
}

static bool check_state(const struct layer *layer, pop_tensor t, const char *what)
{
    return layer_check(layer, t, POP_SHAPE(layer->batch, layer->output), what);
}
static bool check_sequence(const struct layer *layer, pop_tensor t, size_t size, const char *what)
{
    return layer_check(layer, t, POP_SHAPE(layer->steps, layer->batch, size), what);
}
static bool check_input_weights(const struct layer *layer, pop_tensor t)
{
    return layer_check(layer, t, POP_SHAPE(layer->input, layer->output), "the tensor of input weights");
}
static bool check_feedback_weights(const struct layer *layer, pop_tensor t)
{
    return layer_check(layer, t, POP_SHAPE(layer->output, layer->output), "the tensor of feedback weights");
}
static bool check_biases(const struct layer *layer, pop_tensor t)
{
    return layer_check(layer, t, POP_SHAPE(layer->output), "the tensor of biases");
}

/* ---- parameters and tensors ---- */

popnn_rnn_params popnn_rnn_params_make(pop_type data_type, size_t batch_size, size_t time_steps, size_t input_size,
                                       size_t output_size)
{
    return (
        popnn_rnn_params){ data_type, POP_FLOAT, time_steps, batch_size, input_size, output_size, POPNN_TANH, false };
}

static uint64_t product_flops(const popnn_rnn_params *p, size_t depth)
{
    return (uint64_t)2 * p->time_steps * p->batch_size * p->output_size * depth;
}
static uint64_t cells(const popnn_rnn_params *p)
{
    return (uint64_t)p->time_steps * p->batch_size * p->output_size;
}
uint64_t popnn_rnn_fwd_flops(const popnn_rnn_params *params, bool weight_input)
{
    return product_flops(params, params->output_size + (weight_input ? params->input_size : 0)) +
           2 * cells(params); /* the sum, the bias */
}
uint64_t popnn_rnn_bwd_flops(const popnn_rnn_params *params, bool input_gradients)
{
    return product_flops(params, params->output_size + (input_gradients ? params->input_size : 0)) + cells(params);
}
uint64_t popnn_rnn_wu_flops(const popnn_rnn_params *params)
{
    return product_flops(params, params->output_size + params->input_size) + cells(params);
}

size_t popnn_rnn_get_mat_mul_pre_plan_parameters(const popnn_rnn_params *p, bool inference_only, bool input_weights,
                                                 poplin_fc_mat_mul list[POPNN_RNN_MAX_MAT_MULS])
{
    size_t count = 0, in = p->input_size, out = p->output_size, batch = p->batch_size;
    if (input_weights)
        list[count++] =
            layer_product_params(p->data_type, LAYER_FORWARD, inference_only, p->time_steps * batch, in, out);
    list[count++] = layer_product_params(p->data_type, LAYER_FORWARD, inference_only, batch, out, out);
    if (inference_only)
        return count;
    if (input_weights) {
        list[count++] = layer_product_params(p->data_type, LAYER_BACKWARD, false, batch, out, in);
        list[count++] = layer_product_params(p->data_type, LAYER_UPDATE, false, in, batch, out);
    }
    list[count++] = layer_product_params(p->data_type, LAYER_BACKWARD, false, batch, out, out);
    list[count++] = layer_product_params(p->data_type, LAYER_UPDATE, false, out, batch, out);
    return count;
}

pop_tensor popnn_rnn_create_input_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                     const char *name, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_rnn), name);
    struct rnn rnn;
    if (!rnn_open(call, &rnn, params, cache))
        return (pop_tensor){ 0 };
    pop_tensor all = layer_left_operand(&rnn.layer, params->time_steps * params->batch_size, params->input_size,
                                        params->output_size);
    return pop_tensor_reshape(all, POP_SHAPE(params->time_steps, params->batch_size, params->input_size));
}
pop_tensor popnn_rnn_create_weights_input_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                             const char *name, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_rnn), name);
    struct rnn rnn;
    if (!rnn_open(call, &rnn, params, cache))
        return (pop_tensor){ 0 };
    return layer_right_operand(&rnn.layer, params->time_steps * params->batch_size, params->input_size,
                               params->output_size);
}
pop_tensor popnn_rnn_create_weights_feedback_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                                const char *name, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_written(params, log_rnn), name);
    struct rnn rnn;
    if (!rnn_open(call, &rnn, params, cache))
        return (pop_tensor){ 0 };
    return layer_right_operand(&rnn.layer, params->batch_size, params->output_size, params->output_size);
}

static pop_tensor new_state(struct rnn *rnn, pop_program sequence, bool zero)
{
    pop_tensor state = layer_spread(&rnn->layer, POP_SHAPE(rnn->layer.batch, rnn->layer.output));
    if (zero)
        layer_zero(&rnn->layer, state, sequence);
    return state;
}
pop_tensor popnn_rnn_create_fwd_state_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                         pop_program sequence, bool init_state, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_rnn), init_state, name);
    struct rnn rnn;
    if (!rnn_open(call, &rnn, params, NULL))
        return (pop_tensor){ 0 };
    return new_state(&rnn, sequence, init_state);
}
pop_tensor popnn_rnn_create_bwd_state_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                         pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_rnn), name);
    struct rnn rnn;
    if (!rnn_open(call, &rnn, params, NULL))
        return (pop_tensor){ 0 };
    return new_state(&rnn, sequence, true);
}

/* ---- forward ---- */

pop_tensor popnn_rnn_forward_weight_input_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                             pop_tensor input, pop_tensor input_weights, pop_program sequence,
                                             const char *name, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_rnn), input, input_weights, name);
    struct rnn rnn;
    if (!rnn_open(call, &rnn, params, cache) || !check_sequence(&rnn.layer, input, params->input_size, "the input") ||
        !check_input_weights(&rnn.layer, input_weights))
        return (pop_tensor){ 0 };
    pop_tensor rows = pop_tensor_reshape(input, POP_SHAPE(params->time_steps * params->batch_size, params->input_size));
    pop_tensor all = layer_product(&rnn.layer, LAYER_FORWARD, rows, input_weights, sequence);
    return pop_tensor_reshape(all, POP_SHAPE(params->time_steps, params->batch_size, params->output_size));
}

pop_tensor popnn_rnn_forward_iterate_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                        pop_tensor weighted_input, pop_tensor initial, pop_tensor feedback_weights,
                                        pop_tensor biases, pop_program sequence, const char *name,
                                        poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_rnn), weighted_input, initial, feedback_weights, biases,
                    name);
    struct rnn rnn;
    const struct layer *layer = &rnn.layer;
    if (!rnn_open(call, &rnn, params, cache) ||
        !check_sequence(layer, weighted_input, params->output_size, "the weighted input") ||
        !check_state(layer, initial, "the initial state") || !check_feedback_weights(layer, feedback_weights) ||
        !check_biases(layer, biases))
        return (pop_tensor){ 0 };
    struct steps steps = steps_begin(call, params->time_steps, false, (pop_tensor){ 0 });
    pop_tensor state = layer_like(layer, initial, "state"),
               outputs = steps_new(call, initial, params->time_steps, "outputs");
    layer_copy(layer, initial, state, sequence);
    pop_tensor sum = layer_product(layer, LAYER_FORWARD, state, feedback_weights, steps.body);
    layer_add_to(layer, sum, steps_read(&steps, weighted_input), steps.body, "addInput");
    layer_add_to(layer, sum, biases, steps.body, "addBias");
    popnn_non_linearity_in_place(graph, params->activation, sum, steps.body, name);
    steps_write(&steps, outputs, sum);
    layer_copy(layer, sum, state, steps.body);
    steps_end(&steps, sequence);
    return outputs;
}

pop_tensor popnn_rnn_fwd_sequence_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                     pop_program sequence, pop_tensor initial, popnn_rnn_weights weights,
                                     pop_tensor input, const char *name, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_rnn), initial, input, name);
    pop_tensor weighted =
        popnn_rnn_forward_weight_input(graph, params, input, weights.input_weights, sequence, name, cache);
    return popnn_rnn_forward_iterate(graph, params, weighted, initial, weights.feedback_weights, weights.biases,
                                     sequence, name, cache);
}

/* ---- backward ---- */

pop_tensor popnn_rnn_backward_gradient_step_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                               pop_tensor output_gradient, pop_tensor bwd_state, pop_tensor output,
                                               popnn_rnn_weights weights, pop_program sequence,
                                               pop_tensor *input_gradient, const char *name,
                                               poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_rnn), output_gradient, bwd_state, output, name);
    struct rnn rnn;
    const struct layer *layer = &rnn.layer;
    if (!rnn_open(call, &rnn, params, cache) || !check_state(layer, output_gradient, "the output's gradient") ||
        !check_state(layer, bwd_state, "the state of the step after") || !check_state(layer, output, "the output") ||
        !check_feedback_weights(layer, weights.feedback_weights) ||
        (input_gradient && !check_input_weights(layer, weights.input_weights)))
        return (pop_tensor){ 0 };
    pop_tensor of_output =
        layer_product(layer, LAYER_BACKWARD, bwd_state, layer_transposed(layer, weights.feedback_weights), sequence);
    layer_add_to(layer, of_output, output_gradient, sequence, "outputGradient");
    pop_tensor state = layer_gradient(layer, params->activation, output, of_output, sequence, "state");
    if (input_gradient)
        *input_gradient =
            layer_product(layer, LAYER_BACKWARD, state, layer_transposed(layer, weights.input_weights), sequence);
    return state;
}

void popnn_rnn_param_delta_update_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                     pop_tensor bwd_state, pop_tensor input, pop_tensor output_before,
                                     popnn_rnn_weights deltas, pop_program sequence, const char *name,
                                     poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_rnn), bwd_state, input, output_before, name);
    struct rnn rnn;
    const struct layer *layer = &rnn.layer;
    if (!rnn_open(call, &rnn, params, cache) || !check_state(layer, bwd_state, "the step's state") ||
        !layer_check(layer, input, POP_SHAPE(params->batch_size, params->input_size), "the step's input") ||
        !check_state(layer, output_before, "the output before") || !check_input_weights(layer, deltas.input_weights) ||
        !check_feedback_weights(layer, deltas.feedback_weights) || !check_biases(layer, deltas.biases))
        return;
    layer_add_product(layer, deltas.input_weights, input, bwd_state, sequence);
    layer_add_product(layer, deltas.feedback_weights, output_before, bwd_state, sequence);
    layer_add_to(layer, deltas.biases, layer_sum(layer, bwd_state, sequence), sequence, "biases");
}

static popnn_rnn_weights zero_deltas(const struct layer *layer, popnn_rnn_weights weights)
{
    popnn_rnn_weights deltas;
    deltas.input_weights = layer_like(layer, weights.input_weights, "inputWeightsGradient");
    deltas.feedback_weights = layer_like(layer, weights.feedback_weights, "feedbackWeightsGradient");
    deltas.biases = layer_like(layer, weights.biases, "biasesGradient");
    layer_zero(layer, deltas.input_weights, layer->call->sequence);
    layer_zero(layer, deltas.feedback_weights, layer->call->sequence);
    layer_zero(layer, deltas.biases, layer->call->sequence);
    return deltas;
}

void popnn_rnn_bwd_sequence_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params, pop_program sequence,
                               pop_tensor initial, pop_tensor output, popnn_rnn_weights weights,
                               pop_tensor output_gradient, pop_tensor input, pop_tensor *input_gradient,
                               popnn_rnn_weights *deltas, const char *name, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_rnn), initial, output, output_gradient, input, name);
    struct rnn rnn;
    const struct layer *layer = &rnn.layer;
    if (!rnn_open(call, &rnn, params, cache) || !check_state(layer, initial, "the initial state") ||
        !check_sequence(layer, output, params->output_size, "the output") ||
        !layer_check(layer, output_gradient, POP_SHAPE(params->batch_size, params->time_steps, params->output_size),
                     "the output's gradient") ||
        !check_sequence(layer, input, params->input_size, "the input") ||
        !check_input_weights(layer, weights.input_weights) ||
        !check_feedback_weights(layer, weights.feedback_weights) || !check_biases(layer, weights.biases))
        return;
    struct steps steps = steps_begin(call, params->time_steps, true, (pop_tensor){ 0 });
    pop_tensor carried = layer_like(layer, initial, "bwdState"), dx;
    layer_zero(layer, carried, sequence);
    output_gradient = pop_tensor_dim_shuffle(output_gradient, POP_DIMS(1, 0, 2));
    pop_tensor state = popnn_rnn_backward_gradient_step(graph, params, steps_read(&steps, output_gradient), carried,
                                                        steps_read(&steps, output), weights, steps.body,
                                                        input_gradient ? &dx : NULL, name, cache);
    if (input_gradient) {
        *input_gradient = steps_new(call, pop_tensor_at(input, 0), params->time_steps, "inputGradient");
        steps_write(&steps, *input_gradient, dx);
    }
    if (deltas) {
        *deltas = zero_deltas(layer, weights);
        pop_tensor before = steps_read(&steps, steps_before(call, initial, output));
        popnn_rnn_param_delta_update(graph, params, state, steps_read(&steps, input), before, *deltas, steps.body, name,
                                     cache);
    }
    layer_copy(layer, state, carried, steps.body);
    steps_end(&steps, sequence);
}
