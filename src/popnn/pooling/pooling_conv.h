/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over windows as a convolution of each channel with constant weights (optimizeForSpeed). */
#ifndef POPNN_POOLING_POOLING_CONV_H
#define POPNN_POOLING_POOLING_CONV_H

#include "poplibs/call.h"

#include <popnn/pooling.h>

/* Whether the pooling is a sum, or an average of windows without padding, that a convolution can express; truncation
 * cannot. */
bool pool_is_convolution(const popnn_pool_params *params);
/* The pooled input if the convolution's plan takes fewer cycles than pooling; otherwise, or after an error of the
 * graph, null. */
pop_tensor pool_convolve(const struct call *call, const popnn_pool_params *params, pop_tensor in, uint64_t cycles);

#endif
