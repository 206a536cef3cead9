/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling over windows of a field with up to POPNN_MAX_FIELD_DIMS dimensions, and its gradient.
 *
 * Tensors are {batch, channels, field...}, HALF or FLOAT.  The window of output element o covers the kernel input
 * elements from o stride - padding_lower on; padding elements do not count (MAX of no elements is 0).  Negative padding
 * truncates the input.  Options: "poolUseIntrospectiveMapping" (bool, default true: the layout of the given tensors
 * determines the grouping of channels and, with the costs of 2021, the tiles of the output; false: only their number
 * does, and blocks of the output are on tiles in order) and "optimizeForSpeed" (bool, default false:
 * popnn_pool of SUM, and of AVG without padding, becomes a convolution of each channel when the planner estimates it to
 * be faster; the graph then needs the codelets of poplin).  On IPUs with the costs of 2021, popnn_pool with a window as
 * large as the field, without padding, is a reduction, as in Poplibs; the graph then needs the codelets of popops.
 * Errors are recorded in the graph with the caller's line: poplar_error for shapes and parameters, type_error for
 * types. */
#ifndef POPNN_POOLING_H
#define POPNN_POOLING_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* What a window of the input becomes. */
typedef enum popnn_pooling_type {
    POPNN_POOL_MAX = 0,
    POPNN_POOL_AVG, /* the sum divided by the number of elements that are not padding */
    POPNN_POOL_SUM
} popnn_pooling_type;

enum { POPNN_MAX_FIELD_DIMS = 6 };
/* A pooling layer. */
typedef struct popnn_pool_params {
    popnn_pooling_type type;                  /* what a window becomes */
    unsigned dims;                            /* dimensions of the field: number of valid entries in each array */
    size_t input_field[POPNN_MAX_FIELD_DIMS]; /* extents of the input */
    size_t kernel[POPNN_MAX_FIELD_DIMS];      /* extents of a window */
    unsigned stride[POPNN_MAX_FIELD_DIMS];    /* distance between windows */
    int padding_lower[POPNN_MAX_FIELD_DIMS];  /* elements added before each dimension; negative: removed */
    int padding_upper[POPNN_MAX_FIELD_DIMS];  /* elements added after each dimension; negative: removed */
    size_t channels, batch;                   /* channels of an image; images */
    pop_type data_type;                       /* HALF or FLOAT */
} popnn_pool_params;

POP_BEGIN_DECLS

/* "max", "avg", "sum"; NULL for an invalid value. */
POP_API const char *popnn_pooling_type_name(popnn_pooling_type type);
/* Writes params->dims (at most 6) extents of the output's field: (input + paddings - kernel) / stride + 1, or 0 when
 * the kernel does not fit. */
POP_API void popnn_pool_output_field(const popnn_pool_params *params, size_t *output_field);
/* Counts one operation for each element that a window covers. */
POP_API uint64_t popnn_pool_fwd_flops(const popnn_pool_params *params);
POP_API uint64_t popnn_pool_bwd_flops(const popnn_pool_params *params);
/* Cycles for these operations on all tiles, one vector per cycle. */
POP_API double popnn_pool_fwd_perfect_cycle_count(const pop_graph *graph, const popnn_pool_params *params);
POP_API double popnn_pool_bwd_perfect_cycle_count(const pop_graph *graph, const popnn_pool_params *params);

#define popnn_pool(...) popnn_pool_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence; returns the pooled input, a new tensor {batch, channels, output field...}. */
POP_API pop_tensor popnn_pool_at(pop_where where, pop_graph *graph, const popnn_pool_params *params, pop_tensor in,
                                 pop_program sequence, const char *name, pop_options options);
#define popnn_pool_input_gradient(...) popnn_pool_input_gradient_at(POP_HERE, __VA_ARGS__)
/* Returns the gradient of the input from that of the output. For MAX, in and pooled are input and output of
 * popnn_pool; each element equal to its window's maximum gets the window's gradient or, with use_scaled_gradient, an
 * equal share of it. For the other types in and pooled are ignored and may be null. */
POP_API pop_tensor popnn_pool_input_gradient_at(pop_where where, pop_graph *graph, const popnn_pool_params *params,
                                                pop_tensor in, pop_tensor pooled, pop_tensor pooled_gradient,
                                                bool use_scaled_gradient, pop_program sequence, const char *name,
                                                pop_options options);
#define popnn_pool_input_gradient_without_activations(...)                                                             \
    popnn_pool_input_gradient_without_activations_at(POP_HERE, __VA_ARGS__)
/* The gradient of the input for AVG and SUM, which need no activations; the result's layout has groups of
 * fwd_chans_per_group consecutive channels, which must divide their number. */
POP_API pop_tensor popnn_pool_input_gradient_without_activations_at(pop_where where, pop_graph *graph,
                                                                    const popnn_pool_params *params,
                                                                    unsigned fwd_chans_per_group,
                                                                    pop_tensor pooled_gradient, pop_program sequence,
                                                                    const char *name, pop_options options);

POP_END_DECLS
#endif
