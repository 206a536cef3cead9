/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the vertices of plans with the method SLIC.  A vertex takes a kernel of one row of four elements; other kernels
 * are divided into such sub-kernels. */
#ifndef POPLIN_METHODS_SLIC_BUILD_H
#define POPLIN_METHODS_SLIC_BUILD_H

#include "poplin/convolution/conv_work.h"

/* Adds a vertex for each part that is not empty to `compute`, the compute set of the work's step, and copies of
 * operands that need padding to the program before it. */
void slic_add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                       pop_tensor input, pop_tensor weights);

#endif
