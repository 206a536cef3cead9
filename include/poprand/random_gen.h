/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of several distributions, and dropout.
 *
 * Each worker of each tile has its own generator (xoroshiro128+).  With a seed the result depends only on the seed, the
 * modifier and the layout of the reference (which elements are on which tile, and the number of workers of a tile): it
 * is the same in every run, independent of other programs and of the number of host threads, and does not advance the
 * tiles' generators.  Without a seed (NULL) numbers come from the tiles' generators, which advance from call to call;
 * loading resets them, and poprand_set_seed sets them.
 *
 * A seed is an UNSIGNED_INT tensor of 2 elements.  A result has the shape and layout of the reference; out_type is HALF
 * or FLOAT, and INT where noted.  The graph needs poprand_add_codelets.  Errors are recorded in the graph with the
 * caller's line. */
#ifndef POPRAND_RANDOM_GEN_H
#define POPRAND_RANDOM_GEN_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define poprand_set_seed(...) poprand_set_seed_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: sets the generators of all tiles from a seed and a modifier. */
POP_API void poprand_set_seed_at(pop_where where, pop_graph *graph, pop_tensor master_seed, uint32_t seed_modifier,
                                 pop_program sequence, const char *name);

#define poprand_uniform(...) poprand_uniform_at(POP_HERE, __VA_ARGS__)
/* Uniform from min to max, both included; INT too. */
POP_API pop_tensor poprand_uniform_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                      uint32_t seed_modifier, pop_tensor reference, pop_type out_type, double min,
                                      double max, pop_program sequence, const char *name);
#define poprand_log_uniform(...) poprand_log_uniform_at(POP_HERE, __VA_ARGS__)
/* From min to max, min > 0, with uniform logarithms; INT too (rounded down). */
POP_API pop_tensor poprand_log_uniform_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                          uint32_t seed_modifier, pop_tensor reference, pop_type out_type, double min,
                                          double max, pop_program sequence, const char *name);
#define poprand_bernoulli(...) poprand_bernoulli_at(POP_HERE, __VA_ARGS__)
/* 1 with the given probability, otherwise 0; INT too. */
POP_API pop_tensor poprand_bernoulli_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                        uint32_t seed_modifier, pop_tensor reference, pop_type out_type,
                                        double probability, pop_program sequence, const char *name);
/* Normally distributed numbers of this mean and standard deviation; HALF or FLOAT. */
#define poprand_normal(...) poprand_normal_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poprand_normal_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                     uint32_t seed_modifier, pop_tensor reference, pop_type out_type, double mean,
                                     double std_dev, pop_program sequence, const char *name);
#define poprand_truncated_normal(...) poprand_truncated_normal_at(POP_HERE, __VA_ARGS__)
/* A normal distribution, truncated at alpha standard deviations from the mean. */
POP_API pop_tensor poprand_truncated_normal_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                               uint32_t seed_modifier, pop_tensor reference, pop_type out_type,
                                               double mean, double std_dev, double alpha, pop_program sequence,
                                               const char *name);

#define poprand_dropout(...) poprand_dropout_at(POP_HERE, __VA_ARGS__)
/* Returns a new tensor with the layout of the reference, which has the input's shape: each element of the input,
 * HALF or FLOAT, is kept with the given probability and multiplied by scale; otherwise it is 0. */
POP_API pop_tensor poprand_dropout_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                      uint32_t seed_modifier, pop_tensor input, pop_tensor reference,
                                      double keep_probability, double scale, pop_program sequence, const char *name);
#define poprand_shaped_dropout(...) poprand_shaped_dropout_at(POP_HERE, __VA_ARGS__)
/* Dropout with a reference that is broadcast to the input's shape: elements that share an element of the reference are
 * kept or dropped together. */
POP_API pop_tensor poprand_shaped_dropout_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                             uint32_t seed_modifier, pop_tensor input, pop_tensor reference,
                                             double keep_probability, double scale, pop_program sequence,
                                             const char *name);

POP_END_DECLS
#endif
