/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of plans with the method SLIC, which take kernels of one row of four elements: others are cut into such
 * sub-kernels. */
#ifndef POPLIN_CONVOLUTION_CONV_SLIC_H
#define POPLIN_CONVOLUTION_CONV_SLIC_H

#include "poplin/convolution/conv_work.h"

/* Adds a vertex to compute, the work's step's, for each part that is not empty, and to the program, before it, copies
 * of operands that need padding. */
void conv_slic_add(const struct conv_work *work, pop_compute_set compute, const struct conv_parts *parts,
                   pop_tensor input, pop_tensor weights);

#endif
