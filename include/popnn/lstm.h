/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM over a sequence: forward, backward and weight update.
 *
 * With z = x W + h U + b for each of the four units (W {input, output}, U {output, output}), the step from (h, c) is
 *     f, i, o = sigmoid(z),  g = tanh(z),  c' = f c + i g,  h' = o tanh(c').
 * Sequences are {steps, batch, size}; a step is an iteration of a loop on the device.  HALF or FLOAT; errors are
 * recorded in the graph with the caller's line. */
#ifndef POPNN_LSTM_H
#define POPNN_LSTM_H

#include <poplin/fully_connected.h>
#include <popnn/non_linearity.h>

/* Units of an LSTM, in the order of Poplar's enumeration. */
typedef enum popnn_lstm_unit {
    POPNN_LSTM_FORGET_GATE = 0,
    POPNN_LSTM_INPUT_GATE,
    POPNN_LSTM_CANDIDATE,
    POPNN_LSTM_OUTPUT_GATE,
    POPNN_LSTM_UNITS
} popnn_lstm_unit;

/* An LSTM layer. */
typedef struct popnn_lstm_params {
    pop_type data_type;                                     /* HALF or FLOAT */
    size_t batch_size, time_steps, input_size, output_size; /* sequences; steps; units of the input; of the output */
    bool output_full_sequence;                    /* false: the output is that of the last step, {batch, output} */
    bool calc_input_gradients;                    /* false: backward gives no gradient of the input */
    popnn_lstm_unit cell_order[POPNN_LSTM_UNITS]; /* order of the units in weights and biases */
    popnn_non_linearity_type activation, recurrent_activation; /* functions for g and c', and for the gates */
    pop_tensor var_time_steps; /* null, or {batch} or {1}, UNSIGNED_INT: as in popnn_gru_params */
} popnn_lstm_params;

/* The state between two steps. */
typedef struct popnn_lstm_state {
    pop_tensor output, cell_state; /* {batch, output} */
} popnn_lstm_state;
/* Weights of a layer, or their gradients. */
typedef struct popnn_lstm_weights {
    pop_tensor input_weights;  /* {4, input, output} */
    pop_tensor output_weights; /* {4, output, output} */
    pop_tensor biases;         /* {4, output} */
} popnn_lstm_weights;

/* Intermediates of forward for backward, and of backward for the weight update, are one tensor each, {steps, n,
 * batch, output}. */

POP_BEGIN_DECLS

/* Defaults: full sequences, gradients of the input, the order of popnn_lstm_unit, tanh and sigmoid. */
POP_API popnn_lstm_params popnn_lstm_params_make(pop_type data_type, size_t batch_size, size_t time_steps,
                                                 size_t input_size, size_t output_size);

/* Floating-point operations for a whole sequence. */
POP_API uint64_t popnn_lstm_fwd_flops(const popnn_lstm_params *params);
POP_API uint64_t popnn_lstm_bwd_flops(const popnn_lstm_params *params);
POP_API uint64_t popnn_lstm_wu_flops(const popnn_lstm_params *params);

/* The largest number of entries that the next call writes. */
enum { POPNN_LSTM_MAX_MAT_MULS = 4 };
/* The products and the pass of each, for poplin_preplan_mat_muls; returns their number. For inference only those of
 * forward. pre_calc_weights: the value of the option preCalcWeights. */
POP_API size_t popnn_lstm_get_mat_mul_pre_plan_parameters(const popnn_lstm_params *params, bool inference_only,
                                                          bool pre_calc_weights,
                                                          poplin_fc_mat_mul list[POPNN_LSTM_MAX_MAT_MULS]);

/* ---- tensors with the layouts that the calls below need. Options: inferenceOnly, partialsType,
 * availableMemoryProportion, weightAccumulatorsType, preCalcWeights, recomputationMode
 * (docs/libraries/popnn-recurrent.md)
 * ---- */
#define popnn_lstm_create_input(...) popnn_lstm_create_input_at(POP_HERE, __VA_ARGS__)
/* {steps, batch, input}. */
POP_API pop_tensor popnn_lstm_create_input_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                              const char *name, pop_options options, poplin_planning_cache *cache);
/* Both tensors of the initial state. */
#define popnn_lstm_create_initial_state(...) popnn_lstm_create_initial_state_at(POP_HERE, __VA_ARGS__)
POP_API popnn_lstm_state popnn_lstm_create_initial_state_at(pop_where where, pop_graph *graph,
                                                            const popnn_lstm_params *params, const char *name,
                                                            pop_options options, poplin_planning_cache *cache);
/* The initial output, {batch, output}. */
#define popnn_lstm_create_initial_output(...) popnn_lstm_create_initial_output_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_lstm_create_initial_output_at(pop_where where, pop_graph *graph,
                                                       const popnn_lstm_params *params, const char *name,
                                                       pop_options options, poplin_planning_cache *cache);
