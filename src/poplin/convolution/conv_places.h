/* SPDX-License-Identifier: Apache-2.0 */
/* Where the copy of an operand is. */
#ifndef POPLIN_CONVOLUTION_CONV_PLACES_H
#define POPLIN_CONVOLUTION_CONV_PLACES_H

#include "poplibs/support.h"

/* Maps a destination anew that nothing refers to yet, so that no tile has to move much of a copy from the source in
 * small pieces. */
void conv_avoid_local_pieces(pop_where where, pop_graph *graph, pop_tensor from, pop_tensor to);

#endif
