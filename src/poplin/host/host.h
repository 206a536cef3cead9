/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and matrix products on CPU devices, with vertices of their own. */
#ifndef POPLIN_HOST_HOST_H
#define POPLIN_HOST_HOST_H

#include "poplibs/call.h"
#include "poplin/host/host_conv.h"
#include "poplin/host/host_conv_work.h"

#include <poplar/program.h>

/* host_conv_update.c: the update of weights of a host's convolution. */

/* The deltas of weights, of the parameters' output type, from those of the output. */
pop_tensor host_conv_weight_deltas(const struct host_conv *conv, pop_tensor deltas, pop_tensor input,
                                   pop_program sequence);

/* host_depthwise.c: host convolutions of one input and one output channel a group, with contiguous groups. */

/* deltas: an update's, whose groups must be contiguous too; NULL: a forward pass. */
bool host_depthwise_serves(const struct host_conv_work *work, const struct host_conv_operand *deltas);
/* output: {outputs, groups}. */
void host_depthwise_convolve(const struct host_conv_work *work, const struct host_conv_operand *weights,
                             bool transposed, pop_tensor output);
/* made: {groups, positions}. */
void host_depthwise_update(const struct host_conv_work *work, const struct host_conv_operand *deltas, pop_tensor made);

/* host_gemm.c: matrix products for CPU devices: a fixed number of vertices that pack B and multiply blocks of the
 * product. */

/* out{g,m,n} = a{g,m,k} b{g,k,n}, or out += scale a b when scale (a FLOAT scalar) is valid.  HALF or FLOAT, sums in
 * float.  Any views: matrices with contiguous rows or columns are read in place, others are copied first. */
void host_mat_mul(const struct call *call, pop_tensor a, pop_tensor b, pop_tensor out, pop_tensor scale);

#endif
