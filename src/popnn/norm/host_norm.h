/* SPDX-License-Identifier: Apache-2.0 */
/* Layer norms on CPU devices: statistics in one pass over the activations, and scaling in another. */
#ifndef POPNN_NORM_HOST_NORM_H
#define POPNN_NORM_HOST_NORM_H

#include "poplibs/call.h"

/* The operands of a normalisation; statistics for each image, gamma and beta for each channel. */
struct host_norm {
    const struct call *call;
    pop_tensor acts, gamma, beta, mean, inverse;
};
/* Whether there are vertices for it: in float, with one mean for each image, and contiguous. */
bool host_norm_serves(const struct host_norm *norm);
/* The statistics of contiguous activations of float, of which there are enough images for threads. */
struct host_statistics {
    const struct call *call;
    pop_tensor acts;
    double eps;
    bool unbiased, stable;
};
bool host_norm_measures(const struct host_statistics *statistics);
void host_norm_statistics(const struct host_statistics *statistics, pop_tensor *mean, pop_tensor *inverse);
/* Returns the scaled activations; *whitened (may be NULL) receives the others. */
pop_tensor host_norm_normalise(const struct host_norm *norm, pop_tensor *whitened);

#endif
