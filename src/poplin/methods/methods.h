/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of a plan (method.h), a source each: what its vertices compute, which plans it takes, their cycles. */
#ifndef POPLIN_METHODS_METHODS_H
#define POPLIN_METHODS_METHODS_H

#include "poplin/convolution/conv_work.h"
#include "poplin/planner/method.h"

/* slic.c: SLIC: windows of four kernel positions by conv units, for few channels per group. */
extern const struct conv_method method_slic;

/* vmac.c: VMAC: dot products along a row of the kernel for four convolutions side by side. */
extern const struct conv_method method_vmac;

/* amp.c: AMP: conv units multiply a few input channels by a few output channels at many positions. */
extern const struct conv_method method_amp;

/* mac.c: MAC: dot products over the input channels by the workers' multiply-add instructions. */
extern const struct conv_method method_mac;

/* outer_product.c: OUTER_PRODUCT: one input channel and one kernel position; each input is multiplied by each
 * weight. */
extern const struct conv_method method_outer_product;

/* slic_build.c: adds the vertices of plans with the method SLIC. A vertex takes a kernel of one row of four
 * elements; other kernels are divided into such sub-kernels. */

/* Adds a vertex for each part that is not empty to `compute`, the compute set of the work's step, and copies of
 * operands that need padding to the program before it. */
void slic_add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                       pop_tensor input, pop_tensor weights);

/* vmac_build.c: adds the vertices of plans with the method VMAC. */
void vmac_add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                       pop_tensor input, pop_tensor weights);

#endif
