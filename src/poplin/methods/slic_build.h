/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of plans with the method SLIC, which take kernels of one row of four elements: others are cut into such
 * sub-kernels. */
#ifndef POPLIN_METHODS_SLIC_BUILD_H
#define POPLIN_METHODS_SLIC_BUILD_H

#include "poplin/convolution/conv_work.h"

/* Adds a vertex to compute, the work's step's, for each part that is not empty, and to the program, before it, copies
 * of operands that need padding. */
void slic_add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                       pop_tensor input, pop_tensor weights);

#endif
