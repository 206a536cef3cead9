/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, one for each *_vertices.c, that register the estimates of its vertices. */
#ifndef POPFLOAT_VERTICES_H
#define POPFLOAT_VERTICES_H

#include <poplar/graph.h>

#define VERTICES(stem) void register_##stem##_vertices(pop_graph *graph);
#include "popfloat/vertices.def"
#undef VERTICES

#endif
