/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of methods: partials, and vertices whose workers share rows of output positions. */
#ifndef POPLIN_CONVOLUTION_CONV_PARTIALS_H
#define POPLIN_CONVOLUTION_CONV_PARTIALS_H

#include "poplin/convolution/conv_work.h"
#include "poplin/convolution/conv_worklists.h"

/* Creates the variable for the results of a part's vertices; if the part is empty, it is zeroed in `compute`. */
void conv_add_partials(const struct conv_work *work, pop_compute_set compute, struct conv_part *part);
/* Creates results for the parts from *next on, up to the first one that is not empty.  Returns that part and sets *next
 * to the index after it; NULL at the end. */
const struct conv_part *conv_next_part(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                                       size_t *next);

/* The outputs and inputs that the kernel positions of a part meet; to be freed by conv_axes_free. */
struct conv_axes conv_part_axes(const struct conv_work *work, const struct conv_part *part);
/* The worklists of a part; neighbours mostly differ in channels alone, on which these do not depend. */
struct conv_part_lists {
    struct conv_worklists made;
    struct conv_range kernel[POPLIN_MAX_FIELD_DIMS], field[POPLIN_MAX_FIELD_DIMS], input[POPLIN_MAX_FIELD_DIMS];
    size_t batch; /* 0: none are kept */
};
/* The number of kernel positions of a part. */
size_t conv_part_positions(const struct conv_work *work, const struct conv_part *part);
/* A vertex with the fields of conv_vertices/conv_vertex.h. */
struct conv_row_vertex {
    const char *type;    /* without namespace and template arguments */
    char parameters[32]; /* template arguments after input, partials and limited: ",true,8" */
    unsigned filter_height;
};
void conv_add_row_vertex(const struct conv_work *work, pop_compute_set compute, const struct conv_part *part,
                         pop_tensor input, pop_tensor weights, const struct conv_row_vertex *of);

#endif
