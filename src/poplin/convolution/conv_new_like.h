/* SPDX-License-Identifier: Apache-2.0 */
/* Creates tensors with the layout of others. */
#ifndef POPLIN_CONVOLUTION_CONV_NEW_LIKE_H
#define POPLIN_CONVOLUTION_CONV_NEW_LIKE_H

#include "poplibs/call.h"

/* A new tensor with the shape of `like`, {groups, batch, field..., channels}, on the same tiles, with equally many
 * contiguous channels. */
pop_tensor conv_new_like(const struct call *call, pop_tensor like, const char *name);

#endif
