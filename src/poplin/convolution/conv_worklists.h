/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of a part the workers of its vertex take, for each position of the kernel: as conv_vertex.h lays it
 * out. */
#ifndef POPLIN_CONVOLUTION_CONV_WORKLISTS_H
#define POPLIN_CONVOLUTION_CONV_WORKLISTS_H

#include "poplin/convolution/conv_work.h"

/* Outputs of a part along one dimension that a kernel position meets, and the inputs that it meets for them; they
 * progress evenly. */
struct conv_axis {
    unsigned *outs, *ins;
    size_t count;
};
/* Of each kernel position, dimension after dimension, where input and output have sizes of elements.  numbers is the
 * memory of outs and ins. */
struct conv_axes {
    struct conv_axis *list[POPLIN_MAX_FIELD_DIMS];
    unsigned *numbers;
    unsigned dims;
    size_t batch, positions[POPLIN_MAX_FIELD_DIMS], input[POPLIN_MAX_FIELD_DIMS], output[POPLIN_MAX_FIELD_DIMS];
};
/* Room for so many positions of each dimension, which meet nothing yet; the other members are set already. */
void conv_axes_make(struct conv_axes *axes);
void conv_axes_free(struct conv_axes *axes);

/* Lists of all kernel positions, the last dimension's innermost, and of all workers; max is the largest number.
 * free(list). */
struct conv_worklists {
    unsigned *list;
    size_t count, capacity;
    unsigned max;
};
struct conv_worklists conv_worklists_make(const struct conv_axes *axes, unsigned workers);

#endif
