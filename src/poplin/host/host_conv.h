/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions for CPU devices: products whose left operand is gathered from the field while it is packed.  They take
 * any views: views of contiguous memory are read in place, in any order of dimensions; others are copied first.
 *
 * Operands have the planner's order of dimensions: input {groups, batch, field..., input channels}, weights {groups,
 * kernel..., output channels, input channels}, output {groups, batch, field..., output channels}.  HALF or FLOAT, sums
 * in float. */
#ifndef POPLIN_HOST_HOST_CONV_H
#define POPLIN_HOST_HOST_CONV_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <poplin/conv_params.h>

struct host_conv {
    const struct call *call;
    const char *name;
    const poplin_conv_params *params;
};

/* Whether the graph is for a CPU device, and all offsets fit the vertices' 32-bit numbers. */
bool host_conv_serves(const pop_graph *graph, const poplin_conv_params *params);

/* transposed: weights are those of the convolution whose gradient this is, {groups, kernel..., input channels, output
 * channels}, read with both channel dimensions exchanged. */
pop_tensor host_conv_convolve(const struct host_conv *conv, pop_tensor input, pop_tensor weights, bool transposed,
                              pop_program sequence);

#endif
