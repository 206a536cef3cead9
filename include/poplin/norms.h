/* SPDX-License-Identifier: Apache-2.0 */
/* The computations that all normalisations share: statistics of each channel, and their use, forward and backward.
 *
 *     pop_tensor mean, inverse;
 *     poplin_norm_statistics(graph, acts, 1e-5, sequence, false, false, POP_FLOAT, "norm", POP_NO_OPTIONS,
 *                            &mean, &inverse);
 *     pop_tensor whitened = poplin_norm_whiten(graph, acts, mean, inverse, sequence, "norm", POP_NO_OPTIONS);
 *     pop_tensor out = poplin_normalise(graph, whitened, gamma, beta, sequence, "norm", POP_NO_OPTIONS);
 *
 * Activations and their gradients are {batch, channels, field...}, statistics and parameters {channels}, all of the
 * activations' type, HALF or FLOAT.  partials_type, HALF or FLOAT, is the type of partial sums.  There are no options
 * yet.  Errors: poplar_error for shapes that do not match, type_error, invalid_option. */
#ifndef POPLIN_NORMS_H
#define POPLIN_NORMS_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define poplin_create_norm_gamma(...) poplin_create_norm_gamma_at(POP_HERE, __VA_ARGS__)
/* New parameters, mapped near the activations of their channel.  type POP_TYPE_NULL means the activations' type. */
POP_API pop_tensor poplin_create_norm_gamma_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_type type,
                                               const char *name);
#define poplin_create_norm_beta(...) poplin_create_norm_beta_at(POP_HERE, __VA_ARGS__)
/* New offsets (beta), mapped as poplin_create_norm_gamma maps its factors. */
POP_API pop_tensor poplin_create_norm_beta_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_type type,
                                              const char *name);
#define poplin_create_norm_params(...) poplin_create_norm_params_at(POP_HERE, __VA_ARGS__)
/* Both, of the activations' type; null tensors after an error of the graph. */
POP_API void poplin_create_norm_params_at(pop_where where, pop_graph *graph, pop_tensor acts, const char *name,
                                          pop_tensor *gamma, pop_tensor *beta);

#define poplin_norm_statistics(...) poplin_norm_statistics_at(POP_HERE, __VA_ARGS__)
/* For each channel: the mean and 1 / sqrt(variance + eps); for a channel without elements 0 and 1 / sqrt(eps).
 * unbiased_variance divides by the number of elements minus 1.  stable subtracts the mean before squaring; without it
 * the variance is the mean of the squares minus the square of the mean. */
POP_API void poplin_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                       pop_program sequence, bool unbiased_variance, bool stable,
                                       pop_type partials_type, const char *name, pop_options options, pop_tensor *mean,
                                       pop_tensor *inv_std_dev);
#define poplin_norm_whiten(...) poplin_norm_whiten_at(POP_HERE, __VA_ARGS__)
/* (acts - mean) * inv_std_dev. */
POP_API pop_tensor poplin_norm_whiten_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor mean,
                                         pop_tensor inv_std_dev, pop_program sequence, const char *name,
                                         pop_options options);
#define poplin_normalise(...) poplin_normalise_at(POP_HERE, __VA_ARGS__)
/* whitened * gamma + beta. */
POP_API pop_tensor poplin_normalise_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor gamma,
                                       pop_tensor beta, pop_program sequence, const char *name, pop_options options);

#define poplin_norm_param_gradients(...) poplin_norm_param_gradients_at(POP_HERE, __VA_ARGS__)
/* Gradients of gamma, the sums of whitened * grads over all dimensions but the channels, and of beta, the sums of
 * grads. */
POP_API void poplin_norm_param_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                            pop_program sequence, pop_type partials_type, const char *name,
                                            pop_options options, pop_tensor *gamma_delta, pop_tensor *beta_delta);
#define poplin_norm_gradients(...) poplin_norm_gradients_at(POP_HERE, __VA_ARGS__)
/* The gradient of the whitened activations: grads * gamma. */
POP_API pop_tensor poplin_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor grads, pop_tensor gamma,
                                            pop_program sequence, const char *name, pop_options options);
#define poplin_norm_statistics_gradients(...) poplin_norm_statistics_gradients_at(POP_HERE, __VA_ARGS__)
/* The gradient of the activations from that of the whitened activations, if the statistics were computed from them:
 * inv_std_dev * (grads - mean(grads) - whitened * mean(whitened * grads)). */
POP_API pop_tensor poplin_norm_statistics_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                       pop_tensor grads, pop_tensor inv_std_dev, pop_program sequence,
                                                       pop_type partials_type, const char *name, pop_options options);

/* ---- batches that are distributed over replicas ---- */

/* Callback: replaces each of count tensors, {channels} of FLOAT or of the gradients' type, by its sum over groups of
 * group_size replicas with consecutive indices, in a writeable tensor.  Adds to a sequence. */
typedef void (*poplin_norm_reduce)(void *context, pop_graph *graph, pop_tensor *tensors, size_t count,
                                   pop_program sequence, unsigned group_size, const char *name);

#define poplin_distributed_norm_statistics(...) poplin_distributed_norm_statistics_at(POP_HERE, __VA_ARGS__)
/* As poplin_norm_statistics, for norm_batch_size images that a group of replicas holds together: replicas 0 to n - 1, n
 * to 2 n - 1 and so on, where n = norm_batch_size / acts' batch. reduce is called during this call, once for each sum
 * over the group; NULL is popops_group_all_reduce, with groups that divide the graph's replicas.  Not at all if the
 * batch has no more images than acts: the norm is that of acts. */
POP_API void poplin_distributed_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                                   pop_program sequence, bool unbiased_variance,
                                                   poplin_norm_reduce reduce, void *context, unsigned norm_batch_size,
                                                   bool stable, pop_type partials_type, const char *name,
                                                   pop_options options, pop_tensor *mean, pop_tensor *inv_std_dev);
#define poplin_distributed_norm_statistics_gradients(...)                                                              \
    poplin_distributed_norm_statistics_gradients_at(POP_HERE, __VA_ARGS__)
/* As poplin_norm_statistics_gradients, for statistics of a group of replicas. */
POP_API pop_tensor poplin_distributed_norm_statistics_gradients_at(pop_where where, pop_graph *graph,
                                                                   pop_tensor whitened, pop_tensor grads,
                                                                   pop_tensor inv_std_dev, pop_program sequence,
                                                                   poplin_norm_reduce reduce, void *context,
                                                                   unsigned norm_batch_size, pop_type partials_type,
                                                                   const char *name, pop_options options);

POP_END_DECLS
#endif
