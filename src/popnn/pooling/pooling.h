/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling as a convolution, and work lists of its vertices. */
#ifndef POPNN_POOLING_POOLING_H
#define POPNN_POOLING_POOLING_H

#include "poplibs/call.h"
#include "popnn/pooling/pooling_geometry.h"

#include <popnn/pooling.h>

/* pooling_conv.c: sums over windows as a convolution of each channel with constant weights (optimizeForSpeed). */

/* Whether the pooling is a sum, or an average of windows without padding, that a convolution can express; truncation
 * cannot. */
bool pool_is_convolution(const popnn_pool_params *params);
/* The pooled input if the convolution's plan takes fewer cycles than pooling; otherwise, or after an error of the
 * graph, null. */
pop_tensor pool_convolve(const struct call *call, const popnn_pool_params *params, pop_tensor in, uint64_t cycles);

/* pooling_lists.c: work lists of pooling vertices on a modelled IPU. */

/* Whether work lists can describe a part: their numbers have 16 bits, and each maximum needs an element. */
bool pool_can_list(const struct pool_part *part, bool backward, bool max);
/* Sets the fields of the vertex that have the lists for a part: its rows are shared evenly by the workers. */
void pool_set_lists(const struct call *call, pop_vertex vertex, const struct pool_part *part, bool backward);

#endif
