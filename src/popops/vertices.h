/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, one for each *_vertices.c, that register the estimates of its vertices. */
#ifndef POPOPS_VERTICES_H
#define POPOPS_VERTICES_H

#include <poplar/graph.h>

#define VERTICES(stem) void register_##stem##_vertices(pop_graph *graph);
#include "popops/vertices.def"
#undef VERTICES

#endif
