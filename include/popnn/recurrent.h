/* SPDX-License-Identifier: Apache-2.0 */
/* The simple recurrent layer: h' = f(x W + h U + b) for each step, with W {input, output}, U {output, output} whose
 * rows belong to the previous output, b {output}.
 *
 * Sequences are {steps, batch, size}, a state is {batch, output}.  All tensors of a call have one type, HALF or FLOAT;
 * partials_type, HALF or FLOAT, is the type of the products' sums.  cache may be NULL.  Errors are recorded in the
 * graph with the caller's line: poplar_error for shapes, type_error. */
#ifndef POPNN_RECURRENT_H
#define POPNN_RECURRENT_H

#include <poplin/fully_connected.h>
#include <popnn/non_linearity.h>

/* A simple recurrent layer: h' = f(x W + h U + b). */
typedef struct popnn_rnn_params {
    pop_type data_type, partials_type;                      /* HALF or FLOAT; type of sums */
    size_t time_steps, batch_size, input_size, output_size; /* steps; sequences; units of the input; of the output */
    popnn_non_linearity_type activation;                    /* the function f */
    bool inference_only; /* products are planned for inference, independent of the passes of training */
} popnn_rnn_params;

/* Weights of a layer. */
typedef struct popnn_rnn_weights {
    pop_tensor input_weights, feedback_weights, biases; /* {input, output}, {output, output}, {output} */
} popnn_rnn_weights;

POP_BEGIN_DECLS

/* Defaults: partials in FLOAT, tanh, for training. */
POP_API popnn_rnn_params popnn_rnn_params_make(pop_type data_type, size_t batch_size, size_t time_steps,
                                               size_t input_size, size_t output_size);

/* Floating-point operations for a whole sequence, with or without the input's product. */
POP_API uint64_t popnn_rnn_fwd_flops(const popnn_rnn_params *params, bool weight_input);
POP_API uint64_t popnn_rnn_bwd_flops(const popnn_rnn_params *params, bool input_gradients);
/* Floating-point operations of the weights' gradients for a whole sequence. */
POP_API uint64_t popnn_rnn_wu_flops(const popnn_rnn_params *params);

/* The largest number of entries that the next call writes. */
enum { POPNN_RNN_MAX_MAT_MULS = 6 };
/* The products and the pass of each, for poplin_preplan_mat_muls; returns their number. For inference only those of
 * forward. */
POP_API size_t popnn_rnn_get_mat_mul_pre_plan_parameters(const popnn_rnn_params *params, bool inference_only,
                                                         bool input_weights,
                                                         poplin_fc_mat_mul list[POPNN_RNN_MAX_MAT_MULS]);

/* ---- tensors with the layouts that the calls below need ---- */
/* {steps, batch, input}. */
#define popnn_rnn_create_input(...) popnn_rnn_create_input_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_rnn_create_input_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                             const char *name, poplin_planning_cache *cache);
/* The weights W of the input, {input, output}. */
#define popnn_rnn_create_weights_input(...) popnn_rnn_create_weights_input_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_rnn_create_weights_input_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                                     const char *name, poplin_planning_cache *cache);
/* The weights U of the state, {output, output}. */
#define popnn_rnn_create_weights_feedback(...) popnn_rnn_create_weights_feedback_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_rnn_create_weights_feedback_at(pop_where where, pop_graph *graph,
                                                        const popnn_rnn_params *params, const char *name,
                                                        poplin_planning_cache *cache);
#define popnn_rnn_create_fwd_state(...) popnn_rnn_create_fwd_state_at(POP_HERE, __VA_ARGS__)
/* The output before the first step; set to zero in the sequence if requested. */
POP_API pop_tensor popnn_rnn_create_fwd_state_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                                 pop_program sequence, bool init_state, const char *name);
#define popnn_rnn_create_bwd_state(...) popnn_rnn_create_bwd_state_at(POP_HERE, __VA_ARGS__)
/* The gradient after the last step, set to zero. */
POP_API pop_tensor popnn_rnn_create_bwd_state_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                                 pop_program sequence, const char *name);
/* The output part of the state, which is the whole state. */
#define popnn_rnn_get_output_from_fwd_state(state) (state)

/* ---- forward ---- */
#define popnn_rnn_forward_weight_input(...) popnn_rnn_forward_weight_input_at(POP_HERE, __VA_ARGS__)
/* Returns x W for all steps, from one product: {steps, batch, output}. */
POP_API pop_tensor popnn_rnn_forward_weight_input_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                                     pop_tensor input, pop_tensor input_weights, pop_program sequence,
                                                     const char *name, poplin_planning_cache *cache);
#define popnn_rnn_forward_iterate(...) popnn_rnn_forward_iterate_at(POP_HERE, __VA_ARGS__)
/* The remaining operations, in a loop over the steps; returns the outputs, {steps, batch, output}. */
POP_API pop_tensor popnn_rnn_forward_iterate_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                                pop_tensor weighted_input, pop_tensor initial,
                                                pop_tensor feedback_weights, pop_tensor biases, pop_program sequence,
                                                const char *name, poplin_planning_cache *cache);
#define popnn_rnn_fwd_sequence(...) popnn_rnn_fwd_sequence_at(POP_HERE, __VA_ARGS__)
/* Computes both. */
POP_API pop_tensor popnn_rnn_fwd_sequence_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                             pop_program sequence, pop_tensor initial, popnn_rnn_weights weights,
                                             pop_tensor input, const char *name, poplin_planning_cache *cache);

/* ---- backward ---- */
#define popnn_rnn_backward_gradient_step(...) popnn_rnn_backward_gradient_step_at(POP_HERE, __VA_ARGS__)
/* A step: returns its state, which is the gradient of f's argument, from the gradient of the output and the state of
 * the next step. *input_gradient (may be NULL, and then weights.input_weights may be null too) is {batch, input}. */
POP_API pop_tensor popnn_rnn_backward_gradient_step_at(pop_where where, pop_graph *graph,
                                                       const popnn_rnn_params *params, pop_tensor output_gradient,
                                                       pop_tensor bwd_state, pop_tensor output,
                                                       popnn_rnn_weights weights, pop_program sequence,
                                                       pop_tensor *input_gradient, const char *name,
                                                       poplin_planning_cache *cache);
#define popnn_rnn_param_delta_update(...) popnn_rnn_param_delta_update_at(POP_HERE, __VA_ARGS__)
/* Adds a step's gradients of the weights to deltas, from its state, its input and the previous output. */
POP_API void popnn_rnn_param_delta_update_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                             pop_tensor bwd_state, pop_tensor input, pop_tensor output_before,
                                             popnn_rnn_weights deltas, pop_program sequence, const char *name,
                                             poplin_planning_cache *cache);
#define popnn_rnn_bwd_sequence(...) popnn_rnn_bwd_sequence_at(POP_HERE, __VA_ARGS__)
/* All steps in a loop. output is that of forward; output_gradient is {batch, steps, output}, as in Poplibs (the only
 * sequence of this file that begins with the batch). *input_gradient, {steps, batch, input}, and *deltas, in the
 * weights' shapes, may be NULL. */
POP_API void popnn_rnn_bwd_sequence_at(pop_where where, pop_graph *graph, const popnn_rnn_params *params,
                                       pop_program sequence, pop_tensor initial, pop_tensor output,
                                       popnn_rnn_weights weights, pop_tensor output_gradient, pop_tensor input,
                                       pop_tensor *input_gradient, popnn_rnn_weights *deltas, const char *name,
                                       poplin_planning_cache *cache);

POP_END_DECLS
#endif
