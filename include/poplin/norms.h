/* SPDX-License-Identifier: Apache-2.0 */
/* What all normalisations share: statistics for each channel, and the algebra with them, forward and backward.
 *
 *     pop_tensor mean, inverse;
 *     poplin_norm_statistics(graph, acts, 1e-5, sequence, false, false, POP_FLOAT, "norm", POP_NO_OPTIONS, &mean,
 * &inverse); pop_tensor whitened = poplin_norm_whiten(graph, acts, mean, inverse, sequence, "norm", POP_NO_OPTIONS);
 *     pop_tensor out = poplin_normalise(graph, whitened, gamma, beta, sequence, "norm", POP_NO_OPTIONS);
 *
 * Activations and their gradients are {batch, channels, field...}, statistics and parameters {channels}, all of the
 * activations' type, HALF or FLOAT. partials_type, HALF or FLOAT, is what sums are kept in.  There are no options yet.
 * Errors: poplar_error for shapes that do not match, type_error, invalid_option. */
#ifndef POPLIN_NORMS_H
#define POPLIN_NORMS_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define poplin_create_norm_gamma(...) poplin_create_norm_gamma_at(POP_HERE, __VA_ARGS__)
/* New parameters, near the activations that they go with.  type POP_TYPE_NULL is the activations'. */
POP_API pop_tensor poplin_create_norm_gamma_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_type type,
                                               const char *name);
#define poplin_create_norm_beta(...) poplin_create_norm_beta_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_create_norm_beta_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_type type,
                                              const char *name);
#define poplin_create_norm_params(...) poplin_create_norm_params_at(POP_HERE, __VA_ARGS__)
POP_API void poplin_create_norm_params_at(pop_where where, pop_graph *graph, pop_tensor acts, const char *name,
                                          pop_tensor *gamma, pop_tensor *beta);

#define poplin_norm_statistics(...) poplin_norm_statistics_at(POP_HERE, __VA_ARGS__)
/* Of each channel: the mean and 1 / sqrt(variance + eps); of a channel without elements 0 and 1 / sqrt(eps).
 * unbiased_variance divides by one less than the number of elements.  stable subtracts the mean before squares are
 * added; without it the variance is that of the squares less the square of the mean. */
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
/* Of gamma: sums of whitened * grads over all but the channels; of beta: of grads. */
POP_API void poplin_norm_param_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                            pop_program sequence, pop_type partials_type, const char *name,
                                            pop_options options, pop_tensor *gamma_delta, pop_tensor *beta_delta);
#define poplin_norm_gradients(...) poplin_norm_gradients_at(POP_HERE, __VA_ARGS__)
/* Of the whitened activations: grads * gamma. */
POP_API pop_tensor poplin_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor grads, pop_tensor gamma,
                                            pop_program sequence, const char *name, pop_options options);
#define poplin_norm_statistics_gradients(...) poplin_norm_statistics_gradients_at(POP_HERE, __VA_ARGS__)
/* Of the activations, of the gradient of the whitened ones, when the statistics were made of them:
 * inv_std_dev * (grads - mean(grads) - whitened * mean(whitened * grads)). */
POP_API pop_tensor poplin_norm_statistics_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                       pop_tensor grads, pop_tensor inv_std_dev, pop_program sequence,
                                                       pop_type partials_type, const char *name, pop_options options);

/* ---- batches that replicas share ---- */

/* Replaces each of count tensors, {channels} of FLOAT or of the gradients' type, by its sum over groups of group_size
 * replicas with consecutive numbers, in a tensor that can be written.  Adds to a sequence. */
typedef void (*poplin_norm_reduce)(void *context, pop_graph *graph, pop_tensor *tensors, size_t count,
                                   pop_program sequence, unsigned group_size, const char *name);

#define poplin_distributed_norm_statistics(...) poplin_distributed_norm_statistics_at(POP_HERE, __VA_ARGS__)
/* As poplin_norm_statistics, of the norm_batch_size images of a group of replicas together: replicas 0 .. n - 1, n ..
 * 2 n - 1, ..., where n = norm_batch_size / acts' batch divides the graph's replicas.  reduce is called for each sum
 * over the group while the call is made (not at all with n = 1); NULL is popops_group_all_reduce. */
POP_API void poplin_distributed_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                                   pop_program sequence, bool unbiased_variance,
                                                   poplin_norm_reduce reduce, void *context, unsigned norm_batch_size,
                                                   bool stable, pop_type partials_type, const char *name,
                                                   pop_options options, pop_tensor *mean, pop_tensor *inv_std_dev);
#define poplin_distributed_norm_statistics_gradients(...)                                                              \
    poplin_distributed_norm_statistics_gradients_at(POP_HERE, __VA_ARGS__)
/* As poplin_norm_statistics_gradients, where the statistics are those of a group. */
POP_API pop_tensor poplin_distributed_norm_statistics_gradients_at(pop_where where, pop_graph *graph,
                                                                   pop_tensor whitened, pop_tensor grads,
                                                                   pop_tensor inv_std_dev, pop_program sequence,
                                                                   poplin_norm_reduce reduce, void *context,
                                                                   unsigned norm_batch_size, pop_type partials_type,
                                                                   const char *name, pop_options options);

POP_END_DECLS
#endif
