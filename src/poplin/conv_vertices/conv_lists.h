/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a convolution vertex, as estimates read them. */
#ifndef POPLIN_CONV_VERTICES_CONV_LISTS_H
#define POPLIN_CONV_VERTICES_CONV_LISTS_H

#include "poplin/conv_vertices/conv_vertex.h"

#ifndef __POPC__ /* estimates are the host's */
struct conv_lists poplin_conv_lists(const pop_vertex_view *vertex);
/* The same of so many positions, in rows of width of which height are computed together, for vertices without these
 * fields. */
struct conv_lists poplin_conv_lists_of(const pop_vertex_view *vertex, unsigned positions, unsigned width,
                                       unsigned height);

#endif
#endif
