/* SPDX-License-Identifier: Apache-2.0 */
/* Batch, group, layer and instance norm, based on poplin's norms (poplin/norms.h).
 *
 * Activations are {batch, channels, field...} with any field, HALF or FLOAT; gamma, beta and their gradients
 * {channels}. Statistics are {channels} for a batch norm and {batch * groups} for a group norm, with the groups of an
 * image together; a layer norm has one group, an instance norm as many as channels.  A group consists of
 * consecutive channels or, with the option groupNormStridedChannelGrouping (default false), of every groups-th channel.
 * All calls take this option, also those to which it means nothing. "whitened" results are (acts - mean) * inv_std_dev.
 * Errors are those of poplin/norms.h. */
#ifndef POPNN_NORMS_H
#define POPNN_NORMS_H

#include <poplin/norms.h>

POP_BEGIN_DECLS

/* Creates parameters on tiles near the activations: gamma is 1, beta is 0. */
#define popnn_create_norm_gamma(...)  poplin_create_norm_gamma(__VA_ARGS__)
#define popnn_create_norm_beta(...)   poplin_create_norm_beta(__VA_ARGS__)
#define popnn_create_norm_params(...) poplin_create_norm_params(__VA_ARGS__)

/* Floating-point operations: of forward (statistics_size 0: without statistics), of the activations' gradients, of
 * the parameters' gradients and update. */
POP_API uint64_t popnn_norm_fwd_flops(size_t statistics_size, size_t acts_elements);
/* Floating-point operations of the activations' gradients. */
POP_API uint64_t popnn_norm_bwd_flops(size_t statistics_size, size_t acts_elements);
/* Floating-point operations of the parameters' gradients and update. */
POP_API uint64_t popnn_norm_wu_flops(size_t params_size, size_t acts_elements);

/* ---- for all norms: gamma += scale * gamma_delta, beta += scale * beta_delta; scale is a number or a tensor of one
 * element ---- */
/* Adds to a sequence: gamma += scale * gamma_delta, beta += scale * beta_delta. */
#define popnn_norm_param_update(...) popnn_norm_param_update_at(POP_HERE, __VA_ARGS__)
POP_API void popnn_norm_param_update_at(pop_where where, pop_graph *graph, pop_tensor gamma_delta,
                                        pop_tensor beta_delta, double scale, pop_tensor gamma, pop_tensor beta,
                                        pop_program sequence, const char *name, pop_options options);
/* Adds to a sequence: gamma += scale * gamma_delta, beta += scale * beta_delta, with a tensor of one element as scale.
 */
#define popnn_norm_param_update_tensor(...) popnn_norm_param_update_tensor_at(POP_HERE, __VA_ARGS__)
POP_API void popnn_norm_param_update_tensor_at(pop_where where, pop_graph *graph, pop_tensor gamma_delta,
                                               pop_tensor beta_delta, pop_tensor scale, pop_tensor gamma,
                                               pop_tensor beta, pop_program sequence, const char *name,
                                               pop_options options);

/* ---- batch norm ---- */
#define popnn_batch_norm_statistics(...) poplin_norm_statistics(__VA_ARGS__)
#define popnn_batch_norm_whiten(...)     poplin_norm_whiten(__VA_ARGS__)
#define popnn_batch_normalise(...)       popnn_batch_normalise_at(POP_HERE, __VA_ARGS__)
/* Returns whitened * gamma + beta; *whitened (may be NULL) is for the gradients. */
POP_API pop_tensor popnn_batch_normalise_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor gamma,
                                            pop_tensor beta, pop_tensor mean, pop_tensor inv_std_dev,
                                            pop_program sequence, const char *name, pop_options options,
                                            pop_tensor *whitened);
/* Returns acts * multiplicand + addend, for inference: multiplicand is gamma * inv_std_dev, addend beta - mean *
 * multiplicand. */
#define popnn_batch_normalise_combined(...) poplin_normalise(__VA_ARGS__)
#define popnn_batch_norm_gradients(...)     popnn_batch_norm_gradients_at(POP_HERE, __VA_ARGS__)
/* Returns the gradient of the activations, from that of the output. */
POP_API pop_tensor popnn_batch_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                 pop_tensor grads, pop_tensor inv_std_dev, pop_tensor gamma,
                                                 pop_program sequence, pop_type partials_type, const char *name,
                                                 pop_options options);
#define popnn_distributed_batch_norm_statistics(...) poplin_distributed_norm_statistics(__VA_ARGS__)
#define popnn_distributed_batch_norm_gradients(...)  popnn_distributed_batch_norm_gradients_at(POP_HERE, __VA_ARGS__)
/* popnn_batch_norm_gradients with statistics over norm_batch_size images of several replicas (poplin/norms.h). */
POP_API pop_tensor popnn_distributed_batch_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                             pop_tensor grads, pop_tensor inv_std_dev, pop_tensor gamma,
                                                             pop_program sequence, poplin_norm_reduce reduce,
                                                             void *context, unsigned norm_batch_size,
                                                             pop_type partials_type, const char *name,
                                                             pop_options options);
