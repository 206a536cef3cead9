/* SPDX-License-Identifier: Apache-2.0 */
/* The library's vertices, loaded at first use, because poputil has no addCodelets. */
#ifndef POPUTIL_LOOP_VERTICES_H
#define POPUTIL_LOOP_VERTICES_H

#include <poplar/graph.h>

void poputil_loop_vertices(pop_graph *graph);

#endif
