/* SPDX-License-Identifier: Apache-2.0 */
/* Evenly spaced values, and the coordinates of grids. */
#ifndef POPLIN_MESH_GRID_H
#define POPLIN_MESH_GRID_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define poplin_linspace(...) poplin_linspace_at(POP_HERE, __VA_ARGS__)
/* A constant {count} of HALF or FLOAT: from left to right in equal steps, both included; left alone when count is 1.
 * Mapped linearly. */
POP_API pop_tensor poplin_linspace_at(pop_where where, pop_graph *graph, pop_type type, double left, double right,
                                      size_t count, const char *name);
#define poplin_meshgrid2d(...) poplin_meshgrid2d_at(POP_HERE, __VA_ARGS__)
/* Views: grids[0] is x{n} along each of m rows, grids[1] y{m} along each of n columns; both {m,n}.  x and y have rank 1
 * (poplar_error) and any types.  False after an error of the graph. */
POP_API bool poplin_meshgrid2d_at(pop_where where, pop_graph *graph, pop_tensor x, pop_tensor y, pop_tensor grids[2]);

POP_END_DECLS
#endif
