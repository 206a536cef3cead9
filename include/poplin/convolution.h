/* SPDX-License-Identifier: Apache-2.0 */
/* Grouped convolutions with any number of field dimensions: forward, backward, weight update, and biases.
 *
 *     poplin_conv_params params =
 *         poplin_conv_params_make(POP_HALF, POP_HALF, 4, POP_SHAPE(28, 28), POP_SHAPE(3, 3), 64, 128, 1);
 *     pop_tensor in = poplin_create_input(graph, &params, "in", POP_NO_OPTIONS, cache);
 *     pop_tensor weights = poplin_create_weights(graph, &params, "weights", POP_NO_OPTIONS, cache);
 *     pop_tensor out =
 *         poplin_convolution(graph, in, weights, &params, false, sequence, "conv1", POP_NO_OPTIONS, cache);
 *
 * Shapes: input {batch, groups x input channels, field...}, weights {groups, output channels, input channels,
 * kernel...}, output {batch, groups x output channels, field...}, biases {groups x output channels}.  Operands whose
 * layout is not that of the create calls are copied first.
 *
 * Options (each a text): "availableMemoryProportion" (0.6), "partialsType" (half or float), "pass" (NONE,
 * INFERENCE_FWD, TRAINING_FWD, TRAINING_BWD, TRAINING_WU, FC_...), "planConstraints" (JSON), and those of
 * docs/libraries/poplin-conv.md.  cache may be NULL: then each call searches for a plan.  Errors: poplar_error for
 * shapes and parameters that do not match, type_error, invalid_option. */
#ifndef POPLIN_CONVOLUTION_H
#define POPLIN_CONVOLUTION_H

#include <poplar/program.h>
#include <poplin/conv_util.h>
#include <poplin/planning.h>

POP_BEGIN_DECLS

/* ---- operands: new variables with the layout and mapping of the convolution's plan ---- */

#define poplin_create_input(...) poplin_create_input_at(POP_HERE, __VA_ARGS__)
/* The input {batch, groups x input channels, field...}. */
POP_API pop_tensor poplin_create_input_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                          const char *name, pop_options options, poplin_planning_cache *cache);
#define poplin_create_weights(...) poplin_create_weights_at(POP_HERE, __VA_ARGS__)
/* The weights {groups, output channels, input channels, kernel...}. */
POP_API pop_tensor poplin_create_weights_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                            const char *name, pop_options options, poplin_planning_cache *cache);
#define poplin_create_biases(...) poplin_create_biases_at(POP_HERE, __VA_ARGS__)
/* One element for each channel of activations {batch, channels, field...}, of their type, mapped near the activations
 * of its channel. */
POP_API pop_tensor poplin_create_biases_at(pop_where where, pop_graph *graph, pop_tensor activations, const char *name,
                                           pop_options options);
#define poplin_create_conv_output(...) poplin_create_conv_output_at(POP_HERE, __VA_ARGS__)
/* A tensor of the output's shape and type, for poplin_convolution_with_output. */
POP_API pop_tensor poplin_create_conv_output_at(pop_where where, pop_graph *graph, const poplin_conv_params *params,
                                                const char *name, pop_options options, poplin_planning_cache *cache);

/* ---- convolutions ---- */

#define poplin_convolution(...) poplin_convolution_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: convolves; the output is a new variable.  With transpose_and_flip_weights, weights are those of
 * the forward convolution, {groups, params' input channels, params' output channels, kernel...}, and params are its
 * poplin_get_gradient_params. */
POP_API pop_tensor poplin_convolution_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor weights,
                                         const poplin_conv_params *params, bool transpose_and_flip_weights,
                                         pop_program sequence, const char *name, pop_options options,
                                         poplin_planning_cache *cache);
#define poplin_convolution_with_output(...) poplin_convolution_with_output_at(POP_HERE, __VA_ARGS__)
/* Convolves as poplin_convolution; the output is written to out, which has the output's shape. */
POP_API void poplin_convolution_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor weights,
                                               pop_tensor out, const poplin_conv_params *params,
                                               bool transpose_and_flip_weights, pop_program sequence, const char *name,
                                               pop_options options, poplin_planning_cache *cache);

