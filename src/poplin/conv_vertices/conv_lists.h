/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lists of a convolution vertex, for estimates. */
#ifndef POPLIN_CONV_VERTICES_CONV_LISTS_H
#define POPLIN_CONV_VERTICES_CONV_LISTS_H

#include "poplin/conv_vertices/conv_vertex.h"

#ifndef __POPC__ /* estimates run on the host only */
struct conv_lists conv_lists(const pop_vertex_view *vertex);
/* Reads the lists of vertices without the fields of the kernel: `positions` kernel positions in rows of `width`,
 * `height` of which are computed together. */
struct conv_lists conv_lists_of(const pop_vertex_view *vertex, unsigned positions, unsigned width, unsigned height);

#endif
#endif
