/* SPDX-License-Identifier: Apache-2.0 */
/* The update of weights of a host's convolution. */
#ifndef POPLIN_HOST_HOST_CONV_UPDATE_H
#define POPLIN_HOST_HOST_CONV_UPDATE_H

#include "poplin/host/host_conv.h"

/* The deltas of weights, of the parameters' output type, from those of the output. */
pop_tensor host_conv_weight_deltas(const struct host_conv *conv, pop_tensor deltas, pop_tensor input,
                                   pop_program sequence);

#endif
