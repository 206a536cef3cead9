/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over windows as a convolution of each channel with constant weights (optimizeForSpeed). */
#ifndef POPNN_POOLING_CONV_H
#define POPNN_POOLING_CONV_H

#include <popnn/pooling.h>

/* A sum, or an average of windows that meet no padding; padding that cuts off is none of a convolution's. */
bool pool_is_convolution(const popnn_pool_params *params);
/* The pooled input where the convolution's plan takes fewer cycles than those of pooling; null otherwise, and after an
 * error of the graph. */
pop_tensor pool_convolve(pop_where where, pop_graph *graph, const popnn_pool_params *params, pop_tensor in,
                         uint64_t cycles, pop_program sequence, const char *name);

#endif
