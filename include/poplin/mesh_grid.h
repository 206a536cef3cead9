/* SPDX-License-Identifier: Apache-2.0 */
/* Evenly spaced values and coordinate grids. */
#ifndef POPLIN_MESH_GRID_H
#define POPLIN_MESH_GRID_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

#define poplin_linspace(...) poplin_linspace_at(POP_HERE, __VA_ARGS__)
/* A constant {count} of HALF or FLOAT: evenly spaced values from left to right, both included; left if count is 1.
 * Mapped linearly. */
POP_API pop_tensor poplin_linspace_at(pop_where where, pop_graph *graph, pop_type type, double left, double right,
                                      size_t count, const char *name);
#define poplin_meshgrid2d(...) poplin_meshgrid2d_at(POP_HERE, __VA_ARGS__)
/* Views {m,n}: grids[0] repeats x{n} in each of m rows, grids[1] repeats y{m} in each of n columns.  x and y have rank
 * 1 (poplar_error) and any type.  False after an error of the graph. */
POP_API bool poplin_meshgrid2d_at(pop_where where, pop_graph *graph, pop_tensor x, pop_tensor y, pop_tensor grids[2]);

POP_END_DECLS
#endif
