/* SPDX-License-Identifier: Apache-2.0 */
/* Several convolutions in one call, which run at the same time, each on tiles of its own.
 *
 * Each has parameters and options of its own (poplin/convolution.h).  Options of the whole:
 *   - "planType": parallel (default), or serial: one after the other, each on all tiles, as they run too where there
 * are fewer than two tiles for each;
 *   - "perConvReservedTiles" (50): tiles that are kept for each convolution that is not planned yet, fewer where the
 * machine is small;
 *   - "cycleBackOff" (0.1, not below 0): the largest convolution is planned first, for as few tiles as it can have when
 * this share of its least cycles may be added for each of the others.  Those are planned for tiles that are left, so
 * that none of their steps takes longer than the largest one's. Passes of fully connected layers are planned each for
 * itself here, and convolutions begin where their share of the tiles does. Operands that are created with the same list
 * and options have the layout that the call needs.  All convolutions of a list run in the same steps: a copy, a compute
 * set or an exchange of one is that of all.  An index beyond the list is poplar_error. */
#ifndef POPLIN_MULTI_CONVOLUTION_H
#define POPLIN_MULTI_CONVOLUTION_H

#include <poplin/convolution.h>

/* What one convolution takes; calls use what they need: input and weights; deltas, weights, input and scale of updates.
 * A null scale tensor means that the constant counts. */
typedef struct poplin_multi_conv {
    const poplin_conv_params *params;
    pop_options options;
    pop_tensor input, weights, deltas;
    pop_tensor scale;
    double scale_constant;
    const char *name; /* of created tensors */
} poplin_multi_conv;

POP_BEGIN_DECLS

#define poplin_multi_create_input(...) poplin_multi_create_input_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_multi_create_input_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                                size_t count, size_t index, pop_options options,
                                                poplin_planning_cache *cache);
#define poplin_multi_create_weights(...) poplin_multi_create_weights_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_multi_create_weights_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                                  size_t count, size_t index, pop_options options,
                                                  poplin_planning_cache *cache);
#define poplin_multi_convolution(...) poplin_multi_convolution_at(POP_HERE, __VA_ARGS__)
/* outputs, here and below: room for count tensors; those that an error leaves out are null. */
POP_API void poplin_multi_convolution_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                         size_t count, bool transpose_and_flip_weights, pop_program sequence,
                                         const char *name, pop_options options, poplin_planning_cache *cache,
                                         pop_tensor *outputs);
#define poplin_multi_calculate_weight_deltas(...) poplin_multi_calculate_weight_deltas_at(POP_HERE, __VA_ARGS__)
POP_API void poplin_multi_calculate_weight_deltas_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                                     size_t count, pop_program sequence, const char *name,
                                                     pop_options options, poplin_planning_cache *cache,
                                                     pop_tensor *outputs);
#define poplin_multi_convolution_weight_update(...) poplin_multi_convolution_weight_update_at(POP_HERE, __VA_ARGS__)
POP_API void poplin_multi_convolution_weight_update_at(pop_where where, pop_graph *graph,
                                                       const poplin_multi_conv *convs, size_t count,
                                                       pop_program sequence, const char *name, pop_options options,
                                                       poplin_planning_cache *cache);
#define poplin_multi_weights_transpose_chans_flip_xy(...)                                                              \
    poplin_multi_weights_transpose_chans_flip_xy_at(POP_HERE, __VA_ARGS__)
/* New weights of the convolutions, whose params are those of backward passes, made of each one's forward weights. */
POP_API void poplin_multi_weights_transpose_chans_flip_xy_at(pop_where where, pop_graph *graph,
                                                             const poplin_multi_conv *convs, size_t count,
                                                             pop_program sequence, const char *name,
                                                             pop_options options, poplin_planning_cache *cache,
                                                             pop_tensor *outputs);

POP_END_DECLS
#endif
