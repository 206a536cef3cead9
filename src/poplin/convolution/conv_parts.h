/* SPDX-License-Identifier: Apache-2.0 */
/* How the plan's partition splits a convolution over tiles. */
#ifndef POPLIN_CONVOLUTION_CONV_PARTS_H
#define POPLIN_CONVOLUTION_CONV_PARTS_H

#include "poplin/convolution/conv_work.h"

/* ---- conv_parts.c ---- */
struct conv_parts conv_parts_make(const struct conv_work *work, unsigned out_chan_step, unsigned in_chan_step);
pop_tensor conv_part_input(const struct conv_work *work, pop_tensor input, const struct conv_part *part, size_t g,
                           size_t c);
pop_tensor conv_part_weights(const struct conv_work *work, pop_tensor weights, const struct conv_part *part, size_t g,
                             size_t o, size_t c);
/* Maps grouped variables to tiles that need them. */
void conv_map_input(const struct conv_work *work, pop_tensor grouped);
void conv_map_weights(const struct conv_work *work, pop_tensor grouped);

#endif
