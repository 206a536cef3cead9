/* SPDX-License-Identifier: Apache-2.0 */
/* Host convolutions of one input and one output channel a group, with contiguous groups. */
#ifndef POPLIN_HOST_HOST_DEPTHWISE_H
#define POPLIN_HOST_HOST_DEPTHWISE_H

#include "poplin/host/host_conv_work.h"

/* deltas: an update's, whose groups must be contiguous too; NULL: a forward pass. */
bool host_depthwise_serves(const struct host_conv_work *work, const struct host_conv_operand *deltas);
/* output: {outputs, groups}. */
void host_depthwise_convolve(const struct host_conv_work *work, const struct host_conv_operand *weights,
                             bool transposed, pop_tensor output);
/* made: {groups, positions}. */
void host_depthwise_update(const struct host_conv_work *work, const struct host_conv_operand *deltas, pop_tensor made);

#endif