#define poplin_calculate_weight_deltas(...) poplin_calculate_weight_deltas_at(POP_HERE, __VA_ARGS__)
/* The gradient of the weights of the forward convolution params, from the gradient of its output and its input. */
POP_API pop_tensor poplin_calculate_weight_deltas_at(pop_where where, pop_graph *graph, pop_tensor deltas,
                                                     pop_tensor activations, const poplin_conv_params *params,
                                                     pop_program sequence, const char *name, pop_options options,
                                                     poplin_planning_cache *cache);
#define poplin_convolution_weight_update(...) poplin_convolution_weight_update_at(POP_HERE, __VA_ARGS__)
/* weights += scale * that gradient; scale is a tensor of one element, or a constant. */
POP_API void poplin_convolution_weight_update_at(pop_where where, pop_graph *graph, pop_tensor deltas,
                                                 pop_tensor weights, pop_tensor activations,
                                                 const poplin_conv_params *params, pop_tensor scale,
                                                 pop_program sequence, const char *name, pop_options options,
                                                 poplin_planning_cache *cache);
#define poplin_convolution_weight_update_constant(...)                                                                 \
    poplin_convolution_weight_update_constant_at(POP_HERE, __VA_ARGS__)
/* Adds scale times the gradient to the weights, with a constant scale. */
POP_API void poplin_convolution_weight_update_constant_at(pop_where where, pop_graph *graph, pop_tensor deltas,
                                                          pop_tensor weights, pop_tensor activations,
                                                          const poplin_conv_params *params, double scale,
                                                          pop_program sequence, const char *name, pop_options options,
                                                          poplin_planning_cache *cache);

/* ---- biases ---- */

#define poplin_add_bias(...) poplin_add_bias_at(POP_HERE, __VA_ARGS__)
/* activations {batch, channels, field...} += biases. */
POP_API void poplin_add_bias_at(pop_where where, pop_graph *graph, pop_tensor activations, pop_tensor biases,
                                pop_program sequence, const char *name, pop_options options);
#define poplin_convolution_bias_update(...) poplin_convolution_bias_update_at(POP_HERE, __VA_ARGS__)
/* biases += scale * the sums of deltas {batch, channels, field...} over all but their channels; scale is a FLOAT tensor
 * of one element, or a constant. */
POP_API void poplin_convolution_bias_update_at(pop_where where, pop_graph *graph, pop_tensor deltas, pop_tensor biases,
                                               pop_tensor scale, pop_program sequence, const char *name,
                                               pop_options options);
#define poplin_convolution_bias_update_constant(...) poplin_convolution_bias_update_constant_at(POP_HERE, __VA_ARGS__)
/* Adds scale times the sums of deltas to the biases, with a constant scale. */
POP_API void poplin_convolution_bias_update_constant_at(pop_where where, pop_graph *graph, pop_tensor deltas,
                                                        pop_tensor biases, double scale, pop_program sequence,
                                                        const char *name, pop_options options);

/* ---- weights of the backward pass ---- */

#define poplin_weights_transpose_chans_flip_xy(...) poplin_weights_transpose_chans_flip_xy_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: weights_out {groups, b, a, kernel...} becomes weights_in {groups, a, b, kernel...} with channels
 * exchanged and the kernel reversed in each dimension. */
POP_API void poplin_weights_transpose_chans_flip_xy_at(pop_where where, pop_graph *graph, pop_tensor weights_in,
                                                       pop_tensor weights_out, pop_program sequence, const char *name);
#define poplin_fully_connected_weight_transpose(...) poplin_fully_connected_weight_transpose_at(POP_HERE, __VA_ARGS__)
/* Activations {groups, rows, columns} with rows and columns exchanged, in the layout of params' input.  params is the
 * backward pass of a fully connected layer, as a convolution with one field dimension: input {batch 1, groups x
 * columns, rows}. */
POP_API pop_tensor poplin_fully_connected_weight_transpose_at(pop_where where, pop_graph *graph, pop_tensor activations,
                                                              const poplin_conv_params *params, pop_program sequence,
                                                              const char *name, pop_options options,
                                                              poplin_planning_cache *cache);

POP_END_DECLS
#endif