/* The initial cell state, {batch, output}. */
#define popnn_lstm_create_initial_cell_state(...) popnn_lstm_create_initial_cell_state_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_lstm_create_initial_cell_state_at(pop_where where, pop_graph *graph,
                                                           const popnn_lstm_params *params, const char *name,
                                                           pop_options options, poplin_planning_cache *cache);
/* Adds to a sequence: writes zeros to both tensors of the state. */
#define popnn_lstm_zero_initial_state(...) popnn_lstm_zero_initial_state_at(POP_HERE, __VA_ARGS__)
POP_API void popnn_lstm_zero_initial_state_at(pop_where where, pop_graph *graph, popnn_lstm_state state,
                                              pop_program sequence, const char *name);
/* The weights and biases; see popnn_lstm_weights. */
#define popnn_lstm_create_weights(...) popnn_lstm_create_weights_at(POP_HERE, __VA_ARGS__)
POP_API popnn_lstm_weights popnn_lstm_create_weights_at(pop_where where, pop_graph *graph,
                                                        const popnn_lstm_params *params, const char *name,
                                                        pop_options options, poplin_planning_cache *cache);

#define popnn_lstm_create_weights_kernel(...) popnn_lstm_create_weights_kernel_at(POP_HERE, __VA_ARGS__)
/* The weights without the biases, and the biases. */
POP_API popnn_lstm_weights popnn_lstm_create_weights_kernel_at(pop_where where, pop_graph *graph,
                                                               const popnn_lstm_params *params, const char *name,
                                                               pop_options options, poplin_planning_cache *cache);
/* The biases alone, {4, output}. */
#define popnn_lstm_create_weights_biases(...) popnn_lstm_create_weights_biases_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_lstm_create_weights_biases_at(pop_where where, pop_graph *graph,
                                                       const popnn_lstm_params *params, const char *name,
                                                       pop_options options, poplin_planning_cache *cache);

#define popnn_lstm_fwd(...) popnn_lstm_fwd_at(POP_HERE, __VA_ARGS__)
/* Returns the output, {steps, batch, output} or {batch, output}; *cell_state (may be NULL) is that of each sequence's
 * last step; *intermediates (NULL for inference) is for backward. */
POP_API pop_tensor popnn_lstm_fwd_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                     popnn_lstm_state initial, pop_tensor input, popnn_lstm_weights weights,
                                     pop_tensor *intermediates, pop_tensor *cell_state, pop_program sequence,
                                     const char *name, pop_options options, poplin_planning_cache *cache);

/* Results of the forward pass that the three calls below need. */
typedef struct popnn_lstm_forward {
    popnn_lstm_state initial;                /* state before the first step */
    pop_tensor intermediates, input, output; /* arguments and results of popnn_lstm_fwd */
    popnn_lstm_weights weights;              /* weights of the forward pass */
} popnn_lstm_forward;

#define popnn_lstm_bwd(...) popnn_lstm_bwd_at(POP_HERE, __VA_ARGS__)
/* Returns the gradients of the initial state, from the gradients of the output (same shape as the output) and of the
 * state after the last step (NULL: none; a null tensor in it: none): its output's is added to that of the last step.
 * With var_time_steps last_gradient is ignored, as in Poplibs, with a warning in the log. *input_gradient, {steps,
 * batch, input}, is set if params requests it; *intermediates (may be NULL) is for popnn_lstm_wu. */
POP_API popnn_lstm_state popnn_lstm_bwd_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                           pop_program sequence, const popnn_lstm_forward *forward,
                                           pop_tensor output_gradient, const popnn_lstm_state *last_gradient,
                                           pop_tensor *input_gradient, pop_tensor *intermediates, const char *name,
                                           pop_options options, poplin_planning_cache *cache);
#define popnn_lstm_wu(...) popnn_lstm_wu_at(POP_HERE, __VA_ARGS__)
/* Returns the gradients of the weights, in the weights' shapes. */
POP_API popnn_lstm_weights popnn_lstm_wu_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                            pop_program sequence, const popnn_lstm_forward *forward,
                                            pop_tensor bwd_intermediates, const char *name, pop_options options,
                                            poplin_planning_cache *cache);
#define popnn_lstm_bwd_with_wu(...) popnn_lstm_bwd_with_wu_at(POP_HERE, __VA_ARGS__)
/* Computes both in one loop. */
POP_API popnn_lstm_state popnn_lstm_bwd_with_wu_at(pop_where where, pop_graph *graph, const popnn_lstm_params *params,
                                                   pop_program sequence, const popnn_lstm_forward *forward,
                                                   pop_tensor output_gradient, const popnn_lstm_state *last_gradient,
                                                   pop_tensor *input_gradient, popnn_lstm_weights *weights_gradient,
                                                   const char *name, pop_options options, poplin_planning_cache *cache);

POP_END_DECLS
#endif
