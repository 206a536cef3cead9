/* SPDX-License-Identifier: Apache-2.0 */
/* Operands whose contiguous dimension is not the plan's. */
#ifndef POPLIN_CONVOLUTION_CONV_REGROUP_H
#define POPLIN_CONVOLUTION_CONV_REGROUP_H

#include "poplin/convolution/conv_work.h"

/* A grouped operand with the contiguous dimension of `like`, which has the plan's layout: blocks that differ in it are
 * collected and transposed in phase CONV_REGROUP, after their padding in phase `pad`.  The operand itself, if its
 * contiguous dimension is that of `like`, or its elements are not together in groups that are worth it. */
pop_tensor conv_regroup(const struct conv_work *work, pop_tensor grouped, pop_tensor like, bool weights, uint32_t pad);

#endif
