/* SPDX-License-Identifier: Apache-2.0 */
/* Declares, for each *_vertices.c, the function that registers the estimators of its vertices. */
#ifndef POPRAND_VERTICES_H
#define POPRAND_VERTICES_H

#include <poplar/graph.h>

#define VERTICES(stem) void register_##stem##_vertices(pop_graph *graph);
#include "poprand/vertices.def"
#undef VERTICES

#endif
