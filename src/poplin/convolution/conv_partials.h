/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices that convolve: one for each tile, whose workers share the output positions. */
#ifndef POPLIN_CONVOLUTION_CONV_PARTIALS_H
#define POPLIN_CONVOLUTION_CONV_PARTIALS_H

#include "poplin/convolution/conv_work.h"

/* ---- conv_partials.c ---- */
void conv_add_partials(const struct conv_work *work, struct conv_parts *parts, pop_tensor input, pop_tensor weights);

#endif