#define popnn_batch_norm_param_gradients(...)     poplin_norm_param_gradients(__VA_ARGS__)
#define popnn_batch_norm_param_update(...)        popnn_norm_param_update(__VA_ARGS__)
#define popnn_batch_norm_param_update_tensor(...) popnn_norm_param_update_tensor(__VA_ARGS__)

/* ---- group norm ---- */
#define popnn_group_norm_statistics(...) popnn_group_norm_statistics_at(POP_HERE, __VA_ARGS__)
/* groups must divide the channels; mean and inv_std_dev may be NULL. */
POP_API void popnn_group_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                            pop_program sequence, size_t groups, bool unbiased_variance, bool stable,
                                            pop_type partials_type, const char *name, pop_options options,
                                            pop_tensor *mean, pop_tensor *inv_std_dev);
/* Returns (acts - mean) * inv_std_dev, with the statistics of popnn_group_norm_statistics. */
#define popnn_group_norm_whiten(...) popnn_group_norm_whiten_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popnn_group_norm_whiten_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor mean,
                                              pop_tensor inv_std_dev, pop_program sequence, const char *name,
                                              pop_options options);
#define popnn_group_normalise(...) popnn_group_normalise_at(POP_HERE, __VA_ARGS__)
/* Returns whitened * gamma + beta; *whitened (may be NULL) is for the gradients. */
POP_API pop_tensor popnn_group_normalise_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor gamma,
                                            pop_tensor beta, pop_tensor mean, pop_tensor inv_std_dev,
                                            pop_program sequence, const char *name, pop_options options,
                                            pop_tensor *whitened);
#define popnn_group_norm_gradients(...) popnn_group_norm_gradients_at(POP_HERE, __VA_ARGS__)
/* Returns the gradient of the activations, from that of the output. */
POP_API pop_tensor popnn_group_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                 pop_tensor grads, pop_tensor inv_std_dev, pop_tensor gamma,
                                                 pop_program sequence, pop_type partials_type, const char *name,
                                                 pop_options options);
#define popnn_group_norm_param_gradients(...) popnn_group_norm_param_gradients_at(POP_HERE, __VA_ARGS__)
/* Computes the gradients of gamma and beta, each of which may be NULL. */
POP_API void popnn_group_norm_param_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                 pop_tensor grads, pop_program sequence, pop_type partials_type,
                                                 const char *name, pop_options options, pop_tensor *gamma_delta,
                                                 pop_tensor *beta_delta);
#define popnn_group_norm_param_update(...)        popnn_norm_param_update(__VA_ARGS__)
#define popnn_group_norm_param_update_tensor(...) popnn_norm_param_update_tensor(__VA_ARGS__)

/* ---- layer and instance norm, as group norms ---- */
/* Statistics of each image over all channels and positions: a group norm with one group. */
#define popnn_layer_norm_statistics(...) popnn_layer_norm_statistics_at(POP_HERE, __VA_ARGS__)
POP_API void popnn_layer_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                            pop_program sequence, bool unbiased_variance, bool stable,
                                            pop_type partials_type, const char *name, pop_options options,
                                            pop_tensor *mean, pop_tensor *inv_std_dev);
#define popnn_layer_norm_whiten(...)              popnn_group_norm_whiten(__VA_ARGS__)
#define popnn_layer_normalise(...)                popnn_group_normalise(__VA_ARGS__)
#define popnn_layer_norm_gradients(...)           popnn_group_norm_gradients(__VA_ARGS__)
#define popnn_layer_norm_param_gradients(...)     popnn_group_norm_param_gradients(__VA_ARGS__)
#define popnn_layer_norm_param_update(...)        popnn_group_norm_param_update(__VA_ARGS__)
#define popnn_layer_norm_param_update_tensor(...) popnn_group_norm_param_update_tensor(__VA_ARGS__)
/* Statistics of each channel of each image: a group norm with a group for each channel. */
#define popnn_instance_norm_statistics(...) popnn_instance_norm_statistics_at(POP_HERE, __VA_ARGS__)
POP_API void popnn_instance_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                               pop_program sequence, bool unbiased_variance, bool stable,
                                               pop_type partials_type, const char *name, pop_options options,
                                               pop_tensor *mean, pop_tensor *inv_std_dev);
#define popnn_instance_norm_whiten(...)              popnn_group_norm_whiten(__VA_ARGS__)
#define popnn_instance_normalise(...)                popnn_group_normalise(__VA_ARGS__)
#define popnn_instance_norm_gradients(...)           popnn_group_norm_gradients(__VA_ARGS__)
#define popnn_instance_norm_param_gradients(...)     popnn_group_norm_param_gradients(__VA_ARGS__)
#define popnn_instance_norm_param_update(...)        popnn_group_norm_param_update(__VA_ARGS__)
#define popnn_instance_norm_param_update_tensor(...) popnn_group_norm_param_update_tensor(__VA_ARGS__)

POP_END_DECLS
#endif
