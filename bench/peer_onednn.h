/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's convolutions of float, one thread, only for comparison: its library is loaded if it is installed. */
#ifndef BENCH_PEER_ONEDNN_H
#define BENCH_PEER_ONEDNN_H

#include <stdbool.h>
#include <stddef.h>

/* Square fields and kernels, padded by half the kernel. */
struct conv_shape {
    size_t batch, field, inputs, outputs, kernel;
    unsigned stride;
    size_t groups; /* of 1 channel each; 0: all channels are one group */
};
enum conv_pass { CONV_FORWARD, CONV_INPUT_GRADIENT, CONV_WEIGHT_GRADIENT, CONV_PASSES };
/* A pass, operands in the layouts that oneDNN chooses; NULL without oneDNN. */
struct peer_conv *peer_conv_create(const struct conv_shape *shape, enum conv_pass pass);
bool peer_conv_run(struct peer_conv *conv);
void peer_conv_destroy(struct peer_conv *conv);

#endif
