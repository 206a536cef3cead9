/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a clone's elements in memory, and the tile mapping that comes with it. */
#ifndef GRAPH_CLONE_LAYOUT_H
#define GRAPH_CLONE_LAYOUT_H

#include "graph/clone.h"

/* Each element of t (aliases too) is a new one, in row-major order. */
void clone_layout_row_major(struct clone_layout *layout, pop_tensor t);
/* The elements in the order in which they are in memory, each once; by_tile: all of one tile together. */
void clone_layout_in_memory(struct clone_layout *layout, pop_tensor t, bool by_tile);
/* n copies of it in one variable, such that the copies of each contiguous region of a tile are adjacent. */
void clone_layout_repeat(struct clone_layout *layout, size_t n);
void clone_layout_free(struct clone_layout *layout);

#endif
