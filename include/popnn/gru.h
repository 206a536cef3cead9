/* SPDX-License-Identifier: Apache-2.0 */
/* GRU over a sequence: forward, backward and weight update.
 *
 * The step from h is, with W {input, output}, U {output, output} and b of each unit,
 *     r, z = sigmoid(x W + h U + b),  c = tanh(x W + (r h) U + b),  h' = z h + (1 - z) c;
 * with reset_after, where biases are {3, 2, output}, c = tanh(x W + b0 + r (h U + b1)).
 * Sequences are {steps, batch, size}; a step is an iteration of a loop on the device.  HALF or FLOAT; errors are
 * recorded in the graph with the caller's line. */
#ifndef POPNN_GRU_H
#define POPNN_GRU_H

#include <poplin/fully_connected.h>
#include <popnn/non_linearity.h>

/* Units of a GRU, in the order of Poplar's enumeration. */
typedef enum popnn_gru_unit {
    POPNN_GRU_RESET_GATE = 0,
    POPNN_GRU_UPDATE_GATE,
    POPNN_GRU_CANDIDATE,
    POPNN_GRU_UNITS
} popnn_gru_unit;

/* A GRU layer. */
typedef struct popnn_gru_params {
    pop_type data_type;                                     /* HALF or FLOAT */
    size_t batch_size, time_steps, input_size, output_size; /* sequences; steps; units of the input; of the output */
    bool output_full_sequence;                  /* false: the output is that of the last step, {batch, output} */
    bool calc_input_gradients;                  /* false: backward gives no gradient of the input */
    popnn_gru_unit cell_order[POPNN_GRU_UNITS]; /* order of the units in weights and biases */
    bool reset_after; /* true: the reset gate multiplies the product with U, whose biases are separate */
    popnn_non_linearity_type activation, recurrent_activation; /* functions for c, and for the gates */
    /* Null, or the number of steps of each sequence, read at run time: {batch}, or {1} for all, UNSIGNED_INT. Loops end
     * at the largest of them. Later steps do not change the state; their outputs, intermediates and gradients are 0,
     * and their inputs must be finite. */
    pop_tensor var_time_steps;
} popnn_gru_params;

/* Weights of a layer, or their gradients. */
typedef struct popnn_gru_weights {
    pop_tensor input_weights;  /* {3, input, output} */
    pop_tensor output_weights; /* {3, output, output} */
    pop_tensor biases;         /* {3, output}, or {3, 2, output} */
} popnn_gru_weights;

/* Results of the forward pass that the backward calls need. */
typedef struct popnn_gru_forward {
    pop_tensor initial, intermediates, input, output; /* arguments and results of popnn_gru_fwd */
    popnn_gru_weights weights;                        /* weights of the forward pass */
} popnn_gru_forward;

POP_BEGIN_DECLS

/* Defaults: full sequences, gradients of the input, the order of popnn_gru_unit, reset before the product, tanh and
 * sigmoid. */
POP_API popnn_gru_params popnn_gru_params_make(pop_type data_type, size_t batch_size, size_t time_steps,
                                               size_t input_size, size_t output_size);

/* Floating-point operations for a whole sequence. */
POP_API uint64_t popnn_gru_fwd_flops(const popnn_gru_params *params);
POP_API uint64_t popnn_gru_bwd_flops(const popnn_gru_params *params);
POP_API uint64_t popnn_gru_wu_flops(const popnn_gru_params *params);

/* The largest number of entries that the next call writes. */
enum { POPNN_GRU_MAX_MAT_MULS = 6 };
/* The products of a step and the pass of each, for poplin_preplan_mat_muls; returns their number. For inference only
 * those of forward. */
POP_API size_t popnn_gru_get_mat_mul_pre_plan_parameters(const popnn_gru_params *params, bool inference_only,
                                                         poplin_fc_mat_mul list[POPNN_GRU_MAX_MAT_MULS]);

/* ---- tensors with the layouts that the calls below need. Options: popnn/lstm.h; inferenceOnly is true ---- */
/* {steps, batch, input}. */
#define popnn_gru_create_input(...) popnn_gru_create_input_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_gru_create_input_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                             const char *name, pop_options options, poplin_planning_cache *cache);
#define popnn_gru_create_initial_state(...) popnn_gru_create_initial_state_at(POP_HERE, __VA_ARGS__)
/* {batch, output}. */
POP_API pop_tensor popnn_gru_create_initial_state_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                                     const char *name, pop_options options,
                                                     poplin_planning_cache *cache);
/* The weights and biases; see popnn_gru_weights. */
#define popnn_gru_create_weights(...) popnn_gru_create_weights_at(POP_HERE, __VA_ARGS__)
POP_API popnn_gru_weights popnn_gru_create_weights_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                                      const char *name, pop_options options,
                                                      poplin_planning_cache *cache);

