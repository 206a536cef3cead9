/* SPDX-License-Identifier: Apache-2.0 */
/* The library's vertices, which are loaded when one is needed first: poputil has no addCodelets. */
#ifndef POPUTIL_LOOP_VERTICES_H
#define POPUTIL_LOOP_VERTICES_H

#include <poplar/graph.h>

void poputil_loop_vertices(pop_graph *graph);

#endif
