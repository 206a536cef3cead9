/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that sources of poputil share. */
#ifndef POPUTIL_SUPPORT_H
#define POPUTIL_SUPPORT_H

#include "poplibs/call.h"

#include <poplar/graph.h>

/* duplicate.c: views of a tensor and its clone for a copy between them. */

/* Where both have an element several times (a clone may preserve aliases), the views have it once, so that they are
 * writable. */
void copy_views(const struct call *call, pop_tensor from, pop_tensor to, pop_tensor *source, pop_tensor *destination);
/* Copies the values of a tensor to its clone in the call's sequence, and the metadata of 8-bit floats. */
void copy_values(const struct call *call, pop_tensor from, pop_tensor to);

/* loop_vertices.c: the library's vertices, loaded at first use, because poputil has no addCodelets. */
void register_loop_vertices(pop_graph *graph);

#endif