#define popnn_gru_create_weights_kernel(...) popnn_gru_create_weights_kernel_at(POP_HERE, __VA_ARGS__)
/* The weights without the biases, and the biases. */
POP_API popnn_gru_weights popnn_gru_create_weights_kernel_at(pop_where where, pop_graph *graph,
                                                             const popnn_gru_params *params, const char *name,
                                                             pop_options options, poplin_planning_cache *cache);
/* The biases alone. */
#define popnn_gru_create_weights_biases(...) popnn_gru_create_weights_biases_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_gru_create_weights_biases_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                                      const char *name, pop_options options,
                                                      poplin_planning_cache *cache);

#define popnn_gru_fwd(...) popnn_gru_fwd_at(POP_HERE, __VA_ARGS__)
/* Returns the output, {steps, batch, output} or {batch, output}; *intermediates (NULL for inference) is for
 * backward. */
POP_API pop_tensor popnn_gru_fwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                    pop_tensor initial, pop_tensor input, popnn_gru_weights weights,
                                    pop_tensor *intermediates, pop_program sequence, const char *name,
                                    pop_options options, poplin_planning_cache *cache);
#define popnn_gru_bwd(...) popnn_gru_bwd_at(POP_HERE, __VA_ARGS__)
/* Returns the gradient of the initial state, from the gradient of the output (same shape as the output).
 * *input_gradient, {steps, batch, input}, is set if params requests it; *intermediates (may be NULL) is for
 * popnn_gru_wu. */
POP_API pop_tensor popnn_gru_bwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                    pop_program sequence, const popnn_gru_forward *forward, pop_tensor output_gradient,
                                    pop_tensor *input_gradient, pop_tensor *intermediates, const char *name,
                                    pop_options options, poplin_planning_cache *cache);
#define popnn_gru_wu(...) popnn_gru_wu_at(POP_HERE, __VA_ARGS__)
/* Returns the gradients of the weights, in the weights' shapes. */
POP_API popnn_gru_weights popnn_gru_wu_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                          pop_program sequence, const popnn_gru_forward *forward,
                                          pop_tensor bwd_intermediates, const char *name, pop_options options,
                                          poplin_planning_cache *cache);
#define popnn_gru_bwd_with_wu(...) popnn_gru_bwd_with_wu_at(POP_HERE, __VA_ARGS__)
/* Computes both in one loop. */
POP_API pop_tensor popnn_gru_bwd_with_wu_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                            pop_program sequence, const popnn_gru_forward *forward,
                                            pop_tensor output_gradient, pop_tensor *input_gradient,
                                            popnn_gru_weights *weights_gradient, const char *name, pop_options options,
                                            poplin_planning_cache *cache);

/* ---- attention GRU: the update gate z of sequence b and step t is multiplied by 1 - attention[b][t] ---- */
#define popnn_gru_create_attention(...) popnn_gru_create_attention_at(POP_HERE, __VA_ARGS__)
/* A tensor of attention scores, {batch, steps}. */
POP_API pop_tensor popnn_gru_create_attention_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                                 const char *name, pop_options options);
#define popnn_au_gru_fwd(...) popnn_au_gru_fwd_at(POP_HERE, __VA_ARGS__)
/* As popnn_gru_fwd. */
POP_API pop_tensor popnn_au_gru_fwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                       pop_tensor initial, pop_tensor input, popnn_gru_weights weights,
                                       pop_tensor *intermediates, pop_tensor attention, pop_program sequence,
                                       const char *name, pop_options options, poplin_planning_cache *cache);
#define popnn_au_gru_bwd(...) popnn_au_gru_bwd_at(POP_HERE, __VA_ARGS__)
/* As popnn_gru_bwd; *attention_gradient (NULL: not wanted) is {batch, steps}. The gate before attention is what forward
 * kept divided by 1 - attention: a score of 1 gives NaN, as in Poplibs. For the weights: popnn_gru_wu. */
POP_API pop_tensor popnn_au_gru_bwd_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                       pop_program sequence, const popnn_gru_forward *forward,
                                       pop_tensor output_gradient, pop_tensor *input_gradient,
                                       pop_tensor *intermediates, pop_tensor attention, pop_tensor *attention_gradient,
                                       const char *name, pop_options options, poplin_planning_cache *cache);
#define popnn_au_gru_bwd_with_wu(...) popnn_au_gru_bwd_with_wu_at(POP_HERE, __VA_ARGS__)
/* As popnn_gru_bwd_with_wu. */
POP_API pop_tensor popnn_au_gru_bwd_with_wu_at(pop_where where, pop_graph *graph, const popnn_gru_params *params,
                                               pop_program sequence, const popnn_gru_forward *forward,
                                               pop_tensor output_gradient, pop_tensor *input_gradient,
                                               popnn_gru_weights *weights_gradient, pop_tensor attention,
                                               pop_tensor *attention_gradient, const char *name, pop_options options,
                                               poplin_planning_cache *cache);

POP_END_DECLS
#endif
