/* SPDX-License-Identifier: Apache-2.0 */
/* What methods have in common: partials, and vertices whose workers share rows of output positions. */
#ifndef POPLIN_CONVOLUTION_CONV_PARTIALS_H
#define POPLIN_CONVOLUTION_CONV_PARTIALS_H

#include "poplin/convolution/conv_work.h"

/* Creates the variable for what a part's vertices compute; zeros, written in compute, where the part is empty. */
void conv_add_partials(const struct conv_work *work, pop_compute_set compute, struct conv_part *part);
/* The same for the parts from *next on, to the first that is not empty: gives that one, *next is the number of the one
 * behind it.  NULL at the end. */
const struct conv_part *conv_next_part(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                                       size_t *next);

/* Kernel positions of a part. */
size_t conv_part_positions(const struct conv_work *work, const struct conv_part *part);
/* A vertex with the fields of conv_vertices/conv_vertex.h. */
struct conv_row_vertex {
    const char *type;    /* without namespace and parameters */
    char parameters[32]; /* after input, partials and limited: ",true,8" */
    unsigned filter_height;
};
void conv_add_row_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                         pop_tensor input, pop_tensor weights, const struct conv_row_vertex *of);

#endif
