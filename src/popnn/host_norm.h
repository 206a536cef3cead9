/* SPDX-License-Identifier: Apache-2.0 */
/* Layer norms on CPU devices, in one pass over the activations. */
#ifndef POPNN_HOST_NORM_H
#define POPNN_HOST_NORM_H

#include <poplar/graph.h>

/* The operands of a normalisation; statistics for each image, gamma and beta for each channel. */
struct host_norm {
    pop_where where;
    pop_graph *graph;
    pop_tensor acts, gamma, beta, mean, inverse;
};
/* Whether there are vertices for it: in float, with one mean for each image, and contiguous. */
bool host_norm_serves(const struct host_norm *norm);
/* Returns the scaled activations; *whitened (may be NULL) receives the others. */
pop_tensor host_norm_normalise(const struct host_norm *norm, pop_program sequence, const char *name,
                               pop_tensor *whitened);

#endif
