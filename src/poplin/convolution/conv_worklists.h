/* SPDX-License-Identifier: Apache-2.0 */
/* Worklists (conv_vertex.h): the elements of a part that each worker of its vertex processes, for each kernel
 * position. */
#ifndef POPLIN_CONVOLUTION_CONV_WORKLISTS_H
#define POPLIN_CONVOLUTION_CONV_WORKLISTS_H

#include "poplin/convolution/conv_work.h"

/* The outputs of a part along one dimension to which a kernel position contributes, and the corresponding inputs; both
 * have a constant step. */
struct conv_axis {
    unsigned *outs, *ins;
    size_t count;
};
/* An axis for each kernel position of each dimension; input and output are sizes in elements.  numbers is the storage
 * of outs and ins. */
struct conv_axes {
    struct conv_axis *list[POPLIN_MAX_FIELD_DIMS];
    unsigned *numbers;
    unsigned dims;
    size_t batch, positions[POPLIN_MAX_FIELD_DIMS], input[POPLIN_MAX_FIELD_DIMS], output[POPLIN_MAX_FIELD_DIMS];
};
/* Allocates empty axes; dims, batch, positions, input and output must be set. */
void conv_axes_make(struct conv_axes *axes);
void conv_axes_free(struct conv_axes *axes);

/* The lists of all kernel positions, the last dimension's innermost, and of all workers; max is the largest number in
 * them.  The caller frees list. */
struct conv_worklists {
    unsigned *list;
    size_t count, capacity;
    unsigned max;
};
struct conv_worklists conv_worklists_make(const struct conv_axes *axes, unsigned workers);

#endif
