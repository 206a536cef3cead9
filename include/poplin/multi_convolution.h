/* SPDX-License-Identifier: Apache-2.0 */
/* Several convolutions in one call, which run at the same time, each on its own tiles.
 *
 * Each convolution has its own parameters and options (poplin/convolution.h).  Options of the call:
 *   - "planType" (parallel): parallel, or serial: one after the other, each on all tiles.  With fewer than two tiles
 *     per convolution they always run serially;
 *   - "perConvReservedTiles" (50): the number of tiles reserved for each convolution that is not planned yet; fewer on
 *     small targets;
 *   - "cycleBackOff" (0.1, not negative): the largest convolution is planned first, for the smallest number of tiles on
 *     which it needs at most its minimum of cycles plus this proportion of it for each other convolution.  The others
 *     are planned for the remaining tiles so that none of their steps takes longer than that of the largest one.
 *
 * Passes of fully connected layers are planned independently of each other here, and each convolution begins at the
 * first of its tiles.  Operands that are created with the same list and options have the layout that the call needs.
 * All convolutions of a list share their steps: each copy, compute set or exchange serves all of them.  poplar_error
 * for an index beyond the list. */
#ifndef POPLIN_MULTI_CONVOLUTION_H
#define POPLIN_MULTI_CONVOLUTION_H

#include <poplin/convolution.h>

/* The arguments of one convolution; calls read those they need: input and weights; deltas, weights, input and scale of
 * updates.  If the scale tensor is null, the constant is used. */
typedef struct poplin_multi_conv {
    const poplin_conv_params *params;  /* what is computed */
    pop_options options;               /* those of poplin_convolution */
    pop_tensor input, weights, deltas; /* the operands that the call reads */
    pop_tensor scale;                  /* factor of a weight update: one element, or null */
    double scale_constant;             /* factor, if scale is null */
    const char *name;                  /* debug name of created tensors */
} poplin_multi_conv;

POP_BEGIN_DECLS

#define poplin_multi_create_input(...) poplin_multi_create_input_at(POP_HERE, __VA_ARGS__)
/* The input of convolution `index` of the list. */
POP_API pop_tensor poplin_multi_create_input_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                                size_t count, size_t index, pop_options options,
                                                poplin_planning_cache *cache);
#define poplin_multi_create_weights(...) poplin_multi_create_weights_at(POP_HERE, __VA_ARGS__)
/* The weights of convolution `index` of the list. */
POP_API pop_tensor poplin_multi_create_weights_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                                  size_t count, size_t index, pop_options options,
                                                  poplin_planning_cache *cache);
#define poplin_multi_convolution(...) poplin_multi_convolution_at(POP_HERE, __VA_ARGS__)
/* outputs, here and below: an array for count tensors; null where an error occurred. */
POP_API void poplin_multi_convolution_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                         size_t count, bool transpose_and_flip_weights, pop_program sequence,
                                         const char *name, pop_options options, poplin_planning_cache *cache,
                                         pop_tensor *outputs);
#define poplin_multi_calculate_weight_deltas(...) poplin_multi_calculate_weight_deltas_at(POP_HERE, __VA_ARGS__)
/* The gradients of the weights, as poplin_calculate_weight_deltas. */
POP_API void poplin_multi_calculate_weight_deltas_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                                     size_t count, pop_program sequence, const char *name,
                                                     pop_options options, poplin_planning_cache *cache,
                                                     pop_tensor *outputs);
#define poplin_multi_convolution_weight_update(...) poplin_multi_convolution_weight_update_at(POP_HERE, __VA_ARGS__)
/* Updates the weights in place, as poplin_convolution_weight_update. */
POP_API void poplin_multi_convolution_weight_update_at(pop_where where, pop_graph *graph,
                                                       const poplin_multi_conv *convs, size_t count,
                                                       pop_program sequence, const char *name, pop_options options,
                                                       poplin_planning_cache *cache);
#define poplin_multi_weights_transpose_chans_flip_xy(...)                                                              \
    poplin_multi_weights_transpose_chans_flip_xy_at(POP_HERE, __VA_ARGS__)
/* New weights for the convolutions, whose params are those of backward passes, from their forward weights. */
POP_API void poplin_multi_weights_transpose_chans_flip_xy_at(pop_where where, pop_graph *graph,
                                                             const poplin_multi_conv *convs, size_t count,
                                                             pop_program sequence, const char *name,
                                                             pop_options options, poplin_planning_cache *cache,
                                                             pop_tensor *outputs);

POP_END_DECLS
#endif
