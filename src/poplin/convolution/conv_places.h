/* SPDX-License-Identifier: Apache-2.0 */
/* Improves the mapping of an operand's copy. */
#ifndef POPLIN_CONVOLUTION_CONV_PLACES_H
#define POPLIN_CONVOLUTION_CONV_PLACES_H

#include "poplibs/call.h"

/* Changes the mapping of a destination to which nothing refers yet, so that few small pieces of the source stay on
 * their tile. */
void conv_avoid_local_pieces(const struct call *call, pop_tensor from, pop_tensor to);

#endif
