/* SPDX-License-Identifier: Apache-2.0 */
/* What each *_vertices.c gives: a function that registers the estimates of its vertices. */
#ifndef POPLIN_VERTICES_H
#define POPLIN_VERTICES_H

#include <poplar/graph.h>

#define VERTICES(stem) void poplin_##stem##_vertices(pop_graph *graph);
#include "poplin/vertices.def"
#undef VERTICES

#endif
