/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, one for each *_vertices.c, that register the estimates of its vertices. */
#ifndef POPSPARSE_VERTICES_H
#define POPSPARSE_VERTICES_H

#include <poplar/graph.h>

#define VERTICES(stem) void register_##stem##_vertices(pop_graph *graph);
#include "popsparse/vertices.def"
#undef VERTICES

#endif
